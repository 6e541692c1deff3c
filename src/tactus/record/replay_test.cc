#include "tactus/record/replay.h"

#include <sys/stat.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tactus/core/error.h"
#include "tactus/core/random.h"
#include "tactus/io/temporary_folder_testing.h"
#include "tactus/record/record_testing.h"
#include "tactus/record/replay_pack.h"

namespace tactus {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

std::string ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::uint8_t> DecodeBase64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> out;
  unsigned word = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t digit = digits.find(c);
    if (digit == std::string::npos) break;
    word = word << 6U | static_cast<unsigned>(digit);
    bits += 6;
    if (bits >= 8) out.push_back(static_cast<std::uint8_t>(word >> static_cast<unsigned>(bits -= 8) & 255U));
  }
  return out;
}

// A page as a browser sees it: texts of its scripts, numbers unpacked.
struct PageContent {
  explicit PageContent(const std::string& path) : text(ReadText(path)) {
    description = json::parse(Between("id=\"tactus-description\">", "</script>"));
    bytes = DecodeBase64(Between("id=\"tactus-numbers\">", "</script>"));
    if (!description["compressed"].get<bool>()) return;
    std::vector<std::uint8_t> inflated(100 << 20U);
    uLongf size = inflated.size();
    EXPECT_EQ(uncompress(inflated.data(), &size, bytes.data(), bytes.size()), Z_OK);
    inflated.resize(size);
    bytes = inflated;
  }

  std::string Between(const std::string& from, const std::string& to) const {
    const std::size_t at = text.find(from) + from.size();
    return text.substr(at, text.find(to, at) - at);
  }

  template <typename T>
  std::vector<T> Array(const std::string& name) const {
    const json& entry = description["arrays"][name];
    const auto count = entry["count"].get<std::size_t>(), offset = entry["offset"].get<std::size_t>(),
               width = entry["width"].get<std::size_t>();
    std::vector<T> out(count);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint8_t raw[sizeof(T)];
      for (std::size_t plane = 0; plane < sizeof(T); ++plane) raw[plane] = bytes[offset + plane * count + i];
      std::memcpy(&out[i], raw, sizeof(T));
      if (entry["differences"].get<bool>() && i >= width) out[i] = static_cast<T>(out[i] + out[i - width]);
      if (!entry.contains("smooth")) continue;
      const auto bits = static_cast<std::uint32_t>(out[i]);
      out[i] = static_cast<T>((bits >> 1U) ^ (0U - (bits & 1U)));
      if (i >= width) out[i] = static_cast<T>(out[i] + out[i - width]);
      if (i >= 2 * width) out[i] = static_cast<T>(out[i] + out[i - width] - out[i - 2 * width]);
    }
    return out;
  }

  std::string text;
  json description;
  std::vector<std::uint8_t> bytes;
};

class Replay : public testing::Test {
 protected:
  Replay() {
    folder_.Write("replay.js", "'the viewer'");
    settings_.viewer = folder_.path();
    path_ = folder_.path() / "run.html";
  }

  std::string Build(const RecordHeader& header, int steps) {
    ReplayBuilder replay(header, settings_);
    for (int step = 0; step < steps; ++step) replay.Append(TestFrame(step).frame);
    replay.Write(path_);
    return path_;
  }

  TemporaryFolder folder_;
  ReplaySettings settings_;
  std::string path_;
};

