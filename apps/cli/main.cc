#include <csignal>

#include "apps/cli/command.h"

int main(int argc, char** argv) {
  // Beyond the limit of file sizes (ulimit -f), writes then fail as on a full disk: with an error, and tidied up.
  std::signal(SIGXFSZ, SIG_IGN);
  return tactus::cli::RunProgram(argc, argv);
}
