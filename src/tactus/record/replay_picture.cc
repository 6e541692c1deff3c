// Pictures of replays, by a browser that shows no window.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/core/output_file.h"
#include "tactus/core/work_folder.h"
#include "tactus/record/replay.h"

namespace tactus {

namespace {

namespace fs = std::filesystem;

std::string ReadAll(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Runs a program in its own group of processes, with its output in files, and ends them all when time is up.
bool RunWithin(double seconds, const std::vector<std::string>& arguments, const fs::path& out, const fs::path& error) {
  std::vector<char*> raw;
  raw.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) raw.push_back(const_cast<char*>(argument.c_str()));
  raw.push_back(nullptr);
  const std::string out_name = out.string(), error_name = error.string();
  const pid_t child = fork();
  Require(child >= 0, "picture", "no process can be started", "room for one more process");
  if (child == 0) {
    setpgid(0, 0);
    const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int to = open(out_name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const int errors = open(error_name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (in < 0 || to < 0 || errors < 0 || dup2(in, 0) < 0 || dup2(to, 1) < 0 || dup2(errors, 2) < 0) _exit(126);
    execv(raw[0], raw.data());
    _exit(127);
  }
  setpgid(child, child);  // whichever of the two comes first
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string LastLine(const std::string& text) {
  std::istringstream lines(text);
  std::string line, last;
  while (std::getline(lines, line)) {
    if (!line.empty()) last = line;
  }
  return last;
}

// The viewer leaves a mark on the page: <html data-replay="ready">, or what went wrong.
std::string FindMark(const std::string& page) {
  const std::string key = "data-replay=\"";
  const std::size_t at = page.find(key);
  if (at == std::string::npos) return "";
  return page.substr(at + key.size(), page.find('"', at + key.size()) - at - key.size());
}

}  // namespace

std::string FindBrowser() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  std::vector<std::string> all;
  for (std::string folder; std::getline(folders, folder, ':');) all.push_back(folder);
  for (const char* name : {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}) {
    for (const std::string& folder : all) {
      const fs::path file = fs::path(folder) / name;
      if (access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file)) return file.string();
    }
  }
  throw InputError("picture", "there is no Chromium on the PATH to draw it",
                   "chromium or google-chrome (apt-get install chromium); a page (--html) needs none");
}

void WriteReplayPng(const ReplayBuilder& replay, const ReplaySettings& view, const PictureSettings& picture,
                    const std::string& path) {
  for (const int side : {picture.width, picture.height}) {
    Require(side >= 64 && side <= 8192, "picture", fmt::format("a side is {} pixels", side), "64 to 8192");
  }
  OutputPlace place(path);
  const std::string browser = picture.browser.empty() ? FindBrowser() : picture.browser;
  const WorkFolder folder("picture");
  ReplaySettings alone = view;
  alone.picture = true;
  const fs::path page = folder.path() / "replay.html", drawn = folder.path() / "replay.png",
                 out = folder.path() / "out.txt", errors = folder.path() / "errors.txt";
  replay.Write(page.string(), alone);
  std::vector<std::string> arguments = {browser,
                                        "--headless",
                                        "--user-data-dir=" + (folder.path() / "profile").string(),
                                        "--use-angle=swiftshader",
                                        "--enable-unsafe-swiftshader",
                                        "--hide-scrollbars",
                                        "--force-device-scale-factor=1",
                                        "--disable-background-networking",
                                        "--disable-component-update",
                                        "--disable-sync",
                                        "--no-first-run",
                                        "--disable-dev-shm-usage",
                                        fmt::format("--window-size={},{}", picture.width, picture.height),
                                        "--dump-dom",
                                        "--screenshot=" + drawn.string()};
  if (geteuid() == 0) arguments.emplace_back("--no-sandbox");  // which Chromium has not for root
  arguments.push_back("file://" + page.string());
  const bool finished = RunWithin(picture.seconds, arguments, out, errors);
  const std::string mark = FindMark(ReadAll(out));
  Require(finished && mark == "ready" && fs::exists(drawn), "picture",
          fmt::format("'{}' could not draw it: {}", browser,
                      !mark.empty() && mark != "ready" ? mark : LastLine(ReadAll(errors))),
          "Chromium or Chrome of 2023 or later, with WebGL");
  std::error_code error;
  fs::copy_file(drawn, place.temporary(), error);
  if (error) place.Fail(error.message());
  place.Commit();
}

}  // namespace tactus