TEST_F(Replay, HoldsTheRecordedPosesAndContacts) {
  settings_.rate = 1e6;  // every step
  RecordHeader header = MakeTestHeader();
  const PageContent page(Build(header, 50));
  EXPECT_THAT(page.text, HasSubstr("'the viewer'"));
  EXPECT_EQ(page.description["links"], header.links);
  EXPECT_EQ(page.description["shapes"].size(), 3u);
  EXPECT_EQ(page.description["shapes"][2]["type"], "mesh");
  EXPECT_EQ(page.description["title"], "test");
  const auto time = page.Array<double>("time");
  const auto position = page.Array<std::int32_t>("position");
  const auto rotation = page.Array<std::int16_t>("rotation");
  const auto vertices = page.Array<std::int32_t>("vertices");
  const auto stress = page.Array<std::uint8_t>("stress");
  const auto start = page.Array<std::int32_t>("contact_start");
  const auto point = page.Array<std::int32_t>("contact_point");
  const auto force = page.Array<float>("contact_force");
  const auto mode = page.Array<std::uint8_t>("contact_mode");
  const auto friction = page.Array<std::int32_t>("contact_friction");
  const double unit = page.description["units"]["position"], turn = page.description["units"]["rotation"];
  ASSERT_EQ(time.size(), 50u);
  ASSERT_EQ(position.size(), 50u * 2 * 3);
  for (std::size_t step = 0; step < 50; ++step) {
    const TestFrame expected(static_cast<int>(step));
    EXPECT_EQ(time[step], expected.frame.time);
    for (std::size_t link = 0; link < 2; ++link) {
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(position[(2 * step + link) * 3 + k] * unit, expected.poses[7 * link + k], 0.51e-6);
      }
      double dot = 0;  // q and -q are the same
      for (std::size_t k = 0; k < 4; ++k)
        dot += rotation[(2 * step + link) * 4 + k] * turn * expected.poses[7 * link + 3 + k];
      EXPECT_NEAR(std::abs(dot), 1, 1e-4);
    }
    // Vertices, and the rod's ends and middles.
    std::vector<float> points = expected.vertices;
    const auto angle = static_cast<float>(expected.frame.time);
    const float x = 0.125F * std::cos(angle), z = 0.125F * std::sin(angle);
    points.insert(points.end(), {-x, 0, 1 + z, 0, 0, 1, 1, 0, 1, 1 + x, 0, 1 - z});
    ASSERT_EQ(points.size(), 33u);
    for (std::size_t k = 0; k < 33; ++k) {
      EXPECT_NEAR(vertices[33 * step + k] * page.description["units"]["vertices"].get<double>(),
                  static_cast<double>(points[k]), 0.51e-5);
    }
    for (std::size_t k = 0; k < 9; ++k) {
      const double high = page.description["stress"][k < 7 ? "solids" : "rods"]["high"];
      EXPECT_NEAR(stress[9 * step + k], 255 * static_cast<double>(expected.stress[k]) / high, 0.51);
    }
    ASSERT_EQ(static_cast<std::size_t>(start[step + 1] - start[step]), expected.contacts.size());
    for (std::size_t c = 0; c < expected.contacts.size(); ++c) {
      const std::size_t at = static_cast<std::size_t>(start[step]) + c;
      const RecordContact& contact = expected.contacts[c];
      EXPECT_EQ(mode[at], static_cast<std::uint8_t>(contact.mode));
      const json& pair = page.description["frictions"][static_cast<std::size_t>(friction[at])];
      EXPECT_EQ(pair[1].get<double>(), contact.friction[1]);
      for (std::size_t k = 0; k < 3; ++k) {
        const auto i = static_cast<Eigen::Index>(k);
        EXPECT_NEAR(point[3 * at + k] * page.description["units"]["point"].get<double>(), contact.point[i], 0.51e-5);
        const double expected_force = contact.impulse[i] / 0.01;
        EXPECT_NEAR(static_cast<double>(force[3 * at + k]), expected_force, std::abs(expected_force) / 2000);
      }
    }
  }
}

TEST_F(Replay, FramesAreAtMostAtTheRateAndCurvesKeepTheWorst) {
  settings_.rate = 60;  // of 100 steps a second: every second one, and the last
  const PageContent page(Build(MakeTestHeader(), 100));
  EXPECT_EQ(page.description["stride"], 2);
  EXPECT_EQ(page.description["rate"], 50);
  const auto time = page.Array<double>("time");
  ASSERT_EQ(time.size(), 51u);
  EXPECT_EQ(time[0], TestFrame(0).frame.time);
  EXPECT_EQ(time[1], TestFrame(2).frame.time);
  EXPECT_EQ(time[50], TestFrame(99).frame.time);
  const auto contacts = page.Array<std::int32_t>("contacts");
  EXPECT_EQ(contacts[1], std::max((1 * 7) % 5, (2 * 7) % 5));
  const auto unsolved = page.Array<std::int32_t>("unsolved");
  EXPECT_EQ(std::accumulate(unsolved.begin(), unsolved.end(), 0), 50);
}

TEST_F(Replay, LongRunsGetFewerFrames) {
  settings_.rate = 100;
  settings_.max_frames = 16;
  const PageContent page(Build(MakeTestHeader(), 1000));
  EXPECT_LE(page.Array<double>("time").size(), 17u);
  EXPECT_EQ(page.description["stride"], 64);
  EXPECT_EQ(page.Array<double>("time").back(), TestFrame(999).frame.time);
  const auto unsolved = page.Array<std::int32_t>("unsolved");
  EXPECT_EQ(std::accumulate(unsolved.begin(), unsolved.end(), 0), 500);
}

TEST_F(Replay, HostileNamesStayNames) {
  RecordHeader header = MakeTestHeader();
  const std::string name = "</script><script>alert(1)</script><!-- \" ' & \xff";
  header.links[0] = header.shapes[1].name = header.objects[0] = header.deformables[0].name = name;
  settings_.title = name;
  const PageContent page(Build(header, 3));
  EXPECT_THAT(page.text, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page.text, Not(HasSubstr("<!--")));
  EXPECT_THAT(page.text, HasSubstr("<title>&lt;/script&gt;"));
  const std::string kept = page.description["links"][0];
  EXPECT_EQ(kept.substr(0, 40), name.substr(0, 40));
  std::size_t scripts = 0;
  for (std::size_t at = page.text.find("<script"); at != std::string::npos; at = page.text.find("<script", at + 1))
    ++scripts;
  EXPECT_EQ(scripts, 3u);
}

