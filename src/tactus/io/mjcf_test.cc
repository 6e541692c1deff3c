#include "tactus/io/mjcf.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/io/model_format.h"
#include "tactus/io/temporary_folder_testing.h"

namespace tactus {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Mjcf, ReadsOptionsAndNames) {
  const ModelDescription model = ParseMjcf(
      "<mujoco model='m'><option timestep='0.01' gravity='0 0 -1'/><worldbody><body><joint/><geom size='1'/></body>"
      "</worldbody></mujoco>",
      "f.xml");
  EXPECT_EQ(model.name, "m");
  EXPECT_EQ(model.timestep, 0.01);
  EXPECT_EQ(model.gravity, Vector3(0, 0, -1));
  EXPECT_EQ(model.links.at(0).name, "body1");
  EXPECT_EQ(model.links[0].joints.at(0).name, "");
  EXPECT_EQ(model.links[0].shapes.at(0).name, "body1/geom0");
  EXPECT_THAT(model.warnings, IsEmpty());
  EXPECT_TRUE(ParseMjcf("<mujoco/>", "f.xml").links.empty());
  EXPECT_EQ(ParseMjcf("<mujoco><option><flag gravity='disable'/></option></mujoco>", "f.xml").gravity, Vector3::Zero());
}

TEST(Mjcf, ContactFlagSwitchesShapesOff) {
  const ModelDescription model = ParseMjcf(
      "<mujoco><option><flag contact='disable'/></option><worldbody><geom size='1'/></worldbody></mujoco>", "f");
  EXPECT_FALSE(model.world_shapes.at(0).collides);
}

TEST(Mjcf, WhatIsNotReadIsSaid) {
  const ModelDescription model = ParseMjcf(
      "<mujoco>\n<option integrator='Euler' cone='pyramidal'/>\n<size memory='1M'/>\n<visual/>\n<statistic/>\n"
      "<asset><texture name='t'/><material name='a'/></asset>\n"
      "<worldbody>\n<light/><light/><camera name='c'/>\n<geom size='1' rgba='1 1 1 1' solref='0.1 1' margin='0'/>\n"
      "<geom size='1' solref='0.1 1' margin='0.1' condim='4' priority='1' user='1'/>\n</worldbody>\n"
      "<sensor><clock name='k'/></sensor></mujoco>",
      "f.xml");
  const auto has = [&](const std::string& text) { EXPECT_THAT(model.warnings, Contains(HasSubstr(text))); };
  has("f.xml:2: attribute 'integrator' of <option> is left out");
  has("f.xml:2: cone='pyramidal'");
  has("f.xml:3: attribute 'memory' of <size>");
  has("f.xml:4: <visual> is left out");
  has("f.xml:6: <texture> is left out");
  has("f.xml:8: <light> is left out: only what moves and collides is read (2 of them)");
  has("f.xml:8: <camera> is left out");
  has("f.xml:9: attribute 'solref' of <geom> is left out: contacts, limits and equalities are rigid here, there is no "
      "softness to set (2 of them)");
  has("f.xml:9: the look of things");
  has("f.xml:10: attribute 'margin' of <geom>");
  has("f.xml:10: condim 4 is taken as 3");
  has("attribute 'priority' of <geom>");
  has("attribute 'user' of <geom>");
  has("<clock> in <sensor>");
  EXPECT_EQ(model.warnings.size(), 16u) << testing::PrintToString(model.warnings);
}

TEST(Mjcf, RefusesWhatIsUnknown) {
  const auto error = [](const std::string& text) { return ErrorOf([&] { ParseMjcf(text, "f.xml"); }); };
  EXPECT_THAT(error("<robot/>"), HasSubstr("f.xml:1: <robot>: this is no MJCF file"));
  EXPECT_THAT(error("<mujoco>\n<wurst/></mujoco>"), HasSubstr("f.xml:2: <wurst>: unknown element in <mujoco>"));
  EXPECT_THAT(
      error("<mujoco><worldbody><geom name='g' size='1' colour='red'/></worldbody></mujoco>"),
      AllOf(HasSubstr("<geom name='g'>: unknown attribute 'colour'"), HasSubstr("(expected: adhesion, axisangle, ")));
  for (const char* element : {"attach", "composite", "flexcomp", "wurst"}) {
    EXPECT_THAT(error(fmt::format("<mujoco><worldbody><body><{}/></body></worldbody></mujoco>", element)),
                HasSubstr(fmt::format("<{}>", element)));
  }
  EXPECT_THAT(error("<mujoco><compiler coordinate='global'/></mujoco>"), HasSubstr("'local'"));
  EXPECT_THAT(error("<mujoco><compiler eulerseq='xya'/></mujoco>"), HasSubstr("eulerseq"));
  EXPECT_THAT(error("<mujoco><option timestep='0'/></mujoco>"), HasSubstr("timestep"));
  EXPECT_THAT(error("<mujoco><option><flag/><flag/></option></mujoco>"), HasSubstr("a second one"));
  EXPECT_THAT(error("<mujoco><default><wurst/></default></mujoco>"), HasSubstr("unknown element in <default>"));
}

