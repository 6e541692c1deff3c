// MJCF files of real robots, and broken ones. They are not part of this project: the tests look for them beside it and
// skip where they are not there.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tactus/core/error.h"
#include "tactus/dynamics/inverse_dynamics.h"
#include "tactus/dynamics/mass_matrix.h"
#include "tactus/io/mjcf.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path Models() {
  const char* shared = std::getenv("TACTUS_SHARED");
  return (shared ? fs::path(shared) : fs::path(TACTUS_PROJECT_DIR) / ".." / "shared") / "models";
}

// Files that are refused, with part of the message.
const std::map<std::string, std::string>& Refused() {
  static const std::map<std::string, std::string> refused = {
      // They attach whole models, which would add bodies.
      {"mujoco_models/humanoid/22_humanoids.xml", "<attach>"},
      {"mujoco_models/humanoid/100_humanoids.xml", "<attach>"},
      {"mujoco_models/humanoid/humanoid100.xml", "<attach>"},
  };
  return refused;
}

struct Entry {
  std::string name;  // set/.../file.xml
  fs::path file;
  json expected;  // null if there is no reference
};

std::vector<Entry> Entries() {
  std::vector<Entry> entries;
  std::error_code error;
  for (const auto& set : fs::directory_iterator(Models() / "mjcf", error)) {
    for (const auto& entry : fs::recursive_directory_iterator(set.path())) {
      const fs::path& file = entry.path();
      // Those in common/ are there to be included.
      if (file.extension() != ".xml" || file.parent_path().filename() == "common") continue;
      const std::string reference = "mjcf_" + set.path().filename().string() + "_" + file.stem().string() + ".json";
      std::ifstream stream(Models() / "reference" / reference);
      entries.push_back({fs::relative(file, Models() / "mjcf").string(), file, stream ? json::parse(stream) : json()});
      // Two folders of one set may have files of one name; the reference is of the one in replicate/.
      if (entries.back().name == "mujoco_models/humanoid/scene.xml") entries.back().expected = json();
    }
  }
  return entries;
}

MjcfSettings Settings(MissingMeshes missing) {
  MjcfSettings settings;
  settings.missing_meshes = missing;
  return settings;
}

class MjcfModels : public testing::Test {
 protected:
  void SetUp() override {
    if (Entries().empty()) GTEST_SKIP() << "no MJCF models at " << (Models() / "mjcf").lexically_normal();
  }
};

Vector3 VectorOf(const json& n) { return {n[0].get<double>(), n[1].get<double>(), n[2].get<double>()}; }

Matrix3 RotationOf(const json& q) {
  return Quaternion(q[0].get<double>(), q[1].get<double>(), q[2].get<double>(), q[3].get<double>())
      .normalized()
      .matrix();
}

// The reference has rounded more than its digits say where it computed with meshes, whose vertices it keeps in single
// precision, and where it made principal axes out of `fullinertia` by an iteration that stops early.
double Tolerance(const std::string& name) {
  for (const char* set : {"wonik_allegro", "robotiq_2f85", "franka_emika_panda", "car/", "cards/"}) {
    if (name.find(set) != std::string::npos) return 2e-6;
  }
  return 1e-9;
}

void ExpectVector(const ConstVectorRef& actual, const json& expected, double tolerance, const std::string& what) {
  ASSERT_EQ(actual.size(), static_cast<int>(expected.size())) << what;
  double scale = 1;
  for (const json& x : expected) scale = std::max(scale, std::abs(x.get<double>()));
  for (int i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[static_cast<std::size_t>(i)].get<double>(), tolerance * scale) << what << " " << i;
  }
}

void ExpectBodiesAgree(const Model& model, const ModelData& data, const json& bodies, double tolerance) {
  ASSERT_EQ(model.links().size() + 1, bodies.size());
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    const json& body = bodies[i];
    const LinkDescription& link = model.description().links[i - 1];
    SCOPED_TRACE(link.name);
    if (!body["name"].get<std::string>().empty()) {
      EXPECT_EQ(link.name, body["name"]);
    }
    EXPECT_EQ(link.parent + 1, body["parent"]);
    const Pose X = data.LinkPose(model, static_cast<int>(i - 1));
    EXPECT_LT((X.p - VectorOf(body["xpos"])).norm(), 1e-9 * (1 + X.p.norm()));
    EXPECT_LT((X.R - RotationOf(body["xquat"])).norm(), 1e-9);
    const LinkInertia inertia = link.inertia.value_or(LinkInertia());
    const double mass = body["mass"];
    EXPECT_NEAR(inertia.mass, mass, tolerance * (1 + mass));
    if (mass == 0) continue;
    EXPECT_LT((inertia.com - VectorOf(body["ipos"])).norm(), tolerance * (1 + inertia.com.norm()));
    const Matrix3 R = RotationOf(body["iquat"]);
    const Matrix3 central = R * VectorOf(body["inertia_diag"]).asDiagonal() * R.transpose();
    EXPECT_LT((inertia.central - central).norm(), tolerance * std::max(1e-3, central.norm()));
  }
}

