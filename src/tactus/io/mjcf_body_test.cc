// Bodies, frames, replicas, joints and inertias.
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/io/mjcf.h"
#include "tactus/io/temporary_folder_testing.h"
#include "tactus/model/model.h"

namespace tactus {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr double kPi = std::numbers::pi;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

ModelDescription World(const std::string& content, const std::string& compiler = "") {
  return ParseMjcf("<mujoco><compiler " + compiler + "/><worldbody>\n" + content + "</worldbody></mujoco>", "f.xml");
}

std::string WorldError(const std::string& content, const std::string& compiler = "") {
  return ErrorOf([&] { World(content, compiler); });
}

JointDescription Joint(const std::string& attributes, const std::string& compiler = "") {
  return World("<body><joint " + attributes + "/><geom size='1'/></body>", compiler).links.at(0).joints.at(0);
}

TEST(MjcfBody, ReadsJoints) {
  const JointDescription hinge = Joint(
      "name='j' axis='0 2 0' pos='1 2 3' range='-90 180' ref='45' springref='90' stiffness='2' damping='3' "
      "armature='4' frictionloss='5' actuatorfrcrange='-6 6'");
  EXPECT_EQ(hinge.name, "j");
  EXPECT_EQ(hinge.type, JointType::Revolute);
  EXPECT_EQ(hinge.axis, Vector3::UnitY());
  EXPECT_EQ(hinge.anchor, Vector3(1, 2, 3));
  EXPECT_DOUBLE_EQ(hinge.lower, -kPi / 2);
  EXPECT_DOUBLE_EQ(hinge.upper, kPi);
  EXPECT_DOUBLE_EQ(hinge.reference, kPi / 4);
  EXPECT_DOUBLE_EQ(hinge.rest_position, kPi / 2);
  EXPECT_EQ(hinge.stiffness, 2);
  EXPECT_EQ(hinge.damping, 3);
  EXPECT_EQ(hinge.armature, 4);
  EXPECT_EQ(hinge.dry_friction, 5);
  EXPECT_EQ(hinge.effort_limit, 6);
  EXPECT_EQ(Joint("").type, JointType::Continuous);
  EXPECT_EQ(Joint("range='0 1' limited='false'").lower, -kInfinity);
  const JointDescription slide = Joint("type='slide' range='0 1' ref='0.5'");
  EXPECT_EQ(slide.type, JointType::Prismatic);
  EXPECT_EQ(slide.upper, 1);
  EXPECT_EQ(slide.reference, 0.5);
  EXPECT_EQ(Joint("range='-1 1' ref='1'", "angle='radian'").upper, 1);
  EXPECT_EQ(Joint("type='ball'").type, JointType::Ball);
  EXPECT_THAT(World("<body><joint type='ball' range='0 90'/><geom size='1'/></body>").warnings,
              Contains(HasSubstr("'range' of a ball joint")));
  EXPECT_THAT(World("<body><joint actuatorfrcrange='-1 2'/><geom size='1'/></body>").warnings,
              Contains(HasSubstr("actuatorfrcrange")));
  EXPECT_THAT(World("<body><joint damping='1 2'/><geom size='1'/></body>").warnings,
              Contains(HasSubstr("beyond its first number")));
}

TEST(MjcfBody, RefusesBrokenJoints) {
  const auto error = [](const std::string& attributes, const std::string& compiler = "") {
    return ErrorOf([&] { Joint(attributes, compiler); });
  };
  EXPECT_THAT(error("axis='0 0 0'"), HasSubstr("length zero"));
  EXPECT_THAT(error("type='revolute'"), HasSubstr("free, ball, slide, hinge"));
  EXPECT_THAT(error("range='1 0'"), HasSubstr("the lower first"));
  EXPECT_THAT(error("range='1'"), HasSubstr("2 numbers"));
  EXPECT_THAT(error("limited='true'"), HasSubstr("the lower first"));
  EXPECT_THAT(error("range='0 1'", "autolimits='false'"), HasSubstr("'limited' is not"));
  EXPECT_THAT(error("damping='-1'"), HasSubstr("a number >= 0"));
  EXPECT_THAT(WorldError("<joint/>"), HasSubstr("on the world"));
  EXPECT_THAT(WorldError("<body><joint type='ball'/><joint/><geom size='1'/></body>"),
              HasSubstr("followed by another"));
  EXPECT_THAT(WorldError("<body><freejoint/><joint/><geom size='1'/></body>"), HasSubstr("7 degrees of freedom"));
  EXPECT_THAT(WorldError("<body><geom size='1'/><body><freejoint/><geom size='1'/></body></body>"),
              HasSubstr("at the top level"));
  EXPECT_THAT(WorldError("<body><freejoint align='true'/><geom size='1'/></body>"), HasSubstr("align"));
  EXPECT_THAT(WorldError("<body name='a'/><body name='a'/>"), HasSubstr("another body of the name 'a'"));
  EXPECT_THAT(WorldError("<body name='world'/>"), HasSubstr("another body of the name 'world'"));
  EXPECT_THAT(WorldError("<frame name='a'/><frame name='a'/>"), HasSubstr("another frame"));
}

TEST(MjcfBody, TreeIsDepthFirstWithFramesResolved) {
  const ModelDescription model = World(R"(
    <body name="a" pos="1 0 0">
      <body name="b"/>
      <frame pos="0 0 1" euler="0 0 90">
        <body name="c" pos="1 0 0"><joint axis="1 0 0" pos="0 0 2"/><geom size="1"/></body>
        <frame pos="1 0 0"><site name="s" pos="0 1 0"/><geom size="1"/></frame>
      </frame>
    </body>
    <body name="d"/>)");
  ASSERT_EQ(model.links.size(), 4u);
  const char* names[] = {"a", "b", "c", "d"};
  const int parents[] = {-1, 0, 0, -1};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(model.links[i].name, names[i]);
    EXPECT_EQ(model.links[i].parent, parents[i]);
  }
  EXPECT_TRUE(model.links[2].X_PL.p.isApprox(Vector3(0, 1, 1)));
  EXPECT_EQ(model.links[2].joints.at(0).axis, Vector3::UnitX());  // in the body's own frame
  EXPECT_EQ(model.sites.at(0).link, 0);
  EXPECT_TRUE(model.sites[0].X_LS.p.isApprox(Vector3(-1, 1, 1)));
  EXPECT_TRUE(model.links[0].shapes.at(0).X_LS.p.isApprox(Vector3(0, 1, 1)));
  // A frame around a joint turns its axis.
  const JointDescription joint =
      World("<body><frame pos='0 0 1' euler='90 0 0'><joint pos='0 1 0'/></frame><geom size='1'/></body>")
          .links[0]
          .joints[0];
  EXPECT_TRUE(joint.axis.isApprox(-Vector3::UnitY()));
  EXPECT_TRUE(joint.anchor.isApprox(Vector3(0, 0, 2)));
}