TEST(Mjcf, DefaultsAreInherited) {
  const ModelDescription model = ParseMjcf(R"(<mujoco><compiler angle="radian"/>
  <default>
    <geom size="1 2 3" friction="0.5 1 1"/>
    <joint damping="1"/>
    <default class="a"><geom size="4"/><joint damping="2" armature="3"/>
      <default class="b"><geom type="box" friction="0.7"/></default>
    </default>
  </default>
  <worldbody>
    <geom/>
    <geom class="b"/>
    <body childclass="a">
      <joint/><joint class="main"/>
      <geom type="capsule"/>
      <body><joint armature="5"/><geom/></body>
      <frame childclass="b"><geom size="6"/></frame>
    </body>
  </worldbody></mujoco>)",
                                           "f");
  EXPECT_EQ(model.world_shapes.at(0).shape.size, Vector3(1, 0, 0));
  EXPECT_EQ(model.world_shapes[0].material.friction, 0.5);
  EXPECT_EQ(model.world_shapes.at(1).shape.type, ShapeType::Box);
  EXPECT_EQ(model.world_shapes[1].shape.size, Vector3(4, 2, 3));  // a short list overrides the front
  EXPECT_EQ(model.world_shapes[1].material.friction, 0.7);
  const LinkDescription& body = model.links.at(0);
  EXPECT_EQ(body.joints.at(0).damping, 2);
  EXPECT_EQ(body.joints[0].armature, 3);
  EXPECT_EQ(body.joints.at(1).damping, 1);
  EXPECT_EQ(body.joints[1].armature, 0);
  EXPECT_EQ(body.shapes.at(0).shape.size, Vector3(4, 2, 0));
  EXPECT_EQ(body.shapes.at(1).shape.size, Vector3(6, 2, 3));
  EXPECT_EQ(model.links.at(1).joints.at(0).damping, 2);
  EXPECT_EQ(model.links[1].joints[0].armature, 5);
}

TEST(Mjcf, BrokenDefaultsAreRefused) {
  const auto error = [](const std::string& text) {
    return ErrorOf([&] { ParseMjcf("<mujoco>" + text + "</mujoco>", "f"); });
  };
  EXPECT_THAT(error("<default class='x'/>"), HasSubstr("'main', or none"));
  EXPECT_THAT(error("<default><default/></default>"), HasSubstr("attribute 'class' is missing"));
  EXPECT_THAT(error("<default><geom/><geom/></default>"), HasSubstr("a second one in this class"));
  EXPECT_THAT(error("<default><default class='a'/><default class='a'/></default>"),
              HasSubstr("another class of that name"));
  EXPECT_THAT(error("<worldbody><geom class='no' size='1'/></worldbody>"), HasSubstr("the name of a default class"));
  EXPECT_THAT(error("<worldbody><body childclass='no'/></worldbody>"), HasSubstr("childclass"));
  // A wrong number in a default is told where it is used and where it stands.
  EXPECT_THAT(error("\n<default><geom density='-1'/></default>\n<worldbody><geom size='1'/></worldbody>"),
              AllOf(HasSubstr("f:3: <geom>"), HasSubstr("(from f:2)")));
}

TEST(Mjcf, OrientationsInAllForms) {
  const auto rotation = [](const std::string& attributes, const std::string& compiler = "") {
    const ModelDescription model = ParseMjcf(
        "<mujoco><compiler " + compiler + "/><worldbody><body " + attributes + "/></worldbody></mujoco>", "f");
    return model.links.at(0).X_PL.R;
  };
  const auto about = [](double angle, const Vector3& axis) {
    return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
  };
  const double right = std::numbers::pi / 2;
  const Matrix3 z90 = about(right, Vector3::UnitZ());
  EXPECT_TRUE(rotation("quat='2 0 0 2'").isApprox(z90));
  EXPECT_TRUE(rotation("axisangle='0 0 5 90'").isApprox(z90));
  EXPECT_TRUE(rotation("axisangle='0 0 5 1.5'", "angle='radian'").isApprox(about(1.5, Vector3::UnitZ())));
  EXPECT_TRUE(rotation("xyaxes='0 3 0 -1 1 0'").isApprox(z90));
  EXPECT_TRUE(rotation("zaxis='0 -1 0'").isApprox(about(right, Vector3::UnitX())));
  EXPECT_TRUE(rotation("zaxis='0 0 -1'").col(2).isApprox(-Vector3::UnitZ()));
  const Matrix3 x = about(0.1, Vector3::UnitX()), y = about(0.2, Vector3::UnitY()), z = about(0.3, Vector3::UnitZ());
  EXPECT_TRUE(rotation("euler='0.1 0.2 0.3'", "angle='radian'").isApprox(x * y * z));
  EXPECT_TRUE(rotation("euler='0.1 0.2 0.3'", "angle='radian' eulerseq='XYZ'").isApprox(z * y * x));
  EXPECT_TRUE(rotation("euler='0.3 0.2 0.1'", "angle='radian' eulerseq='zyx'").isApprox(z * y * x));
  const auto error = [&](const std::string& attributes) { return ErrorOf([&] { rotation(attributes); }); };
  EXPECT_THAT(error("quat='0 0 0 0'"), HasSubstr("not zero"));
  EXPECT_THAT(error("quat='1 0 0'"), HasSubstr("4 numbers"));
  EXPECT_THAT(error("quat='1 0 0 0' euler='0 0 0'"), HasSubstr("are both there"));
  EXPECT_THAT(error("zaxis='0 0 0'"), HasSubstr("length zero"));
  EXPECT_THAT(error("xyaxes='1 0 0 2 0 0'"), HasSubstr("not parallel"));
}

