// Deformables: what they are made of, how they are held.
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/deformable/mesh/tet_edit.h"
#include "tactus/deformable/mesh/tet_shapes.h"
#include "tactus/io/mesh/gmsh_program.h"
#include "tactus/io/mesh/mesh_file.h"
#include "tactus/io/mesh/tet_file.h"
#include "tactus/io/parse_number.h"
#include "tactus/scene/item_keys.h"
#include "tactus/scene/scene_tables.h"

namespace tactus::scene {

namespace {

using D = SceneDeformable;
constexpr double kLargest = 1e6;
// Tetrahedra beyond this are refused: they would fill the memory.
constexpr double kMostCells = 2e6;

Codec<double> Length() { return Number({0, kLargest, true, "m"}); }

struct MeshValues {
  Vector3 size = Vector3::Ones();
  double radius = 0, length = 0;
  std::optional<double> edge;
  std::vector<double> cells;
  std::string file;
  double scale = 1;
  std::vector<TetBox> holes;
  std::vector<double> layers;
  double taper = 1;
};

struct MeshKind {
  Keys<MeshValues> keys;
  TetMesh (*make)(const Cursor& cursor, const MeshValues& values);
};

void CheckCells(const Cursor& cursor, double cells) {
  if (cells <= kMostCells) return;
  cursor.Fail(fmt::format("it takes about {:.2g} cells", cells), fmt::format("at most {:g}", kMostCells));
}

// Of a box: `cells`, or by the longest edge.
std::array<int, 3> FindCells(const Cursor& cursor, const MeshValues& values) {
  if (cursor.Has("cells") == values.edge.has_value()) cursor.Fail("it has both or none of cells and edge", "one");
  if (values.edge) {
    CheckCells(cursor, (values.size / *values.edge).array().ceil().prod());
    return CalcCells(values.size, *values.edge);
  }
  std::array<int, 3> out{};
  for (std::size_t k = 0; k < 3; ++k) {
    out[k] = static_cast<int>(values.cells[k]);
    if (out[k] < 1 || out[k] != values.cells[k]) cursor.Key("cells").FailValue("three whole numbers >= 1");
  }
  CheckCells(cursor, values.cells[0] * values.cells[1] * values.cells[2]);
  return out;
}

TetMesh MakeBox(const Cursor& cursor, const MeshValues& v) {
  const std::array<int, 3> cells = FindCells(cursor, v);
  TetMesh mesh = MakeBoxTets(v.size, cells);
  if (!v.layers.empty()) {
    if (static_cast<int>(v.layers.size()) != cells[2]) {
      cursor.Key("layers").FailValue(fmt::format("{} numbers, as there are cells along z", cells[2]));
    }
    SetLayers(v.layers, &mesh);
  }
  return v.holes.empty() ? mesh : CutHoles(mesh, v.holes);
}
TetMesh MakeBeam(const Cursor& cursor, const MeshValues& v) {
  return MakeBeamTets(v.size[0], v.size[1], v.size[2], FindCells(cursor, v));
}
TetMesh MakeMat(const Cursor& cursor, const MeshValues& v) {
  return MakeMatTets(v.size[0], v.size[1], v.size[2], FindCells(cursor, v));
}
TetMesh MakeBall(const Cursor& cursor, const MeshValues& v) {
  CheckCells(cursor, 8 * v.radius * v.radius * v.radius / (*v.edge * *v.edge * *v.edge));
  return MakeBallTets(v.radius, *v.edge);
}
TetMesh MakeCylinder(const Cursor& cursor, const MeshValues& v) {
  CheckCells(cursor, 4 * v.radius * v.radius * v.length / (*v.edge * *v.edge * *v.edge));
  TetMesh mesh = MakeCylinderTets(v.radius, v.length, *v.edge);
  if (v.taper != 1) TaperAlongZ(v.taper, &mesh);
  return mesh;
}

std::filesystem::path FindFile(const Cursor& cursor, const MeshValues& v, const char* expected) {
  const Context& context = cursor.context();
  const FileLookup lookup = context.roots->Find(v.file, context.folder);
  if (lookup.status != FileStatus::Found) {
    cursor.Key("file").Fail(fmt::format("'{}' {}", Quote(v.file), lookup.reason), expected);
  }
  return lookup.path;
}

TetMesh ReadFile(const Cursor& cursor, const MeshValues& v) {
  TetMesh mesh = ReadTetFile(FindFile(cursor, v, "a .msh or .vtk file"), *cursor.context().roots);
  for (Vector3& node : mesh.nodes) node *= v.scale;
  // A file may number all tetrahedra the other way round; where only some are, these are inverted and refused.
  TetMesh turned = mesh;
  if (FixOrientation(&turned) == static_cast<int>(mesh.tets.size())) mesh = std::move(turned);
  CheckTetMesh(mesh, v.file);
  return mesh;
}

TetMesh FillSurface(const Cursor& cursor, const MeshValues& v) {
  const std::filesystem::path file = FindFile(cursor, v, "a .obj or .stl file");
  if (MeshFormatOf(file) == MeshFormat::Unknown) cursor.Key("file").FailValue("a .obj or .stl file");
  const TriangleMesh surface = *MeshLibrary(cursor.context().roots).Load(file, Vector3::Constant(v.scale));
  Vector3 low = Vector3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const Vector3& vertex : surface.vertices) {
    low = low.cwiseMin(vertex);
    high = high.cwiseMax(vertex);
  }
  if (!surface.vertices.empty()) CheckCells(cursor, ((high - low) / *v.edge).prod());
  GmshSettings settings;
  settings.edge = *v.edge;
  return FillWithTets(surface, settings, v.file);
}

const Keys<TetBox>& HoleKeys() {
  static const Keys<TetBox> keys =
      Keys<TetBox>("hole", "A box that is left out of a mesh: all tetrahedra whose middle is in it.")
          .Add("low", &TetBox::low, Vector(Within(-kLargest, kLargest, "m")), "[m]")
          .Required()
          .Add("high", &TetBox::high, Vector(Within(-kLargest, kLargest, "m")), "[m]")
          .Required();
  return keys;
}

// The three boxes differ by where their origin is.
Keys<MeshValues> BoxKeys(const char* type, const char* help) {
  Keys<MeshValues> keys(std::string("tets_") + type, help, type);
  keys.Add("size", &MeshValues::size, Vector({0, kLargest, true, "m"}), "along x, y, z [m]").Required();
  keys.Add("cells", &MeshValues::cells, Numbers(Within(1, 1e6), 3, 3), "along x, y, z; of five tetrahedra each");
  keys.Add("edge", &MeshValues::edge, Maybe(Length()), "in place of cells: none is longer [m]");
  return keys;
}

Keys<MeshValues> RoundKeys(const char* type, const char* help) {
  Keys<MeshValues> keys(std::string("tets_") + type, help, type);
  keys.Add("radius", &MeshValues::radius, Length(), "[m]").Required();
  keys.Add("edge", &MeshValues::edge, Maybe(Length()), "of the cells, about [m]").Required();
  return keys;
}

const std::vector<MeshKind>& MeshKinds() {
  static const std::vector<MeshKind> kinds = {
      {BoxKeys("box", "A box about the origin.")
           .Add("holes", &MeshValues::holes, List(Object(HoleKeys()), 10000),
                "left out; along the borders of cells for plane walls")
           .Add("layers", &MeshValues::layers, Numbers(Above(0), 1, 100000),
                "how high cells are along z, from below, relative to each other; else all the same"),
       MakeBox},
      {BoxKeys("beam", "A box from x = 0, centred in y and z."), MakeBeam},
      {BoxKeys("mat", "A box from z = 0 upwards, centred in x and y."), MakeMat},
      {RoundKeys("ball", "A ball about the origin."), MakeBall},
      {RoundKeys("cylinder", "A cylinder along z about the origin.")
           .Add("length", &MeshValues::length, Length(), "[m]")
           .Required()
           .Add("taper", &MeshValues::taper, Number({0, 1e3, true, ""}), "radius at its upper end, of that below"),
       MakeCylinder},
      {Keys<MeshValues>("tets_file", "Tetrahedra out of a Gmsh or VTK file, ASCII.", "file")
           .Add("file", &MeshValues::file, Text(), ".msh or .vtk, relative to the scene's file")
           .Required()
           .Add("scale", &MeshValues::scale, Number({0, 1e6, true, ""}), "of its coordinates"),
       ReadFile},
      {Keys<MeshValues>("tets_surface", "A closed surface of triangles, filled by the program gmsh (Debian's package).",
                        "surface")
           .Add("file", &MeshValues::file, Text(), ".obj or .stl, relative to the scene's file")
           .Required()
           .Add("edge", &MeshValues::edge, Maybe(Length()), "of the cells inside, at most about [m]")
           .Required()
           .Add("scale", &MeshValues::scale, Number({0, 1e6, true, ""}), "of its coordinates"),
       FillSurface},
  };
  return kinds;
}

std::string MeshSchema() {
  std::vector<const TableInfo*> tables;
  for (const MeshKind& kind : MeshKinds()) tables.push_back(&kind.keys.info());
  return KindSchema(tables);
}

void ReadMesh(const Cursor& cursor, D* out) {
  std::vector<std::string> types;
  for (const MeshKind& kind : MeshKinds()) types.push_back(kind.keys.info().type);
  const MeshKind& kind = MeshKinds()[FindKind(cursor, types)];
  MeshValues values;
  kind.keys.Read(cursor, &values);
  try {
    out->mesh = std::make_shared<const TetMesh>(kind.make(cursor, values));
  } catch (const InputError& error) {
    // What a key is wrong about says where it is.
    const std::string what = error.what(), here = cursor.where();
    if (what.starts_with(here)) throw;
    throw InputError(here + ": " + what);
  }
}

const Keys<SceneClamp>& ClampKeys() {
  static const Keys<SceneClamp> keys = [] {
    Keys<SceneClamp> k("clamp", "Nodes or segments that are held, or move as told.");
    AddItemKeys(&k);
    k.Add("motion", &SceneClamp::motion, Maybe(MotionCodec()),
          "of a frame in the middle of them that is not turned, by what its poses differ from the first; none: they "
          "stay");
    k.Finally([](const Cursor& cursor, SceneClamp* out) { CheckItems(cursor, out->items); });
    return k;
  }();
  return keys;
}

const Keys<SceneAttachment>& AttachmentKeys() {
  static const Keys<SceneAttachment> keys = [] {
    using A = SceneAttachment;
    Keys<A> k("attachment", "Nodes or segments that stay where they are on a body at the start.");
    AddItemKeys(&k);
    k.Add("body", &A::body, Text(), "an object, a link as model/link, or world").Required();
    k.Add("from", &A::from, Number(Within(-1e9, 1e9, "s")), "it holds in steps that begin then or later [s]")
        .Default("");
    k.Add("to", &A::to, Number(Within(-1e9, 1e9, "s")), "it holds in steps that begin before [s]").Default("");
    k.Finally([](const Cursor& cursor, A* out) { CheckItems(cursor, out->items); });
    return k;
  }();
  return keys;
}

// A key that is a member of a part of the deformable.
template <typename Part, typename V>
Keys<D>& AddPart(const char* key, Part D::*part, V Part::*member, const Codec<V>& codec, const char* help,
                 Keys<D>* keys) {
  keys->AddRead(
      key, [part, member, codec](const Cursor& cursor, D* out) { codec.read(cursor, &(out->*part.*member)); },
      codec.schema, help);
  return keys->Default(codec.Show(Part().*member));
}

void ReadMask(const Cursor& cursor, unsigned* mask) {
  int value = 0;
  Integer(0, std::numeric_limits<int>::max()).read(cursor, &value);
  *mask = static_cast<unsigned>(value);
}

// The keys that all kinds have.
Keys<D> Begin(const char* type, const char* help) {
  Keys<D> keys(std::string("deformable_") + type, help, type);
  static const std::string mask_schema = Integer(0, std::numeric_limits<int>::max()).schema;
  keys.Add("name", &D::name, Name(), "by which others refer to it").Required();
  keys.Add("material", &D::material, MaterialCodec(), "of its surface: a name of `materials`, or its keys");
  keys.Add("pose", &D::pose, PoseCodec(), "at the start, of the frame it is made in");
  keys.AddRead(
      "velocity",
      [](const Cursor& cursor, D* out) { ReadVelocity(cursor, &out->linear_velocity, &out->angular_velocity); },
      R"({"$ref": "#/$defs/velocity"})", "at the start, as of a rigid body");
  keys.Add("self_contact", &D::self_contact, Bool(), "true: it touches itself");
  keys.Add("collides", &D::collides, Bool(), "false: it touches nothing");
  keys.AddRead(
          "group", [](const Cursor& cursor, D* out) { ReadMask(cursor, &out->contact_type); }, mask_schema,
          "bits; it collides with what has one of them in its mask, either way round")
      .Default("1");
  keys.AddRead(
          "mask", [](const Cursor& cursor, D* out) { ReadMask(cursor, &out->contact_affinity); }, mask_schema,
          "bits of the groups that it collides with")
      .Default("1");
  keys.Add("pieces", &D::pieces, Integer(1, 100000),
           "subsystems that it is cut into, for `subadmm`; the motion is the same");
  keys.Add("clamps", &D::clamps, List(Object(ClampKeys()), 1000), "what is held");
  keys.Add("attachments", &D::attachments, List(Object(AttachmentKeys()), 1000), "what stays on bodies");
  return keys;
}

Keys<D> FemKeys() {
  Keys<D> k = Begin("fem", "A solid of linear tetrahedra.");
  k.AddRead("mesh", ReadMesh, MeshSchema(), "its tetrahedra").Required();
  using M = FemMaterial;
  AddPart("young", &D::fem, &M::young, Number(Above(0, "Pa")), "Young's modulus E [Pa]", &k);
  AddPart("poisson", &D::fem, &M::poisson, Number(Within(-0.99, 0.499)), "Poisson's ratio", &k);
  AddPart("density", &D::fem, &M::density, Number(Above(0, "kg/m^3")), "[kg/m^3]", &k);
  AddPart("mass_damping", &D::fem, &M::mass_damping, Number(AtLeast(0, "1/s")), "alpha of alpha M + beta K [1/s]", &k);
  AddPart("stiffness_damping", &D::fem, &M::stiffness_damping, Number(AtLeast(0, "s")), "beta [s]", &k);
  AddPart("model", &D::fem, &M::model,
          Choice<FemModel>({{"corotational", FemModel::Corotational}, {"neo_hookean", FemModel::NeoHookean}}),
          "corotational (strains up to some ten percent) or neo_hookean", &k);
  using F = FemSettings;
  AddPart("masses", &D::fem_settings, &F::mass,
          Choice<FemMass>({{"lumped", FemMass::Lumped}, {"consistent", FemMass::Consistent}}), "lumped or consistent",
          &k);
  AddPart("geometric_bound", &D::fem_settings, &F::geometric_bound, Bool(),
          "a diagonal bound of the geometric stiffness in A: calmer, but it damps turning", &k);
  k.Add("cables", &D::cables, List(Object(CableKeys()), 1000), "that pull it, for controllers of type soft");
  k.Add("cavities", &D::cavities, List(Object(CavityKeys()), 1000), "that press it, likewise");
  k.Add("motors", &D::motors, List(Object(MotorKeys()), 1000), "that move nodes of it, likewise");
  k.Finally([](const Cursor& cursor, D* out) {
    out->type = SceneDeformableType::Fem;
    out->place = cursor.where();
  });
  return k;
}

Keys<D> RodKeys() {
  Keys<D> k = Begin("rod", "A rod or cable of rigid segments joined by springs, from the origin along x.");
  using R = RodSettings;
  AddPart("length", &D::rod, &R::length, Length(), "[m]", &k).Required();
  AddPart("segments", &D::rod, &R::segments, Integer(2, 100000), "of equal length", &k);
  AddPart("radius", &D::rod, &R::radius, Length(), "of its round cross section [m]", &k).Required();
  AddPart("young", &D::rod, &R::young, Number(Above(0, "Pa")), "Young's modulus E [Pa]", &k);
  AddPart("poisson", &D::rod, &R::poisson, Number(Within(-0.99, 0.499)), "Poisson's ratio", &k);
  AddPart("density", &D::rod, &R::density, Number(Above(0, "kg/m^3")), "[kg/m^3]", &k);
  AddPart("mass_damping", &D::rod, &R::mass_damping, Number(AtLeast(0, "1/s")), "alpha of alpha M + beta K [1/s]", &k);
  AddPart("geometry", &D::rod, &R::geometry,
          Choice<RodGeometry>(
              {{"none", RodGeometry::None}, {"bound", RodGeometry::Bound}, {"positive", RodGeometry::Positive}}),
          "what stands for the geometric stiffness: none, bound (a drag) or positive (keeps momentum)", &k);
  AddPart("stiffness_damping", &D::rod, &R::stiffness_damping, Number(AtLeast(0, "s")), "beta [s]", &k);
  k.Finally([](const Cursor& cursor, D* out) {
    out->type = SceneDeformableType::Rod;
    out->place = cursor.where();
  });
  return k;
}

}  // namespace

const std::vector<Kind<SceneDeformable>>& DeformableKinds() {
  static const std::vector<Kind<D>> kinds = {{FemKeys()}, {RodKeys()}};
  return kinds;
}

const Keys<SceneGoal>& GoalPartKeys() {
  static const Keys<SceneGoal> keys = [] {
    Keys<SceneGoal> k("goal_part", "Nodes or segments that a goal is about.");
    AddItemKeys(&k);
    k.Finally([](const Cursor& cursor, SceneGoal* out) { CheckItems(cursor, out->items); });
    return k;
  }();
  return keys;
}

std::vector<const TableInfo*> DeformableTables() {
  std::vector<const TableInfo*> tables;
  for (const Kind<D>& kind : DeformableKinds()) tables.push_back(&kind.keys.info());
  for (const MeshKind& kind : MeshKinds()) tables.push_back(&kind.keys.info());
  tables.push_back(&ClampKeys().info());
  tables.push_back(&AttachmentKeys().info());
  tables.push_back(&HoleKeys().info());
  for (const TableInfo* info : {&CableKeys().info(), &CavityKeys().info(), &MotorKeys().info()}) tables.push_back(info);
  return tables;
}

}  // namespace tactus::scene
