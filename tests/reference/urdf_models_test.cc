// URDF files of real robots, and broken ones. They are not part of this project: the tests look for them beside it and
// skip where they are not there.
#include <cmath>
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
#include "tactus/geometry/convex_hull.h"
#include "tactus/io/urdf.h"
#include "tests/common/model_files.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// <models>/reference/urdf_<set>__<file>.json and the file.
struct Reference {
  fs::path folder, file;
  json expected;
};

std::vector<Reference> References() {
  std::vector<Reference> references;
  std::error_code error;
  for (const auto& set : fs::directory_iterator(SharedModels() / "urdf", error)) {
    for (const auto& entry : fs::recursive_directory_iterator(set.path())) {
      if (entry.path().extension() != ".urdf") continue;
      const std::string name = "urdf_" + set.path().filename().string() + "__" + entry.path().stem().string() + ".json";
      std::ifstream stream(SharedModels() / "reference" / name);
      references.push_back({set.path(), entry.path(), stream ? json::parse(stream) : json()});
    }
  }
  return references;
}

UrdfSettings Settings(const fs::path& root, MissingMeshes missing) {
  UrdfSettings settings;
  settings.files.roots = {root.string()};
  settings.missing_meshes = missing;
  return settings;
}

// The collection has no collision meshes of these robots.
bool LacksCollisionMeshes(const std::string& set) {
  return set == "g1_unitree" || set == "hebi_x5_arm_gripper" || set == "double_pendulum_erd";
}

class UrdfModels : public testing::Test {
 protected:
  void SetUp() override {
    if (References().empty()) GTEST_SKIP() << "no URDF models at " << SharedModels() / "urdf";
  }
};

Pose PoseOf(const json& rows) {
  Pose X;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) X.R(i, k) = rows[i][k];
    X.p[i] = rows[i][3];
  }
  return X;
}

void ExpectAgrees(const ModelDescription& model, const json& expected) {
  EXPECT_EQ(model.name, expected["robot"]);
  EXPECT_EQ(model.links.size(), expected["nlinks"]);
  EXPECT_EQ(model.links[0].name, expected["roots"][0]);
  int dofs = 0, mimics = 0, welds = 0;
  double mass = 0;
  std::vector<Pose> X_WL;
  std::set<std::string> without_inertial, wrong;
  std::vector<std::string> joints;
  std::map<std::string, const LinkDescription*> child;
  for (const LinkDescription& link : model.links) {
    X_WL.push_back(link.parent < 0 ? link.X_PL : X_WL[static_cast<std::size_t>(link.parent)] * link.X_PL);
    welds += link.weld_name.empty() ? 0 : 1;
    mass += link.inertia ? link.inertia->mass : 0;
    if (!link.inertia) without_inertial.insert(link.name);
    for (const JointDescription& joint : link.joints) {
      dofs += GetJointKind(joint.type).nv;
      mimics += joint.mimic ? 1 : 0;
      joints.push_back(joint.name);
      child[joint.name] = &link;
    }
    ASSERT_TRUE(expected["link_poses_q0"].contains(link.name)) << link.name;
    const Pose X = PoseOf(expected["link_poses_q0"][link.name]);
    EXPECT_LT((X_WL.back().p - X.p).norm(), 1e-9) << link.name;
    EXPECT_LT((X_WL.back().R - X.R).norm(), 1e-9) << link.name;
  }
  EXPECT_EQ(dofs, expected["moving_joint_dof"]);
  EXPECT_EQ(mimics, expected["mimic"]);
  EXPECT_EQ(welds, expected["fixed"]);
  EXPECT_NEAR(mass, expected["total_mass"], 1e-9 * (1 + mass));
  EXPECT_EQ(without_inertial, expected["links_without_inertial"].get<std::set<std::string>>());
  for (const json& entry : expected["nonphysical_inertia"]) {
    const std::string text = "link '" + entry[0].get<std::string>() + "' has an inertial that no body can have";
    EXPECT_THAT(model.warnings, testing::Contains(testing::HasSubstr(text)));
  }
  for (const std::string& link : without_inertial) {
    EXPECT_THAT(model.warnings, testing::Contains(testing::HasSubstr("link '" + link + "' has no <inertial>")));
  }
  for (const json& entry : expected["joints"]) {
    const std::string name = entry["name"];
    ASSERT_TRUE(child.contains(name)) << name;
    const LinkDescription& link = *child[name];
    const JointDescription& joint = link.joints[0];
    EXPECT_EQ(link.name, entry["child"]);
    EXPECT_STREQ(GetJointKind(joint.type).name, entry["type"].get<std::string>().c_str());
    const Vector3 axis = X_WL[static_cast<std::size_t>(&link - model.links.data())].R * joint.axis;
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(axis[i], entry["axis_world"][i], 1e-6) << name;
    if (entry["limit"].is_null()) continue;
    EXPECT_EQ(joint.effort_limit, entry["limit"].value("effort", joint.effort_limit)) << name;
    EXPECT_EQ(joint.velocity_limit, entry["limit"].value("velocity", joint.velocity_limit)) << name;
    if (joint.type == JointType::Continuous || std::isinf(joint.lower)) continue;
    EXPECT_EQ(joint.lower, entry["limit"].value("lower", 0.0)) << name;
    EXPECT_EQ(joint.upper, entry["limit"].value("upper", 0.0)) << name;
  }
}

