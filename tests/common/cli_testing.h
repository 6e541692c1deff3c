// Runs the built program as people and scripts do.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace tactus {

struct CommandResult {
  int code = -1;
  std::string out;  // with stderr if asked for
};

// Each test has its own folder, which is also the working directory of the program.
class CliTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::temp_directory_path() / ("tactus_cli_test_" + std::to_string(getpid()) + "_" +
                                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(dir_);
  }
  void TearDown() override {
    if (!dir_.empty()) std::filesystem::remove_all(dir_);
  }

  // `arguments` go through the shell; `before` stands before the program's name.
  CommandResult Run(const std::string& arguments, const std::string& before = "") {
    const std::string command = "cd '" + dir_.string() + "' && " + before + " '" + program_ + "' " + arguments;
    FILE* pipe = popen(command.c_str(), "r");
    CommandResult result;
    if (!pipe) return result;
    char buffer[4096];
    while (const std::size_t count = fread(buffer, 1, sizeof buffer, pipe)) result.out.append(buffer, count);
    const int status = pclose(pipe);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return result;
  }
  /// Of its folder that end in ".tmp", which no command may leave behind.
  int CountTemporaries() const {
    int count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir_)) {
      count += entry.path().extension() == ".tmp" ? 1 : 0;
    }
    return count;
  }
  CommandResult RunQuietly(const std::string& arguments) { return Run(arguments + " 2>/dev/null"); }

  std::filesystem::path dir_;
  std::string program_ = TACTUS_CLI_PROGRAM;
};

}  // namespace tactus
