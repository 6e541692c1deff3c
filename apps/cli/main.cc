#include "apps/cli/command.h"

int main(int argc, char** argv) { return tactus::cli::RunProgram(argc, argv); }