TEST(MjcfBody, FreeBodiesStartAtTheirPose) {
  const ModelDescription description = World(
      "<frame pos='0 0 1'><body pos='1 2 3' quat='1 0 0 1'><freejoint name='f'/><geom size='1'/>"
      "<body pos='0 0 1'><joint ref='90' axis='1 0 0'/><geom size='1'/></body></body></frame>");
  EXPECT_TRUE(description.links[0].X_PL.p.isZero());
  const Model model(description);
  const VectorX q = model.MakeInitial();
  ASSERT_EQ(q.size(), 8);
  const double half = std::sqrt(0.5);
  const double expected[] = {1, 2, 4, half, 0, 0, half, kPi / 2};
  for (int i = 0; i < 8; ++i) EXPECT_NEAR(q[i], expected[i], 1e-15);
}

TEST(MjcfBody, ReplicasAreNumbered) {
  const ModelDescription model = World(R"(
    <replicate count="11" offset="1 0 0" euler="0 0 90" sep="-">
      <body name="b" pos="0 1 0"><joint name="j"/><geom name="g" size="1"/>
        <replicate count="2" offset="0 0 1"><geom name="h" size="1"/></replicate></body>
    </replicate>)");
  ASSERT_EQ(model.links.size(), 11u);
  EXPECT_EQ(model.links[0].name, "b-00");
  EXPECT_EQ(model.links[10].name, "b-10");
  EXPECT_EQ(model.links[2].joints[0].name, "j-02");
  EXPECT_EQ(model.links[1].shapes[2].name, "h1-01");
  EXPECT_TRUE(model.links[1].X_PL.p.isApprox(Vector3(0, 0, 0)) || model.links[1].X_PL.p.norm() < 1e-12);
  EXPECT_TRUE(model.links[2].X_PL.p.isApprox(Vector3(1, 0, 0)));
  EXPECT_TRUE(model.links[1].X_PL.R.col(0).isApprox(Vector3::UnitY()));
  const auto with_actuator = [](const std::string& joint) {
    return ParseMjcf(
        "<mujoco><worldbody><replicate count='2'><body><joint name='j'/><geom size='1'/></body></replicate>"
        "<body><joint name='k'/><geom size='1'/></body></worldbody><actuator><motor name='a' joint='" +
            joint + "'/><motor name='z' joint='k'/></actuator></mujoco>",
        "f");
  };
  // What refers to a copied joint is copied too.
  const ModelDescription moved = with_actuator("j");
  ASSERT_EQ(moved.actuators.size(), 3u);
  EXPECT_EQ(moved.actuators[0].name, "z");
  EXPECT_EQ(moved.actuators[1].name, "a0");
  EXPECT_EQ(moved.actuators[2].joint, "j1");
  EXPECT_EQ(with_actuator("j1").actuators.size(), 2u);
  EXPECT_THAT(ErrorOf([&] { with_actuator("i"); }), HasSubstr("there is no joint 'i'"));
}

