// A thousand damaged files through the command line: each run ends by itself, in time, with one of its three codes.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/contact/corrupt_bytes_testing.h"
#include "tactus/contact/problem_file.h"
#include "tactus/core/timer.h"
#include "tactus/generate/generator.h"

#ifdef TACTUS_CLI_PROGRAM

namespace tactus {
namespace {

constexpr int kFiles = 1000;
// The reader's own limit is 20 s for files of this size, the budget of a solve 2 s; the rest is for loaded machines.
constexpr double kSecondsPerRun = 60;

// Exit code of `tactus solve FILE`; 128 + n for signal n, -1 when it took too long.
int RunSolve(const std::string& file, double* seconds) {
  const Timer timer;
  const pid_t child = fork();
  if (child == 0) {
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    execl(TACTUS_CLI_PROGRAM, TACTUS_CLI_PROGRAM, "solve", "--budget-ms", "2000", file.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (timer.seconds() > kSecondsPerRun) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      *seconds = timer.seconds();
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  *seconds = timer.seconds();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<char> ReadBytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Small valid files of all formats; real ones (compressed, in chunks) where they are at hand.
std::vector<std::vector<char>> SoundFiles(const std::filesystem::path& folder) {
  std::vector<std::vector<char>> files;
  const std::string path = (folder / "sound.hdf5").string();
  for (const char* kind : {"random", "chain", "dishes"}) {
    WriteProblemFile(path, Generate(kind, {}, 1));
    files.push_back(ReadBytes(path));
  }
  WriteFclibFile(path, Generate("dishes", {}, 2));
  files.push_back(ReadBytes(path));
  const char* shared = std::getenv("TACTUS_SHARED");
  const std::filesystem::path real =
      std::filesystem::path(shared != nullptr ? shared : TACTUS_PROJECT_DIR "/../shared") / "fclib/problems";
  for (const char* name : {"OneObject-i1028-138.hdf5", "Rover1039.hdf5", "CubeH8.hdf5", "GFC3D_OneContact.hdf5"}) {
    if (std::filesystem::exists(real / name)) files.push_back(ReadBytes(real / name));
  }
  return files;
}

TEST(CorruptFiles, NeverCrashOrHangTheProgram) {
  std::string name = (std::filesystem::temp_directory_path() / "tactus_corrupt_XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  const std::filesystem::path folder = name;
  const std::vector<std::vector<char>> sound = SoundFiles(folder);
  const std::string path = (folder / "bad.hdf5").string();
  std::map<int, int> codes;
  double slowest = 0;
  for (int k = 0; k < kFiles; ++k) {
    std::mt19937 random(static_cast<unsigned>(k));
    std::vector<char> bytes = sound[static_cast<std::size_t>(k) % sound.size()];
    CorruptBytes(&random, &bytes);
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    double seconds = 0;
    const int code = RunSolve(path, &seconds);
    ++codes[code];
    slowest = std::max(slowest, seconds);
    if (code == 0 || code == 1 || code == 2) continue;
    const std::filesystem::path kept = folder / ("bad_" + std::to_string(k) + ".hdf5");
    std::filesystem::copy_file(path, kept);
    ADD_FAILURE() << kept << " ended with " << code << (code < 0 ? " (too late)" : "");
  }
  if (!HasFailure()) std::filesystem::remove_all(folder);  // else the files are worth a look
  for (const auto& [code, count] : codes) std::printf("code %d: %d files\n", code, count);
  std::printf("slowest: %.2f s\n", slowest);
  EXPECT_GT(codes[2], kFiles / 10);  // the damage does bite
  EXPECT_GT(codes[0], 0);
}

}  // namespace
}  // namespace tactus

#endif  // TACTUS_CLI_PROGRAM
