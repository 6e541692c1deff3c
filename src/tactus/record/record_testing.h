// Frames that can be told from their number alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/record/recorder.h"
#include "tactus/record/recording.h"

namespace tactus {

inline RecordHeader MakeTestHeader() {
  RecordHeader header;
  header.nq = 4;
  header.nv = 3;
  header.time_step = 0.01;
  header.q_names = {"x", "y,z", "qw \"real\"", "qx"};
  header.v_names = {"vx", "vy", "w"};
  header.links = {"base", "arm"};
  header.joints = {"shoulder"};
  header.objects = {"ground", "foot", "box"};
  header.stages = {"collision", "solve"};
  header.statuses = {"Ok", "Inaccurate"};
  header.solver = "hybrid";
  header.scene = "name: test\n";
  header.version = "0.1.0";
  header.settings = {{"theta", "0.5"}, {"tolerance", "1e-08"}};
  header.poses = true;
  TriangleMesh tetrahedron;
  tetrahedron.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0.5}};
  tetrahedron.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  header.meshes = {tetrahedron};
  RecordShape ground;
  ground.name = "ground";
  ground.kind = RecordKind::Fixed;
  ground.type = ShapeType::HalfSpace;
  RecordShape box;
  box.name = "box";
  box.link = 0;
  box.group = 1;
  box.type = ShapeType::Box;
  box.size = Vector3(0.5, 0.25, 2);
  box.X_LS = Pose(Matrix3(Eigen::AngleAxisd(0.5, Vector3::UnitX())), Vector3(1, 2, 3));
  RecordShape wedge = box;
  wedge.name = "wedge";
  wedge.link = 1;
  wedge.kind = RecordKind::Robot;
  wedge.type = ShapeType::Field;
  wedge.mesh = 0;
  wedge.collides = false;
  header.shapes = {ground, box, wedge};
  header.deformables = {{"cloth", 3, {{0, 1, 2}}, {}}, {"rag", 4, {{0, 1, 2}, {1, 2, 3}}, {2, 3, 5, 7}}};
  header.rods = {{"rope", 2, 0.5, 0.25}};
  header.stress = true;
  return header;
}

/// The frame of one step, with the memory it refers to.
struct TestFrame {
  explicit TestFrame(int step) {
    const double t = 0.01 * (step + 1);
    for (int k = 0; k < 4; ++k) q.push_back(std::sin(t + k));
    for (int k = 0; k < 3; ++k) v.push_back(std::cos(t - k));
    stages = {1e-6 * step, 2e-6 * step};
    for (int k = 0; k < (step * 7) % 5; ++k) {
      RecordContact contact;
      contact.object_a = k % 3;
      contact.object_b = (step + k) % 3;
      contact.point = Vector3(t, k, -t);
      contact.normal = Vector3(0, 0, 1);
      contact.gap = -1e-5 * k;
      contact.impulse = Vector3(step, 0.5 * k, 3);
      contact.friction = Vector2(0.5, 0.25 * k);
      contact.tangent = Vector3::Unit(k % 2);
      contact.mode = static_cast<ContactMode>(k % 3);
      contacts.push_back(contact);
    }
    // Two links, in single precision: one moves along x, the other turns about z.
    poses = {0.125 * step, 0, 1, 1, 0, 0, 0, 0, 0, 0, std::cos(0.5 * t), 0, 0, std::sin(0.5 * t)};
    for (double& x : poses) x = static_cast<double>(static_cast<float>(x));
    for (int k = 0; k < 3 * 7; ++k) vertices.push_back(static_cast<float>(0.25 * std::sin(k + t)));
    for (int k = 0; k < 2; ++k) {
      const float turn = 0.5F * static_cast<float>(t);
      segments.insert(segments.end(), {static_cast<float>(k), 0, 1, std::cos(turn), 0, std::sin(turn), 0});
    }
    for (int k = 0; k < 7 + 2; ++k) stress.push_back(static_cast<float>(1000 * k + step % 64));
    frame = {t, q, v, step % 2, step % 11, 1e-9 * step, stages, contacts, poses, vertices, segments, stress};
  }
  TestFrame(const TestFrame&) = delete;
  TestFrame& operator=(const TestFrame&) = delete;

  std::vector<double> q, v, stages, poses;
  std::vector<float> vertices, segments, stress;
  std::vector<RecordContact> contacts;
  RecordFrame frame;
};

/// All steps of the recording are as TestFrame has them.
inline void ExpectTestFrames(const Recording& recording) {
  DeformedReader deformed(recording);
  for (int step = 0; step < recording.steps(); ++step) {
    const TestFrame expected(step);
    const RecordFrame& frame = expected.frame;
    const auto s = static_cast<std::size_t>(step);
    ASSERT_EQ(recording.time[s], frame.time);
    for (int k = 0; k < 4; ++k) ASSERT_EQ(recording.q(step, k), expected.q[static_cast<std::size_t>(k)]);
    for (int k = 0; k < 3; ++k) ASSERT_EQ(recording.v(step, k), expected.v[static_cast<std::size_t>(k)]);
    for (int k = 0; k < 2; ++k) ASSERT_EQ(recording.stages(step, k), expected.stages[static_cast<std::size_t>(k)]);
    ASSERT_EQ(recording.status[s], frame.status);
    ASSERT_EQ(recording.iterations[s], frame.iterations);
    ASSERT_EQ(recording.residual[s], frame.residual);
    const auto contacts = recording.StepContacts(step);
    ASSERT_EQ(contacts.size(), expected.contacts.size());
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      ASSERT_EQ(contacts[k].object_a, expected.contacts[k].object_a);
      ASSERT_EQ(contacts[k].object_b, expected.contacts[k].object_b);
      ASSERT_EQ(contacts[k].point, expected.contacts[k].point);
      ASSERT_EQ(contacts[k].normal, expected.contacts[k].normal);
      ASSERT_EQ(contacts[k].gap, expected.contacts[k].gap);
      ASSERT_EQ(contacts[k].impulse, expected.contacts[k].impulse);
      ASSERT_EQ(contacts[k].friction, expected.contacts[k].friction);
      ASSERT_EQ(contacts[k].tangent, expected.contacts[k].tangent);
      ASSERT_EQ(contacts[k].mode, expected.contacts[k].mode);
    }
    for (int k = 0; k < 14; ++k) ASSERT_EQ(recording.poses(step, k), expected.poses[static_cast<std::size_t>(k)]);
    const DeformedStep bodies = deformed.Read(step);
    ASSERT_TRUE(std::equal(bodies.vertices.begin(), bodies.vertices.end(), expected.vertices.begin()));
    ASSERT_TRUE(std::equal(bodies.segments.begin(), bodies.segments.end(), expected.segments.begin()));
    ASSERT_EQ(bodies.stress.size(), expected.stress.size());
    ASSERT_TRUE(std::equal(bodies.stress.begin(), bodies.stress.end(), expected.stress.begin()));
  }
}

/// Records in a child that is killed after `microseconds`; the file must hold all that it had flushed.
void ExpectSurvivesKill(const std::string& path, int flush_steps, int microseconds, int* flushed);

}  // namespace tactus