TEST_F(Replay, FarAwayIsCoarserNotWrong) {
  TestFrame far(0);
  far.poses[0] = 3e6;
  far.frame.poses = far.poses;
  ReplayBuilder replay(MakeTestHeader(), settings_);
  replay.Append(far.frame);
  replay.Write(path_);
  const PageContent page(path_);
  const double unit = page.description["units"]["position"];
  EXPECT_DOUBLE_EQ(unit, 0.01);
  EXPECT_NEAR(page.Array<std::int32_t>("position")[0] * unit, 3e6, unit);
}

// Frames of deformables are many numbers: a page that would hold too many gets fewer frames.
TEST_F(Replay, LargeDeformablesGetFewerFrames) {
  settings_.rate = 100;
  settings_.max_deformed = 20 * (33 + 9);
  const PageContent page(Build(MakeTestHeader(), 200));
  EXPECT_EQ(page.description["stride"], 16);
  EXPECT_LE(page.Array<std::uint8_t>("stress").size(), 21u * 9);
  EXPECT_EQ(page.Array<double>("time").back(), TestFrame(199).frame.time);
}

// A picture holds the deformables of its frame only, and the range of stress over the whole run.
TEST_F(Replay, PicturesHoldOneFrameOfDeformables) {
  settings_.rate = 1e6;
  settings_.picture = true;
  settings_.start = TestFrame(20).frame.time;
  const PageContent page(Build(MakeTestHeader(), 50));
  EXPECT_EQ(page.description["deformed_from"], 20);
  const auto vertices = page.Array<std::int32_t>("vertices");
  ASSERT_EQ(vertices.size(), 2u * 33);
  EXPECT_NEAR(vertices[4] * 1e-5, static_cast<double>(TestFrame(20).vertices[4]), 0.51e-5);
  EXPECT_EQ(page.description["stress"]["solids"]["most"], 6049);
  EXPECT_EQ(page.Array<double>("time").size(), 50u);
  EXPECT_EQ(page.Array<float>("stress_most").size(), 50u);
}

// One value in many that is far above all others is beyond the colours.
TEST_F(Replay, PeaksOfStressLeaveTheOthersTheirColours) {
  ReplayBuilder replay(MakeTestHeader(), settings_);
  for (int step = 0; step < 400; ++step) {
    TestFrame frame(step);
    if (step == 100) frame.stress[2] = 1e7F;
    frame.frame.stress = frame.stress;
    replay.Append(frame.frame);
  }
  replay.Write(path_);
  const PageContent page(path_);
  EXPECT_DOUBLE_EQ(page.description["stress"]["solids"]["high"], 6100);
  EXPECT_EQ(page.description["stress"]["solids"]["most"], 1e7);
  EXPECT_DOUBLE_EQ(page.description["stress"]["rods"]["high"], 8100);
}

// Ten seconds of 60 links and 500 contacts a frame that have nothing to do with each other: more than any pile needs.
TEST_F(Replay, StaysSmall) {
  Random random(5);
  RecordHeader header;
  header.time_step = 1.0 / 240;
  header.poses = true;
  header.links.resize(60, "dish");
  header.objects.resize(61, "dish");
  header.stages = {"solve"};
  ReplayBuilder replay(header, settings_);
  std::vector<double> poses(7 * 60);
  std::vector<RecordContact> contacts(500);
  const std::vector<double> stages = {1e-3};
  const auto random3 = [&random] {
    return Vector3(random.Uniform(-1, 1), random.Uniform(-1, 1), random.Uniform(-1, 1));
  };
  for (int step = 0; step < 2400; ++step) {
    for (double& x : poses) x = random.Uniform(-1, 1);
    if (step % 4 == 0) {
      for (RecordContact& contact : contacts) {
        contact = {random.Index(61), random.Index(61), random3(), random3().normalized(), 0, random3()};
        contact.mode = static_cast<ContactMode>(random.Index(3));
      }
    }
    RecordFrame frame;
    frame.time = (step + 1) / 240.0;
    frame.stages = stages;
    frame.poses = poses;
    frame.contacts = contacts;
    replay.Append(frame);
  }
  EXPECT_EQ(replay.num_frames(), 601);
  replay.Write(path_);
  const std::size_t bytes = ReadText(path_).size();
  RecordProperty("bytes", static_cast<int>(bytes));
  EXPECT_LT(bytes, 14000000u);  // the viewer adds 0.6 MB
}

