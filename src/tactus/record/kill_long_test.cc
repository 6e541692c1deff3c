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
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    int flushed = 0;
    ExpectSurvivesKill(path, 1 + random.Index(100), random.Index(200000), &flushed);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace tactus