void ExpectJointsAgree(const Model& model, const json& joints) {
  ASSERT_EQ(model.joints().size(), joints.size());
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const json& expected = joints[i];
    const ModelJoint& joint = model.joints()[i];
    const JointDescription& d = joint.description;
    SCOPED_TRACE(d.name);
    EXPECT_EQ(d.name, expected["name"]);
    EXPECT_EQ(joint.link + 1, expected["body"]);
    const std::set<JointType> types[] = {
        {JointType::Floating}, {JointType::Ball}, {JointType::Prismatic}, {JointType::Revolute, JointType::Continuous}};
    EXPECT_TRUE(types[expected["type"].get<int>()].contains(d.type));
    const bool limited = expected["limited"] == 1 && d.type != JointType::Ball;
    EXPECT_EQ(std::isfinite(d.lower), limited);
    if (limited) {
      EXPECT_NEAR(d.lower, expected["range"][0].get<double>(), 1e-8);  // printed with fewer digits than the rest
      EXPECT_NEAR(d.upper, expected["range"][1].get<double>(), 1e-8);
    }
    for (const auto& [name, value] : {std::pair("damping", d.damping), std::pair("armature", d.armature),
                                      std::pair("frictionloss", d.dry_friction), std::pair("stiffness", d.stiffness)}) {
      EXPECT_NEAR(value, expected[name].get<double>(), 1e-9 * (1 + value)) << name;
    }
  }
}

void ExpectAgrees(const ModelDescription& description, const json& expected, double tolerance) {
  const Model model(description);
  EXPECT_EQ(model.nq(), expected["nq"]);
  EXPECT_EQ(model.nv(), expected["nv"]);
  EXPECT_NEAR(model.total_mass(), expected["total_mass"].get<double>(), tolerance * (1 + model.total_mass()));
  EXPECT_LT((model.gravity() - VectorOf(expected["gravity"])).norm(), 1e-12);
  const VectorX q = model.MakeInitial();
  ASSERT_EQ(expected["qpos0"].size(), static_cast<std::size_t>(model.nq()));
  VectorX qpos0(model.nq()), difference;
  for (int i = 0; i < model.nq(); ++i) qpos0[i] = expected["qpos0"][static_cast<std::size_t>(i)].get<double>();
  model.Difference(q, qpos0, &difference);  // quaternions may be the other way round
  if (model.nv() > 0) {
    EXPECT_LT(difference.lpNorm<Eigen::Infinity>(), 1e-9) << "qpos0";
  }
  ModelData data(model);
  VectorX bias;
  CalcGravityTorque(model, q, &data, &bias);
  CalcMassMatrix(model, &data);
  VectorX diagonal(model.nv());
  for (int d = 0; d < model.nv(); ++d) diagonal[d] = data.mass_entry(model, d, d);
  ExpectVector(diagonal, expected["diag_M_qpos0_incl_armature"], tolerance, "diagonal of M");
  ExpectVector(bias, expected["qfrc_bias_qpos0"], tolerance, "bias");
  ExpectBodiesAgree(model, data, expected["bodies"], tolerance);
  ExpectJointsAgree(model, expected["joints"]);
}

TEST_F(MjcfModels, AgreeWithTheReference) {
  int compared = 0;
  for (const Entry& entry : Entries()) {
    SCOPED_TRACE(entry.name);
    ModelDescription model;
    std::string error;
    try {
      model = LoadMjcf(entry.file, Settings(MissingMeshes::Warn));
    } catch (const InputError& caught) {
      error = caught.what();
    }
    const auto refused = Refused().find(entry.name);
    if (refused != Refused().end()) {
      EXPECT_THAT(error, testing::HasSubstr(refused->second));
      continue;
    }
    ASSERT_EQ(error, "");
    if (entry.expected.is_null()) continue;
    ++compared;
    ExpectAgrees(model, entry.expected, Tolerance(entry.name));
    // Muscles and actuators on spatial tendons or slider-cranks are left out, and said to be.
    const std::size_t actuators = entry.expected["nu"];
    EXPECT_LE(model.actuators.size(), actuators);
    if (model.actuators.size() < actuators) {
      EXPECT_THAT(model.warnings, testing::Contains(testing::AnyOf(testing::HasSubstr("<muscle>"),
                                                                   testing::HasSubstr("an actuator on"))));
    }
  }
  EXPECT_GE(compared, 46);
}