// Diagonal of M, and gravity's torque, at the zero configuration.
void ExpectDynamicsAgree(const ModelDescription& description, const json& expected) {
  const Model model(description);
  ModelData data(model);
  const VectorX q = model.MakeNeutral();
  VectorX gravity;
  CalcGravityTorque(model, q, &data, &gravity);
  CalcMassMatrix(model, &data);
  for (const json& entry : expected["joints"]) {
    const int index = model.FindJoint(entry["name"].get<std::string>());
    ASSERT_GE(index, 0);
    const int d = model.body(model.joints()[static_cast<std::size_t>(index)].body).v;
    const double M = entry["M_diag_q0"], g = entry["gravity_torque_q0"];
    EXPECT_NEAR(data.mass_entry(model, d, d), M, 1e-9 * (1 + std::abs(M))) << entry["name"];
    EXPECT_NEAR(gravity[d], g, 1e-8 * (1 + std::abs(g))) << entry["name"];
  }
}

TEST_F(UrdfModels, AgreeWithTheReference) {
  for (const Reference& reference : References()) {
    SCOPED_TRACE(reference.file.string());
    ASSERT_FALSE(reference.expected.is_null());
    const bool lacks = LacksCollisionMeshes(reference.folder.filename().string());
    const MissingMeshes missing = lacks ? MissingMeshes::Warn : MissingMeshes::Error;
    ModelDescription model;
    ASSERT_NO_THROW(model = LoadUrdf(reference.file, Settings(reference.folder, missing)));
    ExpectAgrees(model, reference.expected);
    ExpectDynamicsAgree(model, reference.expected);

    UrdfSettings floating = Settings(reference.folder, missing);
    floating.base = BaseType::Floating;
    const ModelDescription free = LoadUrdf(reference.file, floating);
    ASSERT_EQ(free.links[0].joints.size(), 1u);
    EXPECT_EQ(free.links[0].joints[0].type, JointType::Floating);
    EXPECT_EQ(free.links.size(), model.links.size());
  }
}

TEST_F(UrdfModels, MissingCollisionMeshesAreErrors) {
  int refused = 0;
  for (const Reference& reference : References()) {
    if (!LacksCollisionMeshes(reference.folder.filename().string())) continue;
    try {
      LoadUrdf(reference.file, Settings(reference.folder, MissingMeshes::Error));
    } catch (const InputError& error) {
      ++refused;
      EXPECT_THAT(error.what(), testing::HasSubstr("is not there, looked for")) << reference.file;
    }
  }
  EXPECT_GE(refused, 7);
}

TEST_F(UrdfModels, CollisionMeshesHaveHulls) {
  int hulls = 0;
  for (const Reference& reference : References()) {
    const ModelDescription model = LoadUrdf(reference.file, Settings(reference.folder, MissingMeshes::Warn));
    for (const LinkDescription& link : model.links) {
      for (const ShapeInstance& instance : link.shapes) {
        if (!instance.collides || instance.shape.type != ShapeType::Mesh) continue;
        const TriangleMesh& mesh = *instance.shape.mesh;
        const TriangleMesh hull = MakeConvexHull(mesh.vertices, instance.shape.mesh_file);
        EXPECT_GT(CalcVolume(hull), 0) << instance.shape.mesh_file;
        EXPECT_GE(CalcVolume(hull), CalcVolume(mesh) * (1 - 1e-9)) << instance.shape.mesh_file;
        ++hulls;
      }
    }
  }
  EXPECT_GT(hulls, 50);
}

