#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/cli/command.h"
#include "tactus/core/error.h"
#include "tactus/core/simd.h"
#include "tactus/version.h"

namespace tactus::cli {

namespace {

const std::vector<Command>& Commands() {
  static const std::vector<Command> table = {
      {"run", "Simulate a scene or a robot", AddRunCommand},
      {"scenes", "List the scenes that come with tactus", AddScenesCommand},
      {"export", "Turn a recording into CSV or NPZ", AddExportCommand},
      {"solve", "Solve contact problems from files", AddSolveCommand},
      {"info", "Say what a problem file holds", AddInfoCommand},
      {"generate", "Generate a problem and write it to a file", AddGenerateCommand},
      {"solvers", "List the solvers", AddSolversCommand},
      {"validate", "Read a robot model and say what is in it", AddValidateCommand},
      {"bench", "Run a suite of benchmarks", AddBenchCommand},
      {"demo", "Solve two problems with every solver and plot how each converges", AddDemoCommand},
  };
  return table;
}

constexpr const char* kExamples = R"(Examples:
  tactus run conveyor                              simulate a scene that comes with tactus (see tactus scenes)
  tactus run robot.urdf --duration 2               a bare robot file is a scene too: ground is added
  tactus run my.yaml --record run.h5 --json        simulate, record every step, print a summary for programs
  tactus generate bolt --seed 1 --out bolt.h5      a nut on a bolt with 120 contacts, as a file
  tactus solve bolt.h5 --solution answer.h5        solve it with the default solver and keep the impulses
  tactus solve *.h5 --solver pgs --json            solve many files with another solver, for programs to read
  tactus validate robot.urdf --base floating       the tree of a robot, its mass, and what looks wrong in the file

Exit codes: 0 all solved, 1 something was not solved to tolerance, 2 bad use or bad input.)";

std::string VersionText() {
  return fmt::format("tactus {} (instructions: {}, build: {})", LibraryVersion(), ToString(ActiveSimdLevel()),
                     TACTUS_BUILD_TYPE);
}

int Run(int argc, char** argv) {
  CLI::App app("tactus: robots in contact, simulated with the exact law of contact and friction", "tactus");
  app.footer(kExamples);
  app.set_version_flag("--version", VersionText());
  app.require_subcommand(0, 1);
  std::vector<std::pair<CLI::App*, CommandRun>> runs;
  for (const Command& command : Commands()) {
    CLI::App* sub = app.add_subcommand(command.name, command.what);
    runs.emplace_back(sub, command.add(sub));
  }
  app.allow_extras();  // to name the commands below; set last, as commands would inherit it
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kAllSolved : kBadInput;  // 0: help or version was asked for
  }
  for (const auto& [sub, run] : runs) {
    if (sub->parsed()) return run();
  }
  if (!app.remaining().empty()) {
    std::string names;
    for (const Command& command : Commands()) names += (names.empty() ? "" : ", ") + std::string(command.name);
    throw InputError("command", "'" + app.remaining().front() + "' is not known", "one of " + names);
  }
  fmt::print("{}", app.help());
  return kAllSolved;
}

}  // namespace

int RunProgram(int argc, char** argv) {
  try {
    return Run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "tactus: {}\n", e.what());
  } catch (...) {
    fmt::print(stderr, "tactus: an unknown error occurred\n");
  }
  return kBadInput;
}

}  // namespace tactus::cli
