#include "tactus/record/deformable_sampler.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/deformable/fem/fem_body.h"
#include "tactus/deformable/mesh/tet_shapes.h"
#include "tactus/deformable/rods/rod.h"
#include "tactus/io/temporary_folder_testing.h"
#include "tactus/record/recorder.h"
#include "tactus/record/recording.h"

namespace tactus {
namespace {

using testing::HasSubstr;

class DeformableSamplerTest : public testing::Test {
 protected:
  DeformableSamplerTest() {
    RodSettings rod;
    rod.segments = 6;
    rod.length = 0.6;
    rod_ = std::make_shared<Rod>(rod);
    fem_ = std::make_shared<FemBody>(MakeBoxTets(Vector3(0.2, 0.2, 0.2), std::array<int, 3>{4, 4, 4}), FemMaterial{});
    sampler_ = DeformableSampler({{"rope", rod_.get()}, {"block", fem_.get()}});
    sampler_.AddTo(&header_);
    rod_q_ = rod_->initial_q();
    fem_q_ = fem_->initial_q();
  }

  RecordFrame Sample() {
    const std::array<const VectorX*, 2> q = {&rod_q_, &fem_q_};
    sampler_.Sample(q);
    RecordFrame frame;
    sampler_.Fill(&frame);
    return frame;
  }

