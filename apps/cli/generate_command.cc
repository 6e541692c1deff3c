// tactus generate KIND
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/cli/command.h"
#include "apps/cli/option_rules.h"
#include "tactus/contact/problem_file.h"
#include "tactus/generate/generator.h"

namespace tactus::cli {

namespace {

struct GenerateOptions {
  std::uint64_t seed = 0;
  std::string out;
  bool fclib = false;
  GeneratorParameters parameters;
};

std::string FlagNames(const std::string& parameter) {
  std::string dashed = parameter;
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  return dashed == parameter ? "--" + parameter : "--" + dashed + ",--" + parameter;
}

void ListKinds() {
  for (const GeneratorEntry& entry : Generators()) {
    fmt::print("{}: {}\n", entry.name, entry.what);
    for (const GeneratorParameter& p : entry.parameters)
      fmt::print("  --{:<12} {} (default {:g})\n", p.name, p.what, p.value);
    fmt::print("\n");
  }
  fmt::print(
      "Every kind takes --seed N and needs --out FILE. Example: tactus generate bolt --seed 1 --mu 0.3 --out "
      "bolt.h5\n");
}

int RunGenerate(const std::string& kind, const GenerateOptions& options) {
  const ContactProblem problem = Generate(kind, options.parameters, options.seed);
  if (options.fclib) {
    WriteFclibFile(options.out, problem);
  } else {
    WriteProblemFile(options.out, problem);
  }
  fmt::print("wrote {}: {}, {} contacts, {} scalar rows, {} dofs\n", options.out, problem.name, problem.num_contacts(),
             problem.num_rows(), problem.num_dofs());
  return kAllSolved;
}

}  // namespace

CommandRun AddGenerateCommand(CLI::App* app) {
  app->require_subcommand(0, 1);
  app->footer("Without a kind, lists all kinds with their flags.");
  std::vector<std::pair<CLI::App*, std::shared_ptr<GenerateOptions>>> kinds;
  for (const GeneratorEntry& entry : Generators()) {
    CLI::App* sub = app->add_subcommand(entry.name, entry.what);
    const auto options = std::make_shared<GenerateOptions>();
    sub->add_option("--seed", options->seed, "seed of the random numbers")->capture_default_str()->check(SeedRule());
    sub->add_option("--out", options->out, "file to write, replaced if it is there")->required()->type_name("FILE");
    sub->add_flag("--fclib", options->fclib, "write FCLib's layout instead of our own");
    for (const GeneratorParameter& p : entry.parameters) {
      sub->add_option_function<double>(
             FlagNames(p.name), [options, name = p.name](double value) { options->parameters[name] = value; },
             fmt::format("{} (default {:g})", p.what, p.value))
          ->type_name(p.integer ? "INT" : "FLOAT");
    }
    kinds.emplace_back(sub, options);
  }
  app->allow_extras();  // an unknown kind is answered below with the list of kinds; set last, as kinds would inherit it
  return [app, kinds] {
    for (const auto& [sub, options] : kinds) {
      if (sub->parsed()) return RunGenerate(sub->get_name(), *options);
    }
    if (!app->remaining().empty()) FindGenerator(app->remaining().front());
    ListKinds();
    return kAllSolved;
  };
}

}  // namespace tactus::cli