TEST(Mjcf, IncludesStandInPlace) {
  const TemporaryFolder folder;
  folder.Write("parts/geom.xml", "<mujocoinclude><geom name='in' size='1'/></mujocoinclude>");
  folder.Write("parts/deep.xml", "<mujoco>\n<include file='geom.xml'/>\n<geom name='deep' size='2'/></mujoco>");
  folder.Write("self.xml", "<mujoco><include file='self2.xml'/></mujoco>");
  folder.Write("self2.xml", "<mujoco><include file='self2.xml'/></mujoco>");
  const auto load = [&](const std::string& include) {
    const auto file = folder.Write("main.xml", "<mujoco><worldbody><geom name='first' size='1'/>" + include +
                                                   "<geom name='last' size='1'/></worldbody></mujoco>");
    return LoadMjcf(file);
  };
  const ModelDescription model = load("<include file='parts/deep.xml'/>");
  std::vector<std::string> names;
  for (const ShapeInstance& shape : model.world_shapes) names.push_back(shape.name);
  EXPECT_THAT(names, testing::ElementsAre("first", "in", "deep", "last"));
  const auto error = [&](const std::string& include) { return ErrorOf([&] { load(include); }); };
  EXPECT_THAT(error("<include file='parts/geom.xml'/><include file='parts/geom.xml'/>"), HasSubstr("included already"));
  EXPECT_THAT(error("<include file='no.xml'/>"), HasSubstr("is not there, looked for"));
  EXPECT_THAT(error("<include file='../../etc/passwd'/>"), HasSubstr("outside of the folders"));
  EXPECT_THAT(error("<include file='/etc/passwd'/>"), HasSubstr("outside of the folders"));
  EXPECT_THAT(error("<include/>"), HasSubstr("attribute 'file' is missing"));
  EXPECT_THAT(error("<include file='parts/geom.xml'><geom/></include>"), HasSubstr("there are elements in it"));
  EXPECT_THAT(ErrorOf([&] { LoadMjcf(folder.path() / "self.xml"); }), HasSubstr("included already"));
  // An error in an included file tells its place there.
  folder.Write("wrong.xml", "<mujoco>\n\n<geom size='x'/></mujoco>");
  EXPECT_THAT(error("<include file='wrong.xml'/>"), HasSubstr("wrong.xml:3: <geom>: attribute 'size' is 'x'"));
  MjcfSettings settings;
  settings.max_include_depth = 1;
  EXPECT_THAT(ErrorOf([&] {
                load("<include file='parts/deep.xml'/>");
                LoadMjcf(folder.path() / "main.xml", settings);
              }),
              HasSubstr("too deeply"));
}

TEST(Mjcf, CapsHold) {
  MjcfSettings settings;
  settings.xml.max_elements = 50;
  const auto error = [&](const std::string& text) {
    return ErrorOf([&] { ParseMjcf("<mujoco><worldbody>" + text + "</worldbody></mujoco>", "f", settings); });
  };
  EXPECT_THAT(error("<replicate count='100'><geom size='1'/></replicate>"), HasSubstr("too many"));
  EXPECT_THAT(error("<replicate count='1000000'/>"), HasSubstr("too many replicas"));
  EXPECT_THAT(error("<replicate count='0'/>"), HasSubstr("count"));
  EXPECT_EQ(error("<replicate count='10'><geom size='1'/></replicate>"), "");
}

TEST(Mjcf, FormatIsToldByTheRootElement) {
  const TemporaryFolder folder;
  EXPECT_EQ(FindModelFormat(folder.Write("a.urdf", "<mujoco/>")), ModelFormat::Mjcf);
  EXPECT_EQ(FindModelFormat(folder.Write("b.xml", "<robot/>")), ModelFormat::Urdf);
  EXPECT_THAT(ErrorOf([&] { FindModelFormat(folder.Write("c.xml", "<sdf/>")); }), HasSubstr("this is no model file"));
}

}  // namespace
}  // namespace tactus
