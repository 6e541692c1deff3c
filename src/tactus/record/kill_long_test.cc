#include <cstdlib>

#include <gtest/gtest.h>

#include "tactus/core/random.h"
#include "tactus/io/temporary_folder_testing.h"
#include "tactus/record/record_testing.h"

namespace tactus {
namespace {

TEST(RecorderLong, SurvivesManyKills) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "killed.h5";
  Random random(12);
  const char* rounds = std::getenv("TACTUS_SOAK");
  for (int round = 0; round < (rounds != nullptr ? std::atoi(rounds) : 500); ++round) {
    SCOPED_TRACE(round);
    int flushed = 0;
    // Mostly short: then the program spends its time in writing the file, which is what has to be interrupted.
    ExpectSurvivesKill(path, 1 + random.Index(10), random.Index(round % 10 == 0 ? 200000 : 20000), &flushed);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace tactus
