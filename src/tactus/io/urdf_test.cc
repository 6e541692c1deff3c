#include "tactus/io/urdf.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/io/temporary_folder_testing.h"

namespace tactus {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string Robot(const std::string& content) { return "<robot name=\"r\">\n" + content + "\n</robot>"; }

ModelDescription Parse(const std::string& content, const UrdfSettings& settings = {}) {
  return ParseUrdf(Robot(content), "f.urdf", settings);
}

std::string ParseError(const std::string& content) {
  return ErrorOf([&] { Parse(content); });
}

// Two links and a joint of `type` with these elements.
std::string WithJoint(const std::string& type, const std::string& elements) {
  return "<link name='a'/><link name='b'/>\n<joint name='j' type='" + type + "'><parent link='a'/><child link='b'/>\n" +
         elements + "</joint>";
}

TEST(Urdf, ReadsJoints) {
  const auto joint = [](const std::string& type, const std::string& elements) {
    return Parse(WithJoint(type, elements)).links[1].joints.at(0);
  };
  const JointDescription revolute = joint(
      "revolute",
      "<axis xyz='0 0 2'/><limit lower='-1' upper='2' effort='3' velocity='4'/><dynamics damping='5' friction='6'/>");
  EXPECT_EQ(revolute.name, "j");
  EXPECT_EQ(revolute.type, JointType::Revolute);
  EXPECT_EQ(revolute.axis, Vector3::UnitZ());
  EXPECT_EQ(revolute.lower, -1);
  EXPECT_EQ(revolute.upper, 2);
  EXPECT_EQ(revolute.effort_limit, 3);
  EXPECT_EQ(revolute.velocity_limit, 4);
  EXPECT_EQ(revolute.damping, 5);
  EXPECT_EQ(revolute.dry_friction, 6);
  const JointDescription continuous = joint("continuous", "<limit lower='-1' upper='1' effort='3' velocity='4'/>");
  EXPECT_EQ(continuous.type, JointType::Continuous);
  EXPECT_EQ(continuous.axis, Vector3::UnitX());
  EXPECT_EQ(continuous.lower, -kInfinity);
  EXPECT_EQ(continuous.effort_limit, 3);
  EXPECT_EQ(joint("prismatic", "").type, JointType::Prismatic);
  EXPECT_EQ(joint("floating", "").type, JointType::Floating);
  EXPECT_EQ(joint("planar", "<axis xyz='0 1 0'/>").axis, Vector3::UnitY());
  EXPECT_EQ(joint("spherical", "").type, JointType::Ball);
}

TEST(Urdf, ReadsOriginsInFixedAxes) {
  const ModelDescription model = Parse(WithJoint("fixed", "<origin xyz='1 2 3' rpy='.1 .2 .3'/>"));
  const LinkDescription& link = model.links[1];
  EXPECT_TRUE(link.joints.empty());
  EXPECT_EQ(link.weld_name, "j");
  EXPECT_EQ(link.X_PL.p, Vector3(1, 2, 3));
  const auto about = [](double angle, const Vector3& axis) { return Eigen::AngleAxisd(angle, axis).matrix(); };
  const Matrix3 R = about(.3, Vector3::UnitZ()) * about(.2, Vector3::UnitY()) * about(.1, Vector3::UnitX());
  EXPECT_LT((link.X_PL.R - R).norm(), 1e-15);
  // Pitch at its singularity.
  const Matrix3 S = Parse(WithJoint("fixed", "<origin rpy='0 1.5707963267948966 0'/>")).links[1].X_PL.R;
  EXPECT_LT((S * Vector3::UnitX() + Vector3::UnitZ()).norm(), 1e-15);
  const Matrix3 Q = Parse(WithJoint("fixed", "<origin quat_xyzw='0 0 0.6 0.8'/>")).links[1].X_PL.R;
  EXPECT_LT((Q - Quaternion(0.8, 0, 0, 0.6).matrix()).norm(), 1e-15);
}

TEST(Urdf, ReadsInertiasInTheLinksFrame) {
  const ModelDescription model = Parse(R"(<link name='a'><inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/>
      <mass value='2'/><inertia ixx='1' iyy='2' izz='2.5' ixy='0.1' ixz='0.2' iyz='0.3'/></inertial></link>)");
  ASSERT_TRUE(model.links[0].inertia.has_value());
  const LinkInertia& inertia = *model.links[0].inertia;
  EXPECT_EQ(inertia.mass, 2);
  EXPECT_EQ(inertia.com, Vector3(1, 2, 3));
  Matrix3 expected;
  expected << 2, -0.1, -0.3, -0.1, 1, 0.2, -0.3, 0.2, 2.5;
  EXPECT_LT((inertia.central - expected).norm(), 1e-12);
  EXPECT_TRUE(model.warnings.empty());
}

TEST(Urdf, WarnsOfInertiasAndInventsNone) {
  const auto inertial = [](const std::string& content) { return Parse("<link name='a'>" + content + "</link>"); };
  const ModelDescription none = inertial("");
  EXPECT_FALSE(none.links[0].inertia.has_value());
  EXPECT_THAT(none.warnings, Contains(AllOf(HasSubstr("f.urdf:2: "), HasSubstr("link 'a' has no <inertial>"))));
  const ModelDescription point = inertial("<inertial><mass value='3'/></inertial>");
  EXPECT_EQ(point.links[0].inertia->mass, 3);
  EXPECT_EQ(point.links[0].inertia->central, Matrix3::Zero());
  EXPECT_THAT(point.warnings, Contains(HasSubstr("rotational inertia is zero")));
  EXPECT_THAT(inertial("<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='3'/></inertial>").warnings,
              Contains(HasSubstr("triangle inequality: principal values 1, 1, 3")));
  EXPECT_THAT(inertial("<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='2'/></inertial>").warnings,
              Contains(HasSubstr("not positive definite")));
  EXPECT_THAT(ParseError("<link name='a'><inertial><mass value='-1'/></inertial></link>"),
              HasSubstr("f.urdf:2: <mass> in <link name='a'>: attribute 'value' is '-1' (expected: a mass >= 0)"));
}

TEST(Urdf, ReadsShapes) {
  const ModelDescription model = Parse(R"(<link name='a'>
    <collision name='c'><origin xyz='1 0 0'/><geometry><box size='2 4 6'/></geometry></collision>
    <collision><geometry><sphere radius='2'/></geometry></collision>
    <collision><geometry><cylinder radius='1' length='3'/></geometry></collision>
    <collision><geometry><capsule radius='1' length='3'/></geometry></collision>
    <visual><geometry><sphere radius='0'/></geometry></visual></link>)");
  const std::vector<ShapeInstance>& shapes = model.links[0].shapes;
  ASSERT_EQ(shapes.size(), 5u);
  EXPECT_EQ(shapes[0].name, "c");
  EXPECT_EQ(shapes[0].X_LS.p, Vector3::UnitX());
  EXPECT_EQ(shapes[0].shape.type, ShapeType::Box);
  EXPECT_EQ(shapes[0].shape.size, Vector3(1, 2, 3));
  EXPECT_EQ(shapes[1].name, "a/collision1");
  EXPECT_EQ(shapes[1].shape.type, ShapeType::Sphere);
  EXPECT_EQ(shapes[2].shape.type, ShapeType::Cylinder);
  EXPECT_EQ(shapes[3].shape.type, ShapeType::Capsule);
  EXPECT_EQ(shapes[3].shape.size, Vector3(1, 1.5, 0));
  EXPECT_TRUE(shapes[3].collides);
  EXPECT_FALSE(shapes[4].collides);
}

TEST(Urdf, ReadsMeshesAndTreatsMissingOnesAsAsked) {
  const TemporaryFolder folder;
  folder.Write("arm/meshes/A.OBJ", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  folder.Write("arm/meshes/broken.stl", "solid\nfacet");
  const auto shape = [](const std::string& tag, const std::string& mesh) {
    return "<" + tag + "><geometry><mesh filename='" + mesh + "' scale='2 2 -2'/></geometry></" + tag + ">";
  };
  const auto load = [&](const std::string& shapes, MissingMeshes missing) {
    UrdfSettings settings;
    settings.missing_meshes = missing;
    settings.files.roots = {folder.path().string()};
    return LoadUrdf(folder.Write("arm/urdf/arm.urdf", Robot("<link name='a'>" + shapes + "</link>")), settings);
  };
  const auto error = [&](const std::string& shapes, MissingMeshes missing) {
    return ErrorOf([&] { load(shapes, missing); });
  };
  const Shape found =
      load(shape("collision", "package://arm/meshes/A.OBJ"), MissingMeshes::Error).links[0].shapes[0].shape;
  EXPECT_EQ(found.type, ShapeType::Mesh);
  ASSERT_NE(found.mesh, nullptr);
  EXPECT_EQ(found.mesh->vertices[1], Vector3(2, 0, 0));

  const std::string missing = shape("collision", "package://arm/none.stl");
  EXPECT_THAT(error(missing, MissingMeshes::Error),
              AllOf(HasSubstr("arm.urdf:2: <mesh> in <link name='a'>: collision mesh"), HasSubstr("is not there")));
  const ModelDescription warned = load(missing, MissingMeshes::Warn);
  EXPECT_THAT(warned.warnings, Contains(AllOf(HasSubstr("none.stl"), HasSubstr("does not collide"))));
  EXPECT_FALSE(warned.links[0].shapes[0].collides);
  EXPECT_EQ(warned.links[0].shapes[0].shape.mesh, nullptr);

  for (const char* mesh :
       {"package://arm/none.stl", "a.dae", "../meshes/broken.stl", "../../../x.stl", "https://h/x.stl"}) {
    const ModelDescription visual = load(shape("visual", mesh), MissingMeshes::Error);
    EXPECT_THAT(visual.warnings, Contains(HasSubstr(mesh))) << mesh;
  }
  EXPECT_THAT(load(shape("collision", "a.dae"), MissingMeshes::Error).warnings, Contains(HasSubstr("'.dae'")));
  // Neither broken files nor those outside of the roots are missing ones.
  EXPECT_THAT(error(shape("collision", "../meshes/broken.stl"), MissingMeshes::Warn), HasSubstr("ends within"));
  EXPECT_THAT(error(shape("collision", "../../../x.stl"), MissingMeshes::Warn), HasSubstr("outside of the folders"));
  EXPECT_THAT(error(shape("collision", "/etc/x.stl"), MissingMeshes::Warn), HasSubstr("outside of the folders"));
  EXPECT_THAT(error(shape("collision", "a.ply"), MissingMeshes::Error), HasSubstr("*.obj or *.stl"));
}

TEST(Urdf, OrdersLinksDepthFirst) {
  const auto joint = [](const std::string& parent, const std::string& child) {
    return "<joint name='" + parent + child + "' type='continuous'><parent link='" + parent + "'/><child link='" +
           child + "'/></joint>";
  };
  const std::string content = joint("b", "d") + joint("a", "c") + joint("a", "b") + joint("b", "e") +
                              "<link name='e'/><link name='d'/><link name='c'/><link name='b'/><link name='a'/>";
  std::string order;
  const ModelDescription model = Parse(content);
  for (const LinkDescription& link : model.links) order += link.name;
  EXPECT_EQ(order, "acbde");
  EXPECT_EQ(model.links[3].parent, 2);
  EXPECT_TRUE(model.links[0].joints.empty());

  UrdfSettings floating;
  floating.base = BaseType::Floating;
  const ModelDescription free = Parse(content, floating);
  ASSERT_EQ(free.links[0].joints.size(), 1u);
  EXPECT_EQ(free.links[0].joints[0].type, JointType::Floating);
  EXPECT_EQ(free.links[0].joints[0].name, "floating_base");
}

TEST(Urdf, RefusesWhatIsNoTree) {
  const auto joint = [](const std::string& name, const std::string& parent, const std::string& child) {
    return "<joint name='" + name + "' type='fixed'><parent link='" + parent + "'/><child link='" + child +
           "'/></joint>\n";
  };
  const std::string links = "<link name='a'/><link name='b'/><link name='c'/>\n";
  EXPECT_THAT(ParseError(""), HasSubstr("no links"));
  EXPECT_THAT(ParseError(links), HasSubstr("<link name='b'>: it hangs on nothing, and neither does link 'a'"));
  EXPECT_THAT(ParseError(links + joint("1", "a", "b") + joint("2", "c", "b")),
              HasSubstr("f.urdf:4: <joint name='2'>: link 'b' is already the child of joint '1'"));
  EXPECT_THAT(ParseError(links + joint("1", "a", "a")), HasSubstr("its parent and its child"));
  EXPECT_THAT(ParseError(links + joint("1", "b", "c") + joint("2", "c", "b")), HasSubstr("in a circle"));
  EXPECT_THAT(ParseError("<link name='a'/><link name='b'/>" + joint("1", "a", "b") + joint("2", "b", "a")),
              HasSubstr("in a circle"));
  EXPECT_THAT(ParseError(links + joint("1", "a", "x")), HasSubstr("<child> in <joint name='1'>: there is no link 'x'"));
  EXPECT_THAT(ParseError(links + joint("1", "a", "b") + joint("1", "a", "c")), HasSubstr("another joint of that name"));
  EXPECT_THAT(ParseError(links + "<link name='a'/>"), HasSubstr("another link of that name"));
  EXPECT_THAT(ParseError("<link/>"), HasSubstr("attribute 'name' is missing"));
}

TEST(Urdf, ReadsMimicsAndRefusesImpossibleOnes) {
  const auto content = [](const std::string& first, const std::string& second, const std::string& type = "continuous") {
    return "<link name='a'/><link name='b'/><link name='c'/>"
           "<joint name='1' type='" +
           type + "'><parent link='a'/><child link='b'/>" + first +
           "</joint>"
           "<joint name='2' type='continuous'><parent link='b'/><child link='c'/>" +
           second + "</joint>";
  };
  const ModelDescription model = Parse(content("", "<mimic joint='1' multiplier='-2' offset='.5'/>"));
  const auto& mimic = model.links[2].joints[0].mimic;
  ASSERT_TRUE(mimic.has_value());
  EXPECT_EQ(mimic->joint, "1");
  EXPECT_EQ(mimic->multiplier, -2);
  EXPECT_EQ(mimic->offset, 0.5);
  EXPECT_THAT(ParseError(content("", "<mimic joint='x'/>")), HasSubstr("attribute 'joint' is 'x'"));
  EXPECT_THAT(ParseError(content("", "<mimic joint='2'/>")), HasSubstr("in a circle"));
  EXPECT_THAT(ParseError(content("<mimic joint='2'/>", "<mimic joint='1'/>")), HasSubstr("in a circle"));
  EXPECT_THAT(ParseError(content("", "<mimic joint='1'/>", "fixed")), HasSubstr("a joint with one dof"));
  EXPECT_THAT(ParseError(content("<mimic joint='2'/>", "", "floating")), HasSubstr("cannot mimic"));
}

TEST(Urdf, RefusesBadValues) {
  EXPECT_THAT(ParseError(WithJoint("hinge", "")), HasSubstr("attribute 'type' is 'hinge'"));
  EXPECT_THAT(ParseError(WithJoint("revolute", "<axis xyz='0 0 0'/>")), HasSubstr("a direction"));
  EXPECT_THAT(ParseError(WithJoint("revolute", "<axis xyz='1 0'/>")),
              HasSubstr("f.urdf:4: <axis> in <joint name='j'>: attribute 'xyz' is '1 0' (expected: 3 numbers)"));
  EXPECT_THAT(ParseError(WithJoint("revolute", "<limit lower='1' upper='0' effort='1' velocity='1'/>")),
              HasSubstr("the wrong way round"));
  EXPECT_THAT(ParseError(WithJoint("revolute", "<limit effort='-1' velocity='1'/>")), HasSubstr(">= 0"));
  EXPECT_THAT(ParseError(WithJoint("revolute", "<limit effort='nan' velocity='1'/>")), HasSubstr("'nan'"));
  EXPECT_THAT(ParseError(WithJoint("revolute", "<dynamics damping='-1'/>")), HasSubstr("'damping'"));
  EXPECT_THAT(ParseError(WithJoint("fixed", "<origin xyz='${x} 0 0'/>")), HasSubstr("xacro"));
  const auto shape = [](const std::string& geometry) {
    return ParseError("<link name='a'><collision>" + geometry + "</collision></link>");
  };
  EXPECT_THAT(shape(""), HasSubstr("no <geometry>"));
  EXPECT_THAT(shape("<geometry/>"), HasSubstr("there are 0 shapes"));
  EXPECT_THAT(shape("<geometry><cone/></geometry>"), HasSubstr("unknown shape"));
  EXPECT_THAT(shape("<geometry><box size='1 1 0'/></geometry>"), HasSubstr("three numbers > 0"));
  EXPECT_THAT(shape("<geometry><sphere radius='0'/></geometry>"), HasSubstr("'radius'"));
  EXPECT_THAT(shape("<geometry><mesh/></geometry>"), HasSubstr("'filename' is missing"));
  EXPECT_THAT(shape("<geometry><mesh filename='a.stl' scale='1 0 1'/></geometry>"), HasSubstr("'scale'"));
  const auto whole = [](const std::string& text) { return ErrorOf([&] { ParseUrdf(text, "f.urdf"); }); };
  EXPECT_THAT(whole("<mujoco/>"), HasSubstr("no URDF file"));
  EXPECT_THAT(whole("<robot version='2.0'><link name='a'/></robot>"), HasSubstr("'version'"));
  EXPECT_THAT(whole("<robot><xacro:include filename='x'/></robot>"), HasSubstr("expand the file"));
}

TEST(Urdf, NamesWhatItLeavesOut) {
  const ModelDescription model = Parse(
      "<link name='a' colour='red'/><transmission name='t1'/><transmission name='t2'/><gazebo reference='a'/>"
      "<sensor name='s'/><material name='m'/>");
  EXPECT_THAT(
      model.warnings,
      Contains(
          "f.urdf:2: <transmission> is left out: actuators are not taken from URDF files (2 of them: 't1', 't2')"));
  EXPECT_THAT(model.warnings, Contains(AllOf(HasSubstr("<gazebo> is left out"), HasSubstr("('a')"))));
  EXPECT_THAT(model.warnings, Contains(HasSubstr("<sensor> in <robot> is left out")));
  EXPECT_THAT(model.warnings, Contains(HasSubstr("attribute 'colour' of <link>")));
  EXPECT_THAT(model.warnings, Not(Contains(HasSubstr("material"))));
  const ModelDescription joint = Parse(WithJoint("revolute", "<safety_controller k_velocity='1'/><limit effort='1'/>"));
  EXPECT_THAT(joint.warnings, Contains(HasSubstr("<safety_controller> is left out")));
  EXPECT_THAT(joint.warnings, Contains(HasSubstr("attribute 'velocity' is missing")));
  EXPECT_THAT(joint.warnings, Contains(HasSubstr("without position limits")));
}

// Long chains must not use up the stack, nor take quadratic time.
TEST(Urdf, TakesLongChains) {
  std::string content = "<link name='0'/>";
  const int count = 20000;
  for (int i = 1; i <= count; ++i) {
    content += fmt::format(
        "<link name='{0}'/><joint name='{0}' type='continuous'><parent link='{1}'/><child link='{0}'/>", i, i - 1);
    content += i > 1 ? fmt::format("<mimic joint='{}'/></joint>", i - 1) : "</joint>";
  }
  EXPECT_EQ(Parse(content).links.size(), static_cast<std::size_t>(count + 1));
}

}  // namespace
}  // namespace tactus
