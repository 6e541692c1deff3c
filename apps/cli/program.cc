#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
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
      {"run", "Simulate a scene or a robot", R"(Examples:
  tactus run conveyor                              a scene that comes with tactus (see tactus scenes)
  tactus run robot.urdf --duration 2               a bare robot file is a scene too: ground is added
  tactus run my.yaml --set objects.cube.mass=2     a scene file, with a change
  tactus run my.yaml --record run.h5 --json        record every step, print a summary for programs
  tactus run dish_pile --html dishes.html          a page that replays it in a browser
  tactus run bolt-nut --png nut.png --time 3       a picture of it (needs Chromium)
  tactus run my.yaml --steps 99 --save mid.snap    then go on with: tactus run my.yaml --restore mid.snap

Exit codes: 0 every step was solved to the tolerance and the scene's goals were met, 1 not so, 2 bad use or bad input,
130 stopped by Ctrl-C.)",
       AddRunCommand},
      {"scenes", "List the scenes that come with tactus, or the keys of scene files", R"(Examples:
  tactus scenes                                    all scenes
  tactus scenes --keys                             all keys of scene files: what they take, defaults, units, meanings
  tactus scenes --keys sensor                      those of sensors; scene, object, shape_box, constraint, ... likewise)",
       AddScenesCommand},
      {"replay", "Turn a recording into a page for the browser, or a picture", R"(Examples:
  tactus replay run.h5 --html run.html             one file, no network: play, scrub, look at contacts and curves
  tactus replay run.h5 --png run.png --time 1.5    a picture (needs Chromium)
  tactus replay run.h5 --png run.png --contacts --camera 30,20,2   with contact forces, seen from there)",
       AddReplayCommand},
      {"export", "Turn a recording into CSV or NPZ", R"(Examples:
  tactus export run.h5 run.csv                     a line for each step
  tactus export run.h5 contacts.csv --contacts     a line for each contact
  tactus export run.h5 run.npz                     for numpy.load)",
       AddExportCommand},
      {"solve", "Solve contact problems from files", R"(Examples:
  tactus solve bolt.h5 --solution answer.h5        with the default solver, and keep the impulses
  tactus solve *.h5 --solver pgs --json            many files with another solver, for programs to read)",
       AddSolveCommand},
      {"invert", "Inverse dynamics: which actuation does a task through contacts", R"(Examples:
  tactus invert --generate walk.h5 --seed 3        a random problem with 12 actuators and 4 contacts, as a file
  tactus invert walk.h5 --solution answer.h5       solve it: actuation, impulses, modes, multipliers
  tactus invert walk.h5 --warm answer.h5 --real-time   as a control loop would
  tactus invert walk.h5 --kind lcp --method miqp   without friction, by a method that also gives a lower bound
  tactus invert *.h5 --method ipopt --json         many files with another method, for programs to read
  tactus invert --generate trunk --scene soft-trunk --count 20   problems of a simulated soft robot, in a folder

Exit codes: 0 all solved (ours: stationary points within both tolerances), 1 not so, 2 bad use or bad input.)",
       AddInvertCommand},
      {"info", "Say what a problem file holds", R"(Example:
  tactus info bolt.h5                              sizes, masses, friction, how hard it looks)",
       AddInfoCommand},
      {"generate", "Generate a problem and write it to a file", R"(Examples:
  tactus generate                                  the kinds of problems and their parameters
  tactus generate bolt --seed 1 --out bolt.h5      a nut on a bolt with 120 contacts)",
       AddGenerateCommand},
      {"solvers", "List the solvers", R"(Example:
  tactus solvers                                   names for --solver, and what each is for)",
       AddSolversCommand},
      {"validate", "Read a robot model and say what is in it", R"(Examples:
  tactus validate robot.urdf --base floating       its tree, its mass, and what looks wrong in the file
  tactus validate robot.urdf --root meshes         with a folder in which packages and meshes are)",
       AddValidateCommand},
      {"bench", "Run a suite of benchmarks", R"(Examples:
  tactus bench                                     the suites
  tactus bench subadmm                             a table, also kept as results/<day>/subadmm.json (see tactus report)
  tactus bench cond --only soft-ball               one part of a suite
  tactus bench --compare results/2026-11-01 results/2026-11-17     what has become slower or worse
  tactus bench simulation --json                   times and residuals, for programs to read)",
       AddBenchCommand},
      {"report", "Make a page of what benchmarks have shown", R"(Examples:
  tactus report                                    of the folder results, to report.html
  tactus report results/2026-11-17 --html day.html --markdown day.md)",
       AddReportCommand},
      {"demo", "Solve two problems with every solver and plot how each converges", R"(Example:
  tactus demo --out demo                           problems, plots and a table into a folder)",
       AddDemoCommand},
  };
  return table;
}

constexpr const char* kExamples = R"(Examples:
  tactus run conveyor                              simulate a scene that comes with tactus (see tactus scenes)
  tactus scenes --keys                             every key of scene files, with defaults and units
  tactus run robot.urdf --duration 2               a bare robot file is a scene too: ground is added
  tactus run my.yaml --record run.h5 --json        simulate, record every step, print a summary for programs
  tactus run dish_pile --html dishes.html          simulate, and write a page that replays it in a browser
  tactus generate bolt --seed 1 --out bolt.h5      a nut on a bolt with 120 contacts, as a file
  tactus solve bolt.h5 --solution answer.h5        solve it with the default solver and keep the impulses
  tactus validate robot.urdf --base floating       the tree of a robot, its mass, and what looks wrong in the file

Each command has its own --help with examples.
Exit codes: 0 all solved, 1 something was not solved to tolerance or a task was not done, 2 bad use or bad input,
130 a run stopped by Ctrl-C.)";

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
    sub->footer(command.examples);
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
    const char* simd = std::getenv("TACTUS_SIMD");
    Require(simd == nullptr || *simd == 0 || std::string_view(simd) == "baseline", "TACTUS_SIMD",
            fmt::format("is '{}'", simd == nullptr ? "" : simd), "baseline, or not set");
    return Run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "tactus: {}\n", e.what());
  } catch (...) {
    fmt::print(stderr, "tactus: an unknown error occurred\n");
  }
  return kBadInput;
}

}  // namespace tactus::cli
