// Actuators, tendons, contacts, equalities, keyframes and sensors.
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/io/mjcf.h"
#include "tactus/io/temporary_folder_testing.h"

namespace tactus {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kPi = std::numbers::pi;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Two bodies: 'a' with hinge 'h' (limited) and slide 's', 'b' free; sites and geoms on them.
constexpr const char* kWorld = R"(
<worldbody>
  <geom name="floor" type="plane" size="1 1 1" friction="0.2"/>
  <site name="world_site" pos="0 0 5"/>
  <body name="a" pos="0 0 1">
    <joint name="h" limited="true" range="-90 90" springref="45"/><joint name="s" type="slide" ref="0.5"/>
    <geom name="ga" size="1" friction="0.7"/><site name="sa" pos="1 0 0"/>
  </body>
  <body name="b" pos="0 0 3"><freejoint name="f"/><geom name="gb" size="1" condim="1"/><site name="sb" pos="0 1 0" euler="0 0 90"/></body>
  <body name="c"><joint name="ball" type="ball"/><geom size="1"/></body>
</worldbody>
)";

ModelDescription Parse(const std::string& sections) {
  return ParseMjcf(std::string("<mujoco>") + kWorld + sections + "</mujoco>", "f.xml");
}

std::string ParseError(const std::string& sections) {
  return ErrorOf([&] { Parse(sections); });
}

ActuatorDescription Actuator(const std::string& element, const std::string& before = "") {
  return Parse(before + "<actuator>" + element + "</actuator>").actuators.at(0);
}

std::string ActuatorError(const std::string& element, const std::string& before = "") {
  return ErrorOf([&] { Actuator(element, before); });
}

TEST(MjcfActuator, Shortcuts) {
  const ActuatorDescription motor = Actuator("<motor name='m' joint='h' gear='3' ctrlrange='-1 2' forcerange='-5 6'/>");
  EXPECT_EQ(motor.name, "m");
  EXPECT_EQ(motor.type, ActuatorType::Motor);
  EXPECT_EQ(motor.joint, "h");
  EXPECT_EQ(motor.gear, 3);
  EXPECT_EQ(motor.gain, 1);
  EXPECT_THAT(motor.bias, ElementsAre(0, 0, 0));
  EXPECT_EQ(motor.control_lower, -1);
  EXPECT_EQ(motor.force_upper, 6);
  EXPECT_EQ(motor.activation, ActivationType::None);

  const ActuatorDescription position = Actuator("<position joint='h' kp='5' kv='2'/>");
  EXPECT_EQ(position.type, ActuatorType::Position);
  EXPECT_EQ(position.gain, 5);
  EXPECT_THAT(position.bias, ElementsAre(0, -5, -2));
  EXPECT_EQ(position.control_upper, kInfinity);
  const ActuatorDescription filtered = Actuator("<position joint='h' timeconst='0.1'/>");
  EXPECT_EQ(filtered.activation, ActivationType::Filter);
  EXPECT_EQ(filtered.time_constant, 0.1);

  const ActuatorDescription velocity = Actuator("<velocity joint='h' kv='2'/>");
  EXPECT_EQ(velocity.gain, 2);
  EXPECT_THAT(velocity.bias, ElementsAre(0, 0, -2));
  const ActuatorDescription integrated = Actuator("<intvelocity joint='h' kp='3' actrange='-1 1'/>");
  EXPECT_EQ(integrated.type, ActuatorType::IntegratedVelocity);
  EXPECT_EQ(integrated.activation, ActivationType::Integrator);
  EXPECT_THAT(integrated.bias, ElementsAre(0, -3, 0));
  EXPECT_EQ(integrated.activation_upper, 1);
  const ActuatorDescription cylinder = Actuator("<cylinder joint='s' diameter='2' timeconst='0.5' bias='1 2 3'/>");
  EXPECT_NEAR(cylinder.gain, kPi, 1e-15);
  EXPECT_THAT(cylinder.bias, ElementsAre(1, 2, 3));
  EXPECT_EQ(cylinder.time_constant, 0.5);
}