TEST_F(Replay, RecordingsBecomePages) {
  const std::string recorded = folder_.path() / "run.h5";
  {
    Recorder recorder(recorded, MakeTestHeader());
    for (int step = 0; step < 20; ++step) recorder.Append(TestFrame(step).frame);
  }
  Recording recording = LoadRecording(recorded);
  WriteReplayHtml(recording, settings_, path_);
  EXPECT_TRUE(PageContent(path_).description["lacks"].empty());
  // What version 1 lacks is said.
  recording.header.poses = recording.header.modes = false;
  recording.header.shapes.clear();
  recording.header.deformables.clear();
  recording.header.rods.clear();
  recording.poses.resize(recording.steps(), 0);
  WriteReplayHtml(recording, settings_, path_);
  EXPECT_EQ(PageContent(path_).description["lacks"],
            json({"poses of links", "shapes", "friction and modes of contacts"}));
}

TEST_F(Replay, Misuse) {
  const auto error = [this] { return ErrorOf([this] { Build(MakeTestHeader(), 3); }); };
  EXPECT_THAT(ErrorOf([this] { Build(MakeTestHeader(), 0); }), HasSubstr("no steps to show"));
  settings_.rate = 0;
  EXPECT_THAT(error(), HasSubstr("replay rate: is 0"));
  settings_ = {};
  settings_.viewer = folder_.path() / "nowhere";
  EXPECT_THAT(error(), HasSubstr("replay.js' cannot be read or is empty"));
  settings_.viewer = folder_.path();
  settings_.start = 0.1;
  EXPECT_THAT(error(), HasSubstr("0.1 s is not within the run (expected: from 0 to 0.03 s)"));
  settings_.start = 0.03;
  EXPECT_EQ(error(), "");
  settings_.camera.elevation = 90;
  EXPECT_THAT(error(), HasSubstr("elevation is 90"));
  settings_.camera = {};
  settings_.camera.look_at = "leg";
  EXPECT_THAT(error(), HasSubstr("there is no link 'leg' to look at"));
  settings_.camera.look_at = "arm";
  EXPECT_EQ(error(), "");
  path_ = "/nowhere/run.html";
  EXPECT_THAT(error(), HasSubstr("cannot be written"));
  TestFrame bad(0);
  bad.poses[3] = std::nan("");
  bad.frame.poses = bad.poses;
  EXPECT_THAT(ErrorOf([&] { ReplayBuilder(MakeTestHeader(), settings_).Append(bad.frame); }),
              HasSubstr("is not finite"));
  folder_.Write("replay.js", "'</script>'");
  EXPECT_THAT(error(), HasSubstr("would end the page's script"));
}

// Stands for a browser: what it prints and whether it draws is up to the test.
TEST_F(Replay, BrowsersThatCannotDrawAreNoticed) {
  ReplayBuilder replay(MakeTestHeader(), settings_);
  replay.Append(TestFrame(0).frame);
  PictureSettings picture;
  const auto draw = [&](const std::string& script) {
    picture.browser = folder_.Write("browser", "#!/bin/sh\n" + script);
    chmod(picture.browser.c_str(), 0755);
    return ErrorOf([&] { WriteReplayPng(replay, settings_, picture, folder_.path() / "run.png"); });
  };
  EXPECT_THAT(draw("echo 'no display' >&2; exit 1"), HasSubstr("could not draw it: no display"));
  EXPECT_THAT(draw("echo '<html data-replay=\"failed: no WebGL\">'"), HasSubstr("could not draw it: failed: no WebGL"));
  EXPECT_THAT(draw("echo '<html data-replay=\"ready\">'"), HasSubstr("could not draw it"));  // and no picture
  picture.seconds = 0.2;
  EXPECT_THAT(draw("sleep 100"), HasSubstr("could not draw it"));
  picture.seconds = 60;
  EXPECT_EQ(draw("for a in \"$@\"; do case \"$a\" in --screenshot=*) echo png > \"${a#*=}\";; esac; done\n"
                 "echo '<html data-replay=\"ready\">'"),
            "");
  EXPECT_EQ(ReadText(folder_.path() / "run.png"), "png\n");
  picture.width = 1;
  EXPECT_THAT(draw("true"), HasSubstr("a side is 1 pixels"));
}

TEST(ReplayPack, Base64) {
  const auto encode = [](const std::string& text) {
    return EncodeBase64(std::vector<std::uint8_t>(text.begin(), text.end()));
  };
  EXPECT_EQ(encode(""), "");
  EXPECT_EQ(encode("f"), "Zg==");
  EXPECT_EQ(encode("fo"), "Zm8=");
  EXPECT_EQ(encode("foobar"), "Zm9vYmFy");
}

}  // namespace
}  // namespace tactus