TEST(MjcfBody, ReadsInertials) {
  const LinkInertia diagonal =
      *World("<body><inertial pos='1 2 3' mass='4' diaginertia='1 2 3' quat='1 0 0 1'/></body>").links[0].inertia;
  EXPECT_EQ(diagonal.mass, 4);
  EXPECT_EQ(diagonal.com, Vector3(1, 2, 3));
  EXPECT_TRUE(diagonal.central.isApprox(Matrix3(Vector3(2, 1, 3).asDiagonal())));
  const LinkInertia full =
      *World("<body><inertial pos='0 0 0' mass='4' fullinertia='5 6 7 0.1 0.2 0.3'/></body>").links[0].inertia;
  EXPECT_EQ(full.central(0, 1), 0.1);
  EXPECT_EQ(full.central(2, 1), 0.3);
  // Geoms count only where there is none.
  EXPECT_EQ(
      World("<body><inertial pos='0 0 0' mass='4' diaginertia='1 1 1'/><geom size='1'/></body>").links[0].inertia->mass,
      4);
  EXPECT_NEAR(World("<body><inertial pos='0 0 0' mass='4' diaginertia='1 1 1'/><geom size='1' density='3'/></body>",
                    "inertiafromgeom='true'")
                  .links[0]
                  .inertia->mass,
              4 * kPi, 1e-12);
  EXPECT_FALSE(World("<body><geom size='1'/></body>", "inertiafromgeom='false'").links[0].inertia);

  const auto error = [](const std::string& attributes, const std::string& compiler = "") {
    return WorldError("<body><inertial " + attributes + "/></body>", compiler);
  };
  EXPECT_THAT(error("mass='1' diaginertia='1 1 1'"), HasSubstr("'pos' is missing"));
  EXPECT_THAT(error("pos='0 0 0' diaginertia='1 1 1'"), HasSubstr("'mass' is missing"));
  EXPECT_THAT(error("pos='0 0 0' mass='1'"), HasSubstr("'diaginertia' is missing"));
  EXPECT_THAT(error("pos='0 0 0' mass='-1' diaginertia='1 1 1'"), HasSubstr("a number >= 0"));
  EXPECT_THAT(error("pos='0 0 0' mass='1' diaginertia='1 1 3'"), HasSubstr("balanceinertia"));
  EXPECT_THAT(error("pos='0 0 0' mass='1' diaginertia='1 1 -1'"), HasSubstr("none of them negative"));
  EXPECT_EQ(error("pos='0 0 0' mass='1' diaginertia='1 1 4'", "balanceinertia='true'"), "");
  EXPECT_THAT(error("pos='0 0 0' mass='1' diaginertia='1 1 1' fullinertia='1 1 1 0 0 0'"), HasSubstr("both there"));
  EXPECT_THAT(WorldError("<body><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><inertial pos='0 0 0' mass='1' "
                         "diaginertia='1 1 1'/></body>"),
              HasSubstr("a second one"));
}