TEST(MjcfActuator, GeneralAndDefaults) {
  const ActuatorDescription general =
      Actuator("<general joint='h' gainprm='4' biastype='affine' biasprm='1 2 3' dyntype='integrator'/>");
  EXPECT_EQ(general.type, ActuatorType::General);
  EXPECT_EQ(general.gain, 4);
  EXPECT_THAT(general.bias, ElementsAre(1, 2, 3));
  EXPECT_EQ(general.activation, ActivationType::Integrator);
  // biasprm without biastype does nothing.
  EXPECT_THAT(Actuator("<general joint='h' biasprm='1 2 3'/>").bias, ElementsAre(0, 0, 0));
  // All kinds write to the same defaults.
  const std::string defaults =
      "<default><general ctrlrange='-2 2' biastype='affine' gainprm='7' biasprm='0 -7 0'/>"
      "<default class='p'><position kp='9' kv='1'/></default></default>";
  EXPECT_EQ(Actuator("<general joint='h'/>", defaults).gain, 7);
  EXPECT_THAT(Actuator("<general joint='h' class='p'/>", defaults).bias, ElementsAre(0, -9, -1));
  const ActuatorDescription position = Actuator("<position joint='h' class='p' kp='3'/>", defaults);
  EXPECT_THAT(position.bias, ElementsAre(0, -3, -1));
  EXPECT_EQ(position.control_upper, 2);
  EXPECT_THAT(Actuator("<motor joint='h' class='p'/>", defaults).bias, ElementsAre(0, 0, 0));
}

TEST(MjcfActuator, DampingRatiosUseTheMassMatrix) {
  const ActuatorDescription position = Actuator("<position joint='s' kp='5' dampratio='0.5' gear='2'/>");
  const double mass = 1000 * 4 * kPi / 3;
  EXPECT_NEAR(position.bias[2], -2 * 0.5 * std::sqrt(5 * mass / 4), 1e-9);
  EXPECT_NEAR(Actuator("<general joint='s' gainprm='5' biastype='affine' biasprm='0 -5 0.5'/>").bias[2],
              -std::sqrt(5 * mass), 1e-9);
}

TEST(MjcfActuator, RangesAreInherited) {
  const ActuatorDescription position = Actuator("<position joint='h' inheritrange='0.5'/>");
  EXPECT_NEAR(position.control_lower, -kPi / 4, 1e-15);
  EXPECT_NEAR(Actuator("<intvelocity joint='h' inheritrange='1'/>").activation_upper, kPi / 2, 1e-15);
  EXPECT_THAT(ActuatorError("<position joint='s' inheritrange='1'/>"), HasSubstr("has no range"));
  EXPECT_THAT(ActuatorError("<position joint='h' inheritrange='1' ctrlrange='-1 1'/>"), HasSubstr("both there"));
}