  std::shared_ptr<Rod> rod_;
  std::shared_ptr<FemBody> fem_;
  DeformableSampler sampler_;
  RecordHeader header_;
  VectorX rod_q_, fem_q_;
};

TEST_F(DeformableSamplerTest, HeaderHasSurfacesAndRods) {
  ASSERT_EQ(header_.deformables.size(), 1u);
  const RecordDeformable& block = header_.deformables[0];
  EXPECT_EQ(block.name, "block");
  EXPECT_EQ(block.vertices, 5 * 5 * 5 - 3 * 3 * 3);
  EXPECT_EQ(block.triangles.size(), 6u * 4 * 4 * 2);
  for (std::size_t t = 0; t < block.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(block.nodes[static_cast<std::size_t>(block.triangles[t][k])], fem_->surface().triangles[t][k]);
    }
  }
  ASSERT_EQ(header_.rods.size(), 1u);
  EXPECT_EQ(header_.rods[0].segments, 6);
  EXPECT_DOUBLE_EQ(header_.rods[0].spacing, 0.1);
  EXPECT_TRUE(header_.stress);
}

// A block that is stretched evenly has the same stress everywhere, E times the strain, however it is turned.
TEST_F(DeformableSamplerTest, EvenStretchHasEvenStress) {
  EXPECT_NEAR(static_cast<double>(Sample().stress[0]), 0, 1e-3);
  const double strain = 1e-3, poisson = fem_->material().poisson;
  const Matrix3 turn(Eigen::AngleAxisd(1, Vector3(1, 2, 3).normalized()));
  const Vector3 scale(1 + strain, 1 - poisson * strain, 1 - poisson * strain);
  for (int node = 0; node < fem_->num_nodes(); ++node) {
    fem_q_.segment<3>(3 * node) = turn * scale.cwiseProduct(fem_->initial_q().segment<3>(3 * node));
  }
  const RecordFrame frame = Sample();
  ASSERT_EQ(frame.stress.size(), 98u + 6u);
  ASSERT_EQ(frame.vertices.size(), 3u * 98);
  for (std::size_t k = 0; k < 98; ++k) {
    EXPECT_NEAR(static_cast<double>(frame.stress[k]), strain * fem_->material().young,
                1e-3 * strain * fem_->material().young);
    const Vector3 place = fem_q_.segment<3>(3 * header_.deformables[0].nodes[k]);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(frame.vertices[3 * k + i], static_cast<float>(place[static_cast<int>(i)]));
  }
}

// One element that is stressed shows at its nodes only, by its share of their volume.
TEST_F(DeformableSamplerTest, StressIsAveragedByVolume) {
  const int corner = header_.deformables[0].nodes[0];
  fem_q_[3 * corner] -= 0.001;
  const RecordFrame frame = Sample();
  VectorX elements;
  fem_->CalcStress(fem_q_, fem_->MakeData().get(), &elements);
  for (std::size_t n = 0; n < 98; ++n) {
    double sum = 0, volume = 0;
    for (std::size_t e = 0; e < fem_->mesh().tets.size(); ++e) {
      const auto& tet = fem_->mesh().tets[e];
      if (std::find(tet.begin(), tet.end(), header_.deformables[0].nodes[n]) == tet.end()) continue;
      sum += CalcTetVolume(fem_->mesh(), e) * elements[static_cast<Eigen::Index>(e)];
      volume += CalcTetVolume(fem_->mesh(), e);
    }
    EXPECT_NEAR(static_cast<double>(frame.stress[n]), sum / volume, 1e-5 * elements.maxCoeff());
  }
  EXPECT_GT(frame.stress[0], 0);
}

TEST_F(DeformableSamplerTest, SegmentsHaveTheLargerOfTheirJoints) {
  rod_q_.segment<3>(7 * 3) += Vector3(0, 0, 0.01);  // the fourth of six
  const RecordFrame frame = Sample();
  VectorX joints;
  rod_->CalcStress(rod_q_, rod_->MakeData().get(), &joints);
  ASSERT_EQ(joints.size(), 5);
  const auto stress = frame.stress.last(6);
  EXPECT_LT(stress[0], 1e-6F);  // rounding
  EXPECT_EQ(stress[2], static_cast<float>(joints[2]));
  EXPECT_EQ(stress[3], static_cast<float>(std::max(joints[2], joints[3])));
  EXPECT_LT(stress[5], 1e-6F);
  ASSERT_EQ(frame.segments.size(), 42u);
  EXPECT_EQ(frame.segments[7 * 3 + 2], 0.01F);
  EXPECT_EQ(frame.segments[7 * 3 + 3], 1.0F);
}

// Finite elements that swing and a rod that turns, into a file and back.
TEST_F(DeformableSamplerTest, RecordsWhatMoves) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "run.h5";
  std::vector<std::vector<float>> expected;
  {
    Recorder recorder(path, header_, {.flush_steps = 7});
    for (int step = 0; step < 30; ++step) {
      fem_q_ = (1 + 0.1 * std::sin(0.2 * step)) * fem_->initial_q();
      rod_q_.segment<3>(0) = Vector3(0, 0, 0.001 * step);
      RecordFrame frame = Sample();
      frame.time = 0.01 * step;
      recorder.Append(frame);
      expected.emplace_back(frame.vertices.begin(), frame.vertices.end());
      expected.back().insert(expected.back().end(), frame.segments.begin(), frame.segments.end());
    }
  }
  const Recording recording = LoadRecording(path);
  ASSERT_EQ(recording.steps(), 30);
  EXPECT_EQ(recording.header.deformables[0].nodes, header_.deformables[0].nodes);
  DeformedReader reader(recording);
  for (int step = 0; step < 30; ++step) {
    const DeformedStep read = reader.Read(step);
    std::vector<float> places(read.vertices.begin(), read.vertices.end());
    places.insert(places.end(), read.segments.begin(), read.segments.end());
    EXPECT_EQ(places, expected[static_cast<std::size_t>(step)]);
  }
}

TEST_F(DeformableSamplerTest, Misuse) {
  EXPECT_THAT(ErrorOf([&] { DeformableSampler({{"nothing", nullptr}}); }), HasSubstr("'nothing': is missing"));
  EXPECT_THAT(ErrorOf([&] { sampler_.Sample({}); }), HasSubstr("0 states are given (expected: 2)"));
  DeformableSampler none;
  RecordHeader header;
  none.AddTo(&header);
  none.Sample({});
  EXPECT_FALSE(header.stress);
}

}  // namespace
}  // namespace tactus
