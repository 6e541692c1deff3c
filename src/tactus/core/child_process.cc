#include "tactus/core/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "tactus/core/timer.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TACTUS_HUGE_ADDRESS_SPACE 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TACTUS_HUGE_ADDRESS_SPACE 1
#endif
#endif

namespace tactus {

namespace {

// Exit code of a child whose body threw: outside the codes that sanitizers use.
constexpr int kBodyThrew = 97;

// Address space the process has mapped already, which a limit must not cut off.
std::size_t MappedBytes() {
  std::size_t pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%zu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void SetLimit(int resource, std::size_t value) {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(value, limit.rlim_max);
  setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
}

// Handlers of the parent (of a test runner, of a sanitizer) have no business in the child: a crash must show as one.
void ResetSignals() {
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGTERM, SIGINT, SIGXCPU, SIGALRM}) {
    signal(number, SIG_DFL);
  }
  signal(SIGPIPE, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// What goes on in a child, once its limits are set: writes to a pipe and returns an exit code.
using ChildBody = std::function<int(int pipe)>;

[[noreturn]] void RunChild(int fd, pid_t parent, const ChildLimits& limits, [[maybe_unused]] std::size_t mapped,
                           const ChildBody& body) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  ResetSignals();
  const int null = open("/dev/null", O_RDWR);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (null >= 0 && standard != fd) dup2(null, standard);
  }
  SetLimit(RLIMIT_CORE, 0);
  SetLimit(RLIMIT_CPU, static_cast<std::size_t>(std::ceil(limits.seconds)) + 1);
#ifndef TACTUS_HUGE_ADDRESS_SPACE
  SetLimit(RLIMIT_AS, mapped + limits.memory);
#endif
  _exit(body(fd));  // no destructors, no atexit: those are the parent's
}

bool WriteAll(int fd, const void* data, std::size_t size) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t count = write(fd, next, std::min(size, std::size_t{1} << 20));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    next += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

// Reads until the child closes the pipe; false with a reason when a limit is hit.
bool Collect(int fd, const ChildLimits& limits, ChildOutcome* outcome) {
  const Timer timer;
  constexpr std::size_t kChunk = std::size_t{1} << 18;
  std::vector<std::uint8_t> chunk(kChunk);
  for (;;) {
    const double left = limits.seconds - timer.seconds();
    if (left <= 0) {
      outcome->failure = "took more than " + std::to_string(std::lround(limits.seconds)) + " s";
      return false;
    }
    pollfd entry{fd, POLLIN, 0};
    const int ready = poll(&entry, 1, static_cast<int>(std::min(left * 1000 + 1, 1e6)));
    if (ready < 0 && errno != EINTR) {
      outcome->failure = std::string("could not be watched: ") + std::strerror(errno);
      return false;
    }
    if (ready <= 0) continue;
    const ssize_t count = read(fd, chunk.data(), chunk.size());
    if (count == 0) return true;
    if (count < 0) {
      if (errno == EINTR) continue;
      outcome->failure = std::string("could not be listened to: ") + std::strerror(errno);
      return false;
    }
    if (outcome->output.size() + static_cast<std::size_t>(count) > limits.output) {
      outcome->failure = "sent more than " + std::to_string(limits.output) + " bytes";
      return false;
    }
    outcome->output.insert(outcome->output.end(), chunk.begin(), chunk.begin() + count);
  }
}

void Judge(int status, ChildOutcome* outcome) {
  if (WIFEXITED(status)) outcome->exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    outcome->failure =
        number == SIGXCPU ? "used too much processor time" : "crashed (signal " + std::to_string(number) + ")";
  } else if (WEXITSTATUS(status) == kBodyThrew) {
    outcome->failure = "failed with an exception (most likely it needed too much memory)";
  } else if (WEXITSTATUS(status) != 0) {
    outcome->failure = "ended with code " + std::to_string(WEXITSTATUS(status));
  } else {
    outcome->ok = true;
  }
}

ChildOutcome Run(const ChildLimits& limits, std::mutex* still, const ChildBody& body) {
  ChildOutcome outcome;
  // Until our copy of the write end is closed no other child may be forked: it would keep the pipe open.
  static std::mutex one_at_a_time;
  std::unique_lock<std::mutex> forking(one_at_a_time);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    outcome.failure = std::string("could not be started: ") + std::strerror(errno);
    return outcome;
  }
  const std::size_t mapped = MappedBytes();
  const pid_t parent = getpid();
  still->lock();
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    RunChild(ends[1], parent, limits, mapped, body);
  }
  const int fork_error = errno;
  still->unlock();
  close(ends[1]);
  forking.unlock();
  if (child < 0) {
    close(ends[0]);
    outcome.failure = std::string("could not be started: ") + std::strerror(fork_error);
    return outcome;
  }
  const bool collected = Collect(ends[0], limits, &outcome);
  close(ends[0]);
  if (!collected) kill(child, SIGKILL);
  int status = 0;
  pid_t waited;
  do {
    waited = waitpid(child, &status, 0);
  } while (waited < 0 && errno == EINTR);
  if (!collected) return outcome;
  if (waited < 0) {
    // The program has asked the kernel not to keep children (SIGCHLD ignored): the receiver must look at the message.
    outcome.ok = true;
  } else {
    Judge(status, &outcome);
  }
  return outcome;
}

}  // namespace

ChildOutcome RunInChild(const ChildLimits& limits, std::mutex* still,
                        const std::function<void(const ChildWriter&)>& body) {
  return Run(limits, still, [&](int fd) {
    try {
      body([fd](const void* data, std::size_t size) { return WriteAll(fd, data, size); });
    } catch (...) {
      return kBodyThrew;
    }
    return 0;
  });
}

ChildOutcome RunProgram(const ChildLimits& limits, const std::string& program,
                        const std::vector<std::string>& arguments) {
  // Made before forking: a child of a program with threads must not allocate.
  std::vector<char*> argv;
  argv.push_back(const_cast<char*>(program.c_str()));
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::mutex nothing;
  return Run(limits, &nothing, [&](int fd) {
    dup2(fd, STDOUT_FILENO);
    dup2(fd, STDERR_FILENO);
    signal(SIGPIPE, SIG_DFL);
    execvp(argv[0], argv.data());
    return kProgramNotFound;
  });
}

}  // namespace tactus
