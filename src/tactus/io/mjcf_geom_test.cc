// Geoms, sites and meshes.
#include <cmath>
#include <numbers>
#include <string>

#include <Eigen/Eigenvalues>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/io/mjcf.h"
#include "tactus/io/temporary_folder_testing.h"

namespace tactus {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

constexpr double kPi = std::numbers::pi;

// A corner of a cube with a dent, as vertices and faces.
constexpr const char* kDented =
    "vertex='0 0 0 1 0 0 0 1 0 0 0 1 .125 .125 .125' face='2 0 3 0 1 3 0 2 1 1 2 4 2 3 4 3 1 4'";

ModelDescription World(const std::string& content, const std::string& assets = "", const std::string& compiler = "") {
  return ParseMjcf("<mujoco><compiler " + compiler + "/><asset>" + assets + "</asset><worldbody>\n" + content +
                       "</worldbody></mujoco>",
                   "f.xml");
}

ShapeInstance Geom(const std::string& attributes) { return World("<geom " + attributes + "/>").world_shapes.at(0); }

std::string GeomError(const std::string& attributes) {
  return ErrorOf([&] { Geom(attributes); });
}

// The inertia of a free body of one geom.
LinkInertia Inertia(const std::string& geom, const std::string& assets = "", const std::string& compiler = "") {
  return *World("<body><geom " + geom + "/></body>", assets, compiler).links.at(0).inertia;
}

TEST(MjcfGeom, ReadsTypesAndSizes) {
  const ShapeInstance sphere = Geom("name='g' size='1' pos='1 2 3' quat='1 0 0 1'");
  EXPECT_EQ(sphere.name, "g");
  EXPECT_EQ(sphere.shape.type, ShapeType::Sphere);
  EXPECT_EQ(sphere.X_LS.p, Vector3(1, 2, 3));
  EXPECT_TRUE(sphere.X_LS.R.col(0).isApprox(Vector3::UnitY()));
  EXPECT_TRUE(sphere.collides);
  EXPECT_EQ(Geom("type='capsule' size='1 2 3'").shape.size, Vector3(1, 2, 0));
  EXPECT_EQ(Geom("type='cylinder' size='1 2'").shape.type, ShapeType::Cylinder);
  EXPECT_EQ(Geom("type='box' size='1 2 3'").shape.size, Vector3(1, 2, 3));
  EXPECT_EQ(Geom("type='ellipsoid' size='1 2 3'").shape.type, ShapeType::Ellipsoid);
  EXPECT_EQ(Geom("type='plane' size='0 0 1'").shape.type, ShapeType::HalfSpace);
  EXPECT_THAT(GeomError("type='cone' size='1'"), HasSubstr("plane, hfield, sphere"));
  EXPECT_THAT(GeomError("type='box' size='1 1'"), HasSubstr("3 numbers > 0"));
  EXPECT_THAT(GeomError("type='box' size='1 1 nan'"), HasSubstr("attribute 'size' is '1 1 nan'"));
  EXPECT_THAT(GeomError(""), HasSubstr("attribute 'size' is missing"));
  EXPECT_THAT(GeomError("size='-1'"), HasSubstr("> 0"));
  EXPECT_THAT(GeomError("type='sdf' size='1'"), HasSubstr("plugin"));
  EXPECT_THAT(ErrorOf([] { World("<body><joint/><geom size='1'/><geom type='plane' size='1 1 1'/></body>"); }),
              HasSubstr("on a body that moves"));
}

TEST(MjcfGeom, FromTo) {
  const ShapeInstance capsule = Geom("type='capsule' size='0.1' fromto='1 0 0 1 0 4'");
  EXPECT_EQ(capsule.shape.size, Vector3(0.1, 2, 0));
  EXPECT_TRUE(capsule.X_LS.p.isApprox(Vector3(1, 0, 2)));
  // z points from the second end to the first, by the smallest turn: a square box shows it.
  const ShapeInstance box = Geom("type='box' size='0.1' fromto='0 0 0 1 2 -.5'");
  EXPECT_NEAR(box.shape.size[2], std::sqrt(5.25) / 2, 1e-15);
  EXPECT_EQ(box.shape.size[1], 0.1);
  const Quaternion expected(0.78045432, 0.55920734, -0.27960367, 0);  // MuJoCo's
  EXPECT_LT((box.X_LS.R - expected.matrix()).norm(), 1e-7);
  EXPECT_THAT(GeomError("size='0.1' fromto='0 0 0 1 2 3'"), HasSubstr("none for this type"));
  EXPECT_THAT(GeomError("type='capsule' size='0.1' fromto='0 0 0 0 0 0'"), HasSubstr("apart"));
  const SiteDescription site = World("<site name='s' fromto='0 0 0 0 0 2'/>").sites.at(0);
  EXPECT_EQ(site.X_LS.p, Vector3(0, 0, 1));
}

TEST(MjcfGeom, ContactProperties) {
  const ShapeInstance geom = Geom("size='1' friction='0.3' contype='2' conaffinity='4' condim='1'");
  EXPECT_EQ(geom.material.friction, 0.3);
  EXPECT_EQ(geom.contact_type, 2u);
  EXPECT_EQ(geom.contact_affinity, 4u);
  EXPECT_TRUE(geom.material.frictionless);
  EXPECT_FALSE(Geom("size='1' contype='0' conaffinity='0'").collides);
  EXPECT_TRUE(Geom("size='1' contype='0'").collides);
  EXPECT_EQ(Geom("size='1' contype='-1'").contact_type, 0xffffffffu);
  EXPECT_THAT(GeomError("size='1' condim='2'"), HasSubstr("1, 3, 4 or 6"));
  EXPECT_THAT(GeomError("size='1' friction='-1'"), HasSubstr(">= 0"));
}

TEST(MjcfGeom, MassAndDensity) {
  EXPECT_NEAR(Inertia("type='box' size='1 2 3'").mass, 48000, 1e-9);
  EXPECT_NEAR(Inertia("type='box' size='1 2 3' density='2'").mass, 96, 1e-12);
  const LinkInertia given = Inertia("type='box' size='1 2 3' mass='3' density='7' pos='0 0 1' euler='90 0 0'");
  EXPECT_EQ(given.mass, 3);
  EXPECT_EQ(given.com, Vector3(0, 0, 1));
  EXPECT_TRUE(given.central.diagonal().isApprox(Vector3(4 + 9, 1 + 4, 1 + 9)));
  EXPECT_NEAR(Inertia("size='2' shellinertia='true'").mass, 1000 * 16 * kPi, 1e-9);
  EXPECT_THAT(ErrorOf([] { Inertia("type='ellipsoid' size='1 2 3' shellinertia='true'"); }), HasSubstr("ellipsoids"));
  EXPECT_THAT(ErrorOf([] { Inertia("size='1' mass='-1'"); }), HasSubstr(">= 0"));
}

TEST(MjcfMesh, StaysWhereItIs) {
  const ModelDescription model = World("<geom type='mesh' mesh='m' pos='1 0 0'/>",
                                       std::string("<mesh name='m' scale='2 2 -2' refpos='1 0 0' ") + kDented + "/>");
  const ShapeInstance& shape = model.world_shapes.at(0);
  EXPECT_EQ(shape.shape.type, ShapeType::Mesh);
  EXPECT_EQ(shape.X_LS.p, Vector3(1, 0, 0));  // vertices are not moved to the centre of mass
  EXPECT_EQ(shape.shape.mesh->vertices[0], Vector3(-2, 0, 0));
  EXPECT_EQ(shape.shape.mesh->vertices[3], Vector3(-2, 0, -2));
  EXPECT_EQ(shape.shape.mesh->triangles[0], (std::array<int, 3>{2, 3, 0}));  // outside stays outside
  const ModelDescription turned =
      World("<geom type='mesh' mesh='m'/>", std::string("<mesh name='m' refquat='1 0 0 1' ") + kDented + "/>");
  EXPECT_LT((turned.world_shapes[0].shape.mesh->vertices[1] - Vector3(0, -1, 0)).norm(), 1e-15);
}

TEST(MjcfMesh, InertiaOfAllKinds) {
  const auto mass = [](const std::string& kind) {
    return Inertia("type='mesh' mesh='m' density='1'", "<mesh name='m' " + kind + " " + kDented + "/>").mass;
  };
  const double corner = 1.0 / 6, dent = corner - 3 * 0.125 / 6;
  EXPECT_NEAR(mass("inertia='convex'"), corner, 1e-15);
  EXPECT_NEAR(mass("inertia='exact'"), 3 * 0.125 / 6, 1e-15);
  EXPECT_GT(dent, 0);
  EXPECT_GT(mass("inertia='legacy'"), corner * 0.9);
  // Without a word of the file the box with its inertia counts, or its volume.
  MjcfSettings volume;
  volume.mesh_mass = MeshMassRule::Volume;
  const auto by_rule = [](const MjcfSettings& settings) {
    const ModelDescription model = ParseMjcf(std::string("<mujoco><asset><mesh name='m' ") + kDented +
                                                 "/></asset><worldbody><body><geom type='mesh' mesh='m' density='1'/>"
                                                 "</body></worldbody></mujoco>",
                                             "f", settings);
    return std::pair(*model.links[0].inertia, model.warnings.size());
  };
  EXPECT_EQ(by_rule(volume).first.mass, mass("inertia='legacy'"));
  EXPECT_EQ(by_rule(volume).second, 0u);
  EXPECT_EQ(by_rule({}).second, 1u);
  const LinkInertia box = by_rule({}).first;
  const Vector3 principal = Eigen::SelfAdjointEigenSolver<Matrix3>(box.central).eigenvalues();
  const Vector3 squares = (Vector3::Constant(principal.sum() / 2) - principal) * 12 / box.mass;
  EXPECT_NEAR(std::sqrt(squares.prod()), box.mass, 1e-12);
  EXPECT_NEAR(Inertia("type='mesh' mesh='m' density='1'", std::string("<mesh name='m' ") + kDented + "/>",
                      "exactmeshinertia='true'")
                  .mass,
              mass("inertia='exact'"), 1e-15);
  EXPECT_GT(mass("inertia='shell'"), 1.5);
  const LinkInertia inertia =
      Inertia("type='mesh' mesh='m' mass='6'", std::string("<mesh name='m' inertia='convex' ") + kDented + "/>");
  EXPECT_TRUE(inertia.com.isApprox(Vector3::Constant(0.25)));
  EXPECT_NEAR(inertia.central(0, 0), 6.0 * 2 * 3 / 80, 1e-12);
}

TEST(MjcfMesh, VerticesAloneAreTheirHull) {
  const ModelDescription model =
      World("<geom type='mesh' mesh='m'/>", "<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1 .1 .1 .1'/>");
  EXPECT_EQ(model.world_shapes[0].shape.mesh->vertices.size(), 4u);
  EXPECT_EQ(model.world_shapes[0].shape.mesh->triangles.size(), 4u);
}

TEST(MjcfMesh, PrimitivesAreFittedToMeshes) {
  // A box of 1 x 2 x 4 at (1, 1, 1), whose axes are not in the order of their lengths.
  const std::string mesh = "<mesh name='m' vertex='-1 .5 0 -1 .5 2 -1 1.5 0 -1 1.5 2 3 .5 0 3 .5 2 3 1.5 0 3 1.5 2'/>";
  for (const char* compiler : {"", "fitaabb='true'"}) {
    const ShapeInstance box =
        World("<geom type='box' mesh='m' fitscale='2' pos='0 0 1'/>", mesh, compiler).world_shapes[0];
    EXPECT_EQ(box.shape.type, ShapeType::Box);
    EXPECT_FALSE(box.shape.mesh);
    EXPECT_TRUE(box.shape.size.isApprox(Vector3(1, 2, 4), 1e-9)) << box.shape.size.transpose();
    EXPECT_TRUE(box.X_LS.p.isApprox(Vector3(1, 1, 2)));
    EXPECT_NEAR(std::abs(box.X_LS.R(0, 2)), 1, 1e-9);
    EXPECT_NEAR(box.X_LS.R.determinant(), 1, 1e-12);
  }
  const auto size = [&](const std::string& type, const std::string& compiler) {
    return World("<geom type='" + type + "' mesh='m'/>", mesh, compiler).world_shapes[0].shape.size;
  };
  EXPECT_NEAR(size("sphere", "")[0], (0.5 + 1 + 2) / 3, 1e-9);
  EXPECT_TRUE(size("capsule", "").isApprox(Vector3(0.75, 2 - 0.375, 0), 1e-9));
  EXPECT_TRUE(size("cylinder", "").isApprox(Vector3(0.75, 2, 0), 1e-9));
  EXPECT_NEAR(size("sphere", "fitaabb='true'")[0], std::sqrt(0.25 + 1 + 4), 1e-9);
  EXPECT_NEAR(size("cylinder", "fitaabb='true'")[0], std::sqrt(1.25), 1e-9);
}

TEST(MjcfMesh, RefusesBrokenMeshes) {
  const auto error = [](const std::string& attributes) {
    return ErrorOf([&] { World("<geom type='mesh' mesh='m'/>", "<mesh name='m' " + attributes + "/>"); });
  };
  EXPECT_THAT(error(""), HasSubstr("neither a file nor vertices"));
  EXPECT_THAT(error("vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 4'"), HasSubstr("in face 0, vertex 4 does not exist"));
  EXPECT_THAT(error("vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1'"), HasSubstr("no multiple of 3"));
  EXPECT_THAT(error("vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 -1'"), HasSubstr("'-1' in it"));
  EXPECT_THAT(error("vertex='0 0 0 1 0 0 0 1 0 0 0' face='0 1 2'"), HasSubstr("vertex"));
  EXPECT_THAT(error("vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1'"), HasSubstr("mesh volume is too small"));
  EXPECT_THAT(error("vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='2 0 3 0 1 3 1 2 3 0 1 2' inertia='exact'"),
              HasSubstr("inconsistent orientation"));
  EXPECT_THAT(error("vertex='0 0 0 0 0 0 0 0 0 0 0 0' face='0 1 2' inertia='shell'"),
              HasSubstr("surface area is too small"));
  EXPECT_THAT(error("vertex='0 0 0 1 0 0 0 1 0 1 1 0' face='0 1 2' inertia='shell'"), HasSubstr("coplanar"));
  EXPECT_THAT(error("vertex='nan 0 0 1 0 0 0 1 0 0 0 1'"), HasSubstr("vertex"));
  EXPECT_THAT(ErrorOf([] { World("", "<mesh file='a.obj'/><mesh file='b/a.obj'/>"); }),
              HasSubstr("another mesh of the name 'a'"));
  EXPECT_THAT(ErrorOf([] { World("<geom type='mesh' mesh='no'/>"); }), HasSubstr("the name of a mesh in <asset>"));
  EXPECT_THAT(ErrorOf([] { World("", "<hfield name='h' nrow='2' ncol='2' size='1 1 1 1' elevation='1 2 3'/>"); }),
              HasSubstr("nrow times ncol"));
}

TEST(MjcfMesh, FilesAreReadFromTheirFolder) {
  const TemporaryFolder folder;
  folder.Write("meshes/tetra.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  folder.Write("meshes/broken.obj", "v 0 0\n");
  const auto load = [&](const std::string& compiler, const std::string& file, const std::string& geom,
                        const MjcfSettings& settings = {}) {
    return LoadMjcf(folder.Write("m.xml", "<mujoco><compiler " + compiler + "/><asset><mesh name='m' file='" + file +
                                              "'/></asset><worldbody><body><geom type='mesh' mesh='m' " + geom +
                                              "/></body></worldbody></mujoco>"),
                    settings);
  };
  EXPECT_NEAR(load("meshdir='meshes' exactmeshinertia='true'", "tetra.obj", "density='6'").links[0].inertia->mass, 1,
              1e-12);
  EXPECT_NEAR(load("assetdir='meshes' strippath='true' exactmeshinertia='true'", "C:/x/tetra.obj", "density='6'")
                  .links[0]
                  .inertia->mass,
              1, 1e-12);
  const auto error = [&](const std::string& file, const std::string& geom) {
    return ErrorOf([&] { load("meshdir='meshes'", file, geom); });
  };
  EXPECT_THAT(error("no.obj", ""), HasSubstr("and its mass comes from it"));
  EXPECT_THAT(error("no.obj", "mass='0'"), AllOf(HasSubstr("collision mesh 'm' is not there")));
  EXPECT_THAT(error("../../x.obj", "mass='0'"), HasSubstr("outside of the folders"));
  EXPECT_THAT(error("broken.obj", ""), HasSubstr("broken.obj"));
  MjcfSettings warn;
  warn.missing_meshes = MissingMeshes::Warn;
  const ModelDescription model = load("", "no.obj", "mass='0'", warn);
  EXPECT_FALSE(model.links[0].shapes[0].collides);
  EXPECT_THAT(model.warnings,
              Contains(AllOf(HasSubstr("the geom does not collide"), HasSubstr("mesh 'm' is not there"))));
  // Those for show are warnings in any case.
  EXPECT_THAT(load("", "no.dae", "mass='0' contype='0' conaffinity='0'").warnings,
              Contains(HasSubstr("a mesh file for show cannot be read")));
  MjcfSettings without;
  without.read_visual_meshes = false;
  EXPECT_FALSE(load("meshdir='meshes'", "tetra.obj", "mass='0' contype='0' conaffinity='0'", without)
                   .links[0]
                   .shapes[0]
                   .shape.mesh);
}

}  // namespace
}  // namespace tactus
