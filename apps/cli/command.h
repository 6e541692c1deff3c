// What every subcommand of `tactus` gives to main.cc.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace tactus::cli {

/// Exit codes of the program.
inline constexpr int kAllSolved = 0;
inline constexpr int kNotSolved = 1;      ///< something was not solved to tolerance, or a benchmark missed its bar
inline constexpr int kBadInput = 2;       ///< bad use or bad input
inline constexpr int kInterrupted = 130;  ///< a simulation was stopped by Ctrl-C, as shells have it: 128 + SIGINT

/// Runs a parsed subcommand; returns the exit code.
using CommandRun = std::function<int()>;

/// One line of the table of subcommands: `add` declares the options and returns what to run.
struct Command {
  const char* name;
  const char* what;
  const char* examples;
  CommandRun (*add)(CLI::App* app);
};

CommandRun AddRunCommand(CLI::App* app);
CommandRun AddScenesCommand(CLI::App* app);
CommandRun AddReplayCommand(CLI::App* app);
CommandRun AddExportCommand(CLI::App* app);
CommandRun AddSolveCommand(CLI::App* app);
CommandRun AddInvertCommand(CLI::App* app);
CommandRun AddInfoCommand(CLI::App* app);
CommandRun AddGenerateCommand(CLI::App* app);
CommandRun AddSolversCommand(CLI::App* app);
CommandRun AddValidateCommand(CLI::App* app);
CommandRun AddBenchCommand(CLI::App* app);
CommandRun AddReportCommand(CLI::App* app);
CommandRun AddDemoCommand(CLI::App* app);

/// Parses and runs; never throws. The whole program but for its entry point.
int RunProgram(int argc, char** argv);

}  // namespace tactus::cli