TEST(MjcfBody, MassFromGeoms) {
  // Two balls of mass 1 on a bar.
  const LinkInertia pair =
      *World("<body><geom size='0.1' mass='1' pos='1 0 0'/><geom size='0.1' mass='3' pos='-1 0 0'/></body>")
           .links[0]
           .inertia;
  EXPECT_DOUBLE_EQ(pair.mass, 4);
  EXPECT_TRUE(pair.com.isApprox(Vector3(-0.5, 0, 0)));
  const double ball = 0.4 * 0.01 * 4, arm = 1.5 * 1.5 * 1 + 0.5 * 0.5 * 3;
  EXPECT_TRUE(pair.central.diagonal().isApprox(Vector3(ball, ball + arm, ball + arm)));
  // Groups choose which.
  EXPECT_DOUBLE_EQ(
      World("<body><geom size='1' mass='1' group='2'/><geom size='1' mass='3'/></body>", "inertiagrouprange='1 3'")
          .links[0]
          .inertia->mass,
      1);
  const LinkInertia bounded =
      *World("<body><geom size='1' density='0'/></body>", "boundmass='2' boundinertia='3'").links[0].inertia;
  EXPECT_EQ(bounded.mass, 2);
  EXPECT_TRUE(bounded.central.isApprox(3 * Matrix3::Identity()));
  const ModelDescription scaled =
      World("<body><geom size='1' mass='1'/></body><body><geom size='1' mass='3'/></body>", "settotalmass='8'");
  EXPECT_DOUBLE_EQ(scaled.links[1].inertia->mass, 6);
  EXPECT_DOUBLE_EQ(scaled.links[0].inertia->central(0, 0), 0.8);
}

TEST(MjcfBody, WhatMovesHasMass) {
  EXPECT_THAT(WorldError("<body name='b'><joint/></body>"), HasSubstr("<body name='b'>: it moves, but has no mass"));
  EXPECT_THAT(WorldError("<body><joint/><inertial pos='0 0 0' mass='1' diaginertia='0 0 0'/></body>"),
              HasSubstr("no inertia"));
  // What is fixed to it counts, what moves on it does not.
  EXPECT_EQ(WorldError("<body><joint/><body><geom size='1'/></body></body>"), "");
  EXPECT_THAT(WorldError("<body><joint/><body><joint/><geom size='1'/></body></body>"), HasSubstr("it moves"));
}

TEST(MjcfBody, MocapBodiesStandStill) {
  EXPECT_THAT(World("<body mocap='true'/>").warnings, Contains(HasSubstr("'mocap' of <body>")));
  EXPECT_THAT(WorldError("<body mocap='true'><joint/><geom size='1'/></body>"), HasSubstr("mocap"));
}

TEST(MjcfBody, SpringsAndDampersByTimeConstants) {
  // A mass of 2 kg on a slide.
  const JointDescription joint =
      World("<body><joint type='slide' springdamper='0.5 2'/><geom size='1' mass='2'/></body>").links[0].joints[0];
  EXPECT_NEAR(joint.stiffness, 2 / (0.5 * 0.5 * 4), 1e-12);
  EXPECT_NEAR(joint.damping, 2 * 2 / 0.5, 1e-12);
}

}  // namespace
}  // namespace tactus