// Every broken file: part of the message of those to be refused, of a warning of those to be taken with one ("" where
// none is asked for).
struct Broken {
  const char* file;
  bool refused;
  const char* message;
};
constexpr Broken kBroken[] = {
    {"ros_urdf/fail_pr2_desc_bracket.urdf", true, ":9: <origin> in <joint name='fl_caster_rotation_joint'>"},
    {"ros_urdf/fail_pr2_desc_double.urdf", true, "another link of that name"},
    {"ros_urdf/fail_pr2_desc_double_joint.urdf", true, "another joint of that name"},
    {"ros_urdf/fail_pr2_desc_loop.urdf", true, "in a circle"},
    {"ros_urdf/fail_pr2_desc_no_filename_in_mesh.urdf", true, "attribute 'filename' is missing"},
    {"ros_urdf/fail_pr2_desc_no_joint2.urdf", true, ":10: not well-formed XML"},
    {"ros_urdf/fail_pr2_desc_parent_itself.urdf", true, "its parent and its child"},
    {"ros_urdf/fail_pr2_desc_two_trees.urdf", true, "there is no link 'base_link'"},
    {"ros_urdf/fail_three_links_one_joint.urdf", true, ":21: not well-formed XML"},
    {"ros_urdf/singularity.urdf", false, ""},
    {"ros_urdf/no_visual.urdf", false, ""},
    {"ros_urdf/one_link.urdf", false, ""},
    {"ros_urdf/two_links_one_joint.urdf", false, ""},
    {"ros_urdf/pr2_desc_no_joint.urdf", false, ""},
    {"ros_urdf/test_robot.urdf", false, "l_finger.dae"},
    {"ros_urdf/pr2_desc.urdf", false, "<gazebo> is left out"},
    {"urdfdom/test_version_wrong_type.urdf", true, "attribute 'version' is 'foo'"},
    {"urdfdom/test_version_unsupported_version.urdf", true, "attribute 'version' is '2'"},
    {"urdfdom/test_version_not_specified.urdf", false, ""},
    {"urdfdom/test_version_one_int.urdf", true, "attribute 'version' is '1'"},
    {"urdfdom/test_version_one_float.urdf", false, ""},
    {"urdfdom/parse_joint_doubles.urdf", true, "<mimic> in <joint name='j1'>"},
    {"urdfdom/parse_link_doubles.urdf", true, "already the child of joint 'j1'"},
    {"urdfdom/parse_color_doubles.urdf", true, "already the child of joint 'j1'"},
    {"sdformat/invalid_force_torque_sensor_massless_child_link.urdf", false, "has no <inertial>"},
    {"sdformat/invalid_force_torque_sensor_lumped_and_reduced.urdf", false, "<gazebo> is left out"},
    {"sdformat/fixed_joint_reduction_collision_visual_empty_root.urdf", false, "has no <inertial>"},
    {"sdformat/urdf_gazebo_extensions.urdf", false, "<gazebo> is left out"},
    {"real/husky_optenv.urdf", true, ":97: <origin> in <joint name='imu_joint'>"},
    {"real/husky.urdf.xacro", true, "expand the file"},
    {"real/panda_arm.urdf.xacro", true, "expand the file"},
    {"real/laikago_zero_inertia.urdf", false, "its rotational inertia is zero"},
    {"real/sphere_small_zeroinertia.urdf", false, "its rotational inertia is zero"},
    {"real/hinge.urdf", false, "taken as a ball joint"},
    {"real/ur3_pointer.urdf", true, "there are no links"},
    {"real/spherical_joint_limit.urdf", false, "taken as a ball joint"},
};

TEST_F(UrdfModels, BrokenFilesAreRefusedOrWarnedOf) {
  const fs::path folder = SharedModels() / "bad" / "urdf";
  std::set<std::string> known;
  for (const Broken& broken : kBroken) {
    SCOPED_TRACE(broken.file);
    known.insert(broken.file);
    std::string error;
    ModelDescription model;
    try {
      model = LoadUrdf(folder / broken.file, Settings(folder, MissingMeshes::Warn));
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
    const std::string ending = entry.path().extension().string();
    if (ending != ".urdf" && ending != ".xacro") continue;
    EXPECT_TRUE(known.contains(fs::relative(entry.path(), folder).string())) << entry.path() << " is not in the table";
  }
}

}  // namespace
}  // namespace tactus