// Every broken file: part of the message of those to be refused, of a warning of those to be taken with one ("" where
// none is asked for).
struct Broken {
  const char* file;
  bool refused;
  const char* message;
};
constexpr Broken kBroken[] = {
    {"mujoco_tests/reader_UniqueElementTest.xml", true, ":4: <flag>: a second one"},
    {"mujoco_tests/reader_InvalidNUserBody.xml", true, ":2: <size>: attribute 'nuser_body'"},
    {"mujoco_tests/reader_InvalidNUserJoint.xml", true, ":2: <size>: attribute 'nuser_jnt'"},
    {"mujoco_tests/reader_InvalidNUserGeom.xml", true, ":2: <size>: attribute 'nuser_geom'"},
    {"mujoco_tests/reader_InvalidNUserSite.xml", true, ":2: <size>: attribute 'nuser_site'"},
    {"mujoco_tests/reader_InvalidNUserTendon.xml", true, ":2: <size>: attribute 'nuser_tendon'"},
    {"mujoco_tests/reader_InvalidNUserActuator.xml", true, ":2: <size>: attribute 'nuser_actuator'"},
    {"mujoco_tests/reader_InvalidNUserSensor.xml", true, ":2: <size>: attribute 'nuser_sensor'"},
    {"mujoco_tests/reader_InvalidArrayElement.xml", true, ":4: <geom>: attribute 'axisangle' is '1.0 0.0 0.0 [[1]]'"},
    {"mujoco_tests/reader_InvalidArrayLength.xml", true, ":4: <geom>: attribute 'axisangle' is '1 0 0 0 1'"},
    {"mujoco_tests/reader_InvalidQuaternion.xml", true, "a quaternion that is not zero"},
    {"mujoco_tests/reader_InvalidNumber.xml", true, ":4: <geom>: attribute 'axisangle' is '1 0.1.2.3'"},
    {"mujoco_tests/reader_InvalidNumberRange.xml", true, ":3: <mesh name='mesh'>: attribute 'face'"},
    {"mujoco_tests/reader_InvalidNumberOfAttributes.xml", true, ":5: <geom name='ellipsoid'>: attribute 'size'"},
    {"mujoco_tests/reader_RepeatedDefaultName.xml", true, "another class of that name"},
    {"mujoco_tests/reader_InvalidDefaultClassName.xml", true, ":9: <geom>: attribute 'class' is 'invalid'"},
    {"mujoco_tests/reader_InvalidTopDefaultClassName.xml", true, "for the topmost class"},
    {"mujoco_tests/reader_IncludeChildTest.xml", true, ":4: <include>: there are elements in it"},
    {"mujoco_tests/reader_DuplicateFrameName.xml", true, "another frame of the name 'frame1'"},
    {"mujoco_tests/reader_InvalidInertialOrientation.xml", true, "'fullinertia' and 'quat' are both there"},
    {"mujoco_tests/reader_HasDataBadSize.xml", true, "nrow times ncol"},
    {"mujoco_tests/reader_InvalidActlimited.xml", true, ":9: <motor>: unknown attribute 'actlimited'"},
    {"mujoco_tests/reader_IncompleteActlimited.xml", true, "attribute 'actrange' is '-1'"},
    {"mujoco_tests/reader_DamperRequiresPositiveDamping.xml", true, "attribute 'kv' is '-1'"},
    {"mujoco_tests/reader_DamperRequiresControlRange.xml", true, "attribute 'ctrlrange' is missing"},
    {"mujoco_tests/reader_DamperPositiveControlRange.xml", true, "attribute 'ctrlrange' is '-1 0'"},
    {"mujoco_tests/reader_RequirePositiveKv.xml", true, "attribute 'kv' is '-2'"},
    {"mujoco_tests/reader_ErrorBadAdhesionDefaults.xml", true, "attribute 'ctrlrange' is '-1 0'"},
    {"mujoco_tests/reader_MusclesSmoothdynNegative.xml", true, "attribute 'tausmooth' is '-0.4'"},
    {"mujoco_tests/model_RepeatedNames.xml", true, "another geom of the name 'geom1'"},
    {"mujoco_tests/model_NestedZeroMassBodiesFail.xml", true, ":5: <body name='bad'>: it has a free joint"},
    {"mujoco_tests/objects_BadSize.xml", true, "attribute 'qpos' has 1 numbers (expected: 0 numbers)"},
    {"mujoco_tests/objects_BadObjName.xml", true, "<framepos name='tom'>: there is no site 'alessio'"},
    {"mujoco_tests/objects_BadObjRefName.xml", true, "<framepos name='tom'>: there is no site 'alessio'"},
    {"mujoco_tests/objects_NanSize.xml", true, ":4: <geom>: attribute 'size' is '1 1 nan'"},
    {"mujoco_tests/objects_ErrorIfTargetMissingRange.xml", true, "what it acts on has no range"},
    {"mujoco_tests/objects_ActRangeBad.xml", true, "attribute 'actrange' is 1 -1"},
    {"mujoco_tests/objects_ActRangeUndefined.xml", true, "attribute 'actrange' is 0 0"},
    {"mujoco_tests/objects_ActRangeNoDyntype.xml", true, "the actuator has no activation"},
    {"mujoco_tests/objects_ErrorIfLimitedMissingOnJoint.xml", true, ":5: <joint>: attribute 'range' is there"},
    {"mujoco_tests/objects_ErrorIfLimitedMissingOnTendon.xml", true, ":12: <spatial>: attribute 'range' is there"},
    {"mujoco_tests/objects_ErrorIfForceLimitedMissingOnActuator.xml", true, "'forcelimited' is not"},
    // Spatial tendons are left out, whatever is wrong with them beyond their limits.
    {"mujoco_tests/objects_SiteBetweenPulleyNotAllowed.xml", false, "<spatial> is left out"},
    {"mujoco_tests/objects_ActuatorForceRangeNotAllowed.xml", false, "<spatial> is left out"},
    {"mujoco_tests/objects_InvalidRange.xml", true, "attribute 'springlength' is '1 0'"},
    {"mujoco_tests/objects_Inertial_1.xml", true, "'fullinertia' and 'diaginertia' are both there"},
    {"mujoco_tests/objects_Inertial_2.xml", true, "'fullinertia' and 'euler' are both there"},
    {"mujoco_tests/mesh_FlippedFaceFailsExactInertia.xml", true, "inconsistent orientation"},
    {"mujoco_tests/mesh_AreaTooSmall.xml", true, "mesh surface area is too small"},
    {"mujoco_tests/mesh_VolumeTooSmall.xml", true, "mesh volume is too small"},
    {"mujoco_tests/mesh_VisualVolumeTooSmall.xml", true, "mesh volume is too small"},
    {"mujoco_tests/mesh_NaNConvexHullDisallowed.xml", true, ":3: "},
    {"mujoco_tests/mesh_InvalidIndexInFace.xml", true, "in face 0, vertex 6 does not exist"},
    {"mujoco_tests/mesh_ColocatedMeshError.xml", true, ":3: <mesh name='example_mesh'>: "},
    {"mujoco_tests/mesh_CollinearMeshError.xml", true, ":3: <mesh name='example_mesh'>: "},
    {"mujoco_tests/mesh_CoplanarMeshError.xml", true, ":3: <mesh name='flat_quad'>: "},
    {"mujoco_testdata/malformed_duplicated.xml", true, "another mesh of the name 'cube'"},
    {"mujoco_testdata/malformed_face.xml", false, "inconsistent orientation"},
    {"mujoco_testdata/duplicate.xml", false, ""},
    {"mujoco_testdata/duplicate_vertices.xml", false, ""},
    {"mujoco_testdata/parent_error.xml", true, ":10: <attach>"},
    {"mujoco_testdata/parent_merge_unmergable.xml", true, ":10: <attach>"},
    {"mujoco_testdata/child_mergable.xml", false, "flag 'damper' is left out"},
    {"mujoco_testdata/child_unmergable.xml", false, "flag 'constraint' is left out"},
    {"contact_hard/boxbox_bad0.xml", false, "attribute 'gap' of <geom>"},
    {"contact_hard/boxbox_bad1.xml", false, ""},
    {"contact_hard/boxbox_duplicate.xml", false, ""},
};

TEST_F(MjcfModels, BrokenFilesAreRefusedOrWarnedOf) {
  const fs::path folder = Models() / "bad" / "mjcf";
  std::set<std::string> known;
  for (const Broken& broken : kBroken) {
    SCOPED_TRACE(broken.file);
    known.insert(broken.file);
    std::string error;
    ModelDescription model;
    try {
      model = LoadMjcf(folder / broken.file, Settings(MissingMeshes::Error));
      const Model compiled(model);
    } catch (const InputError& caught) {
      error = caught.what();
    }
    EXPECT_EQ(!error.empty(), broken.refused) << error;
    if (broken.refused) {
      EXPECT_THAT(error, testing::AllOf(testing::HasSubstr(broken.message), testing::HasSubstr("(expected: ")));
    } else if (*broken.message != '\0') {
      EXPECT_THAT(model.warnings, testing::Contains(testing::HasSubstr(broken.message)));
    }
  }
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".xml") continue;
    EXPECT_TRUE(known.contains(fs::relative(entry.path(), folder).string())) << entry.path() << " is not in the table";
  }
}

}  // namespace
}  // namespace tactus