TEST(MjcfActuator, SeveralDofs) {
  EXPECT_THAT(Actuator("<motor joint='f' gear='1 2 3 4 5 6'/>").gears, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(Actuator("<motor joint='ball' gear='1 2 3'/>").gears, ElementsAre(1, 2, 3));
  EXPECT_TRUE(Actuator("<motor jointinparent='h'/>").gears.empty());
  EXPECT_TRUE(Parse("<actuator><motor jointinparent='ball'/></actuator>").actuators.empty());
}

TEST(MjcfActuator, OthersAreLeftOutWithTheirControls) {
  const ModelDescription model = Parse(R"(
    <tendon><spatial name="t"><site site="sa"/><site site="sb"/></spatial></tendon>
    <actuator>
      <muscle name="m" joint="h" range="0 1"/><motor name="kept" joint="h"/><motor tendon="t"/><motor site="sa"/>
      <damper joint="h" kv="1" ctrlrange="0 1"/><adhesion body="a" ctrlrange="0 1"/>
      <general joint="h" gaintype="affine" gainprm="1 2 3"/><position cranksite="sa" slidersite="sb" cranklength="1"/>
      <intvelocity name="kept too" joint="h" actrange="-1 1"/>
    </actuator>
    <keyframe><key ctrl="1 2 3 4 5 6 7 8 9" act="10 11"/></keyframe>)");
  ASSERT_EQ(model.actuators.size(), 2u);
  EXPECT_EQ(model.actuators[0].name, "kept");
  EXPECT_THAT(model.keyframes.at(0).control, ElementsAre(2, 9));
  EXPECT_THAT(model.keyframes[0].activation, ElementsAre(11));
  for (const char* text :
       {"<muscle> is left out", "<spatial> is left out", "an actuator on a spatial tendon", "an actuator on a site",
        "<damper> is left out", "gain is not fixed", "an actuator on a slider-crank"}) {
    EXPECT_THAT(model.warnings, Contains(HasSubstr(text)));
  }
}

TEST(MjcfActuator, RefusesBroken) {
  EXPECT_THAT(ActuatorError("<motor/>"), HasSubstr("nothing that it acts on"));
  EXPECT_THAT(ActuatorError("<motor joint='h' tendon='t'/>"), HasSubstr("both there"));
  EXPECT_THAT(ActuatorError("<motor joint='no'/>"), HasSubstr("there is no joint 'no'"));
  EXPECT_THAT(ActuatorError("<motor joint='h' kp='1'/>"), HasSubstr("unknown attribute 'kp'"));
  EXPECT_THAT(ActuatorError("<position joint='h' kv='-1'/>"), HasSubstr("'kv' is '-1'"));
  EXPECT_THAT(ActuatorError("<position joint='h' kv='1' dampratio='1'/>"), HasSubstr("both there"));
  EXPECT_THAT(ActuatorError("<position joint='h' forcerange='0 1'/>", "<compiler autolimits='false'/>"),
              HasSubstr("forcelimited"));
  EXPECT_THAT(ActuatorError("<general joint='h' dyntype='integrator' actlimited='true' actrange='1 -1'/>"),
              HasSubstr("actrange"));
  EXPECT_THAT(ActuatorError("<general joint='h' dyntype='integrator' actlimited='true'/>"), HasSubstr("actrange"));
  EXPECT_THAT(ActuatorError("<general joint='h' actrange='-1 1'/>"), HasSubstr("no activation"));
  EXPECT_THAT(ActuatorError("<intvelocity joint='h'/>"), HasSubstr("actrange"));
  EXPECT_THAT(ActuatorError("<damper joint='h' kv='1'/>"), HasSubstr("ctrlrange"));
  EXPECT_THAT(ActuatorError("<damper joint='h' kv='1' ctrlrange='-1 0'/>"), HasSubstr("ctrlrange"));
  EXPECT_THAT(ActuatorError("<wurst joint='h'/>"), HasSubstr("unknown element in <actuator>"));
}

TEST(MjcfTendon, FixedTendons) {
  const ModelDescription model = Parse(
      "<default><tendon stiffness='2'/></default><tendon><fixed name='t' range='-1 1' damping='3' frictionloss='4'>"
      "<joint joint='h' coef='2'/><joint joint='s' coef='-1'/></fixed><fixed name='u' springlength='0.5'><joint "
      "joint='h' coef='1'/>"
      "</fixed></tendon><equality><tendon tendon1='t' tendon2='u'/></equality><actuator><motor tendon='t' "
      "gear='2'/></actuator>");
  const TendonDescription& tendon = model.tendons.at(0);
  EXPECT_THAT(tendon.joints, ElementsAre(std::pair("h", 2.0), std::pair("s", -1.0)));
  EXPECT_EQ(tendon.upper, 1);
  EXPECT_EQ(tendon.stiffness, 2);
  EXPECT_EQ(tendon.damping, 3);
  EXPECT_EQ(tendon.dry_friction, 4);
  EXPECT_NEAR(tendon.rest_lower, 2 * kPi / 4, 1e-15);  // as long as with the joints where their springs rest
  EXPECT_EQ(model.tendons.at(1).rest_upper, 0.5);
  EXPECT_EQ(model.equalities.at(0).type, EqualityType::Tendon);
  EXPECT_EQ(model.actuators.at(0).tendon, "t");
  EXPECT_THAT(ParseError("<tendon><fixed/></tendon>"), HasSubstr("nothing in it"));
  EXPECT_THAT(ParseError("<tendon><fixed><joint joint='h'/></fixed></tendon>"), HasSubstr("coef"));
  EXPECT_THAT(ParseError("<tendon><fixed><joint joint='f' coef='1'/></fixed></tendon>"), HasSubstr("several dofs"));
  EXPECT_THAT(ParseError("<tendon><spatial springlength='1 0'><site site='sa'/></spatial></tendon>"),
              HasSubstr("springlength"));
  EXPECT_THAT(ParseError("<tendon><spatial><site site='no'/></spatial></tendon>"), HasSubstr("there is no site 'no'"));
}

TEST(MjcfContact, PairsAndExcludes) {
  const ModelDescription model = Parse(
      "<contact><pair geom1='floor' geom2='ga'/><pair geom1='ga' geom2='gb' condim='1'/><pair geom1='floor' geom2='gb' "
      "friction='0.4 0.5'/><exclude body1='a' body2='world'/></contact>");
  EXPECT_EQ(model.contact_pairs.at(0).friction, 0.7);
  EXPECT_EQ(model.contact_pairs.at(1).friction, 0);
  EXPECT_EQ(model.contact_pairs.at(2).friction, 0.4);
  EXPECT_THAT(model.contact_excludes, ElementsAre(std::pair("a", "world")));
  EXPECT_THAT(model.warnings, Contains(HasSubstr("the second number of 'friction'")));
  EXPECT_THAT(ParseError("<contact><pair geom1='floor' geom2='no'/></contact>"), HasSubstr("there is no geom 'no'"));
  EXPECT_THAT(ParseError("<contact><exclude body1='a'/></contact>"), HasSubstr("'body2' is missing"));
}

TEST(MjcfEquality, WeldsAndConnections) {
  const ModelDescription model = Parse(
      "<equality><weld name='w' body1='a' body2='b' anchor='0 0 1' active='false'/>"
      "<weld body1='a' body2='b' relpose='1 2 3 2 0 0 2' anchor='1 0 0'/><connect body1='a' anchor='1 2 3'/>"
      "<weld site1='sa' site2='sb'/><connect site1='sa' site2='world_site'/>"
      "<connect body1='world' body2='b' anchor='0 0 4'/><weld body1='world' body2='b' relpose='0 0 9 1 0 0 "
      "0'/></equality>");
  const EqualityDescription& weld = model.equalities.at(0);
  EXPECT_EQ(weld.name, "w");
  EXPECT_EQ(weld.first, "a");
  EXPECT_EQ(weld.second, "b");
  EXPECT_FALSE(weld.active);
  EXPECT_FALSE(weld.relative);
  // relpose is where the anchor of the second is: (1,2,3) less (0,1,0).
  EXPECT_TRUE(model.equalities[1].relative->p.isApprox(Vector3(1, 1, 3)));
  EXPECT_TRUE(model.equalities[1].relative->R.col(0).isApprox(Vector3::UnitY()));
  EXPECT_EQ(model.equalities[2].type, EqualityType::Connect);
  EXPECT_EQ(model.equalities[2].second, "");
  EXPECT_EQ(model.equalities[2].anchor, Vector3(1, 2, 3));
  // Sites coincide: b is turned back by 90 degrees, and its site is where a's is.
  const Pose X = *model.equalities[3].relative;
  EXPECT_TRUE((X * Vector3(0, 1, 0)).isApprox(Vector3(1, 0, 0)));
  EXPECT_TRUE(X.R.col(0).isApprox(-Vector3::UnitY()));
  EXPECT_EQ(model.equalities[4].anchor, Vector3(1, 0, 0));
  EXPECT_EQ(*model.equalities[4].second_anchor, Vector3(0, 0, 5));
  // The world is always the second.
  EXPECT_EQ(model.equalities[5].first, "b");
  EXPECT_TRUE(model.equalities[5].anchor.isApprox(Vector3(0, 0, 1)));
  EXPECT_EQ(*model.equalities[5].second_anchor, Vector3(0, 0, 4));
  EXPECT_TRUE(model.equalities[6].relative->p.isApprox(Vector3(0, 0, -9)));
  EXPECT_THAT(ParseError("<equality><connect body1='a' body2='b'/></equality>"), HasSubstr("anchor"));
  EXPECT_THAT(ParseError("<equality><weld body1='a' body2='a'/></equality>"), HasSubstr("to itself"));
  EXPECT_THAT(ParseError("<equality><weld body1='no'/></equality>"), HasSubstr("there is no body 'no'"));
}

TEST(MjcfEquality, Joints) {
  const EqualityDescription joint =
      Parse("<equality><joint joint1='h' joint2='s' polycoef='1 2 3'/></equality>").equalities.at(0);
  EXPECT_EQ(joint.type, EqualityType::Joint);
  EXPECT_EQ(joint.second, "s");
  EXPECT_THAT(joint.polynomial, ElementsAre(1, 2, 3, 0, 0));
  EXPECT_EQ(Parse("<equality><joint joint1='h'/></equality>").equalities[0].second, "");
  EXPECT_THAT(ParseError("<equality><joint joint1='f'/></equality>"), HasSubstr("several dofs"));
}

TEST(MjcfKeyframe, FilledAndChecked) {
  const ModelDescription model = Parse(
      "<keyframe><key name='k' time='3' qpos='1 2 3 4 5 0 0 0 2 1 0 0 0' qvel='1 2 3 4 5 6 7 8 9 10 "
      "11'/><key/></keyframe>");
  EXPECT_EQ(model.keyframes.at(0).name, "k");
  EXPECT_EQ(model.keyframes[0].time, 3);
  EXPECT_EQ(model.keyframes[0].q[8], 1);  // normalized
  EXPECT_EQ(model.keyframes[0].v[10], 11);
  EXPECT_EQ(model.keyframes.at(1).q[1], 0.5);  // the slide's ref
  EXPECT_EQ(model.keyframes[1].q[4], 3);       // the free body's height
  EXPECT_THAT(ParseError("<keyframe><key qpos='1'/></keyframe>"),
              HasSubstr("attribute 'qpos' has 1 numbers (expected: 13 numbers)"));
  EXPECT_THAT(ParseError("<keyframe><key qpos='0 0 0 0 0 0 0 0 0 1 0 0 0'/></keyframe>"), HasSubstr("is zero"));
  EXPECT_THAT(ParseError("<keyframe><key ctrl='1'/></keyframe>"), HasSubstr("0 numbers"));
}

TEST(MjcfSensor, NamesAreChecked) {
  EXPECT_THAT(Parse("<sensor><gyro site='sa'/><framepos objtype='body' objname='a'/></sensor>").warnings,
              Contains(HasSubstr("<gyro> in <sensor>")));
  EXPECT_THAT(ParseError("<sensor><gyro site='no'/></sensor>"), HasSubstr("there is no site 'no'"));
  EXPECT_THAT(ParseError("<sensor><framepos objtype='site' objname='no'/></sensor>"),
              HasSubstr("there is no site 'no'"));
}

}  // namespace
}  // namespace tactus
