#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Eigenvalues>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/geometry/convex_hull.h"
#include "tactus/io/mjcf_elements.h"
#include "tactus/io/parse_number.h"

namespace tactus::mjcf {

namespace {

std::vector<int> ReadFaces(const XmlElement& xml) {
  std::vector<int> indices;
  std::string_view rest = xml.Text("face");
  for (std::string_view token = TakeToken(&rest); !token.empty(); token = TakeToken(&rest)) {
    const auto index = ParseInteger(token);
    if (!index || *index < 0 || *index > 100000000) {
      xml.Fail(fmt::format("attribute 'face' has '{}' in it", Quote(token, 30)), "numbers of vertices, from 0 on");
    }
    indices.push_back(static_cast<int>(*index));
  }
  if (indices.size() % 3 != 0) xml.Fail("attribute 'face' has a length that is no multiple of 3", "triangles");
  return indices;
}

// As much mass as the box has that has the same inertia, for its mass.
void TakeInertiaBox(MassProperties* p) {
  const Eigen::SelfAdjointEigenSolver<Matrix3> solver(p->central / p->measure, Eigen::EigenvaluesOnly);
  const Vector3& I = solver.eigenvalues();
  double volume = 1;
  for (int i = 0; i < 3; ++i) volume *= std::sqrt(std::max(0.0, 6 * (I.sum() - 2 * I[i])));
  p->central *= volume / p->measure;
  p->measure = volume;
}

}  // namespace

// vertex="x y z ..." face="i j k ...".
void Meshes::ReadGiven(const XmlElement& xml, Asset* asset) {
  const std::vector<int> indices = ReadFaces(xml);
  if (!xml.Has("vertex")) {
    if (!indices.empty() && asset->file.empty()) xml.Fail("attribute 'face' is there without 'vertex'", "both");
    return;
  }
  const std::vector<double> numbers = xml.RequireNumbers("vertex", 12, xml.Text("vertex").size());
  if (numbers.size() % 3 != 0) xml.Fail("attribute 'vertex' has a length that is no multiple of 3", "x y z each");
  TriangleMesh& mesh = asset->given;
  for (std::size_t i = 0; i < numbers.size(); i += 3) {
    mesh.vertices.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
  }
  for (std::size_t i = 0; i < indices.size(); i += 3) {
    for (std::size_t k = i; k < i + 3; ++k) {
      if (indices[k] >= static_cast<int>(mesh.vertices.size())) {
        xml.Fail(fmt::format("in face {}, vertex {} does not exist", i / 3, indices[k]),
                 fmt::format("numbers from 0 to {}", mesh.vertices.size() - 1));
      }
    }
    mesh.triangles.push_back({indices[i], indices[i + 1], indices[i + 2]});
  }
  if (mesh.triangles.empty()) mesh = MakeConvexHull(mesh.vertices, xml.where());
}

void Meshes::Add(const Element& element, const Compiler& compiler, MeshMassRule rule, Names* names) {
  const XmlElement& xml = element.xml();
  Asset asset{.at = xml, .file = std::string(xml.Text("file")), .given = {}, .reason = {}, .loaded = {}};
  if (element.Has("builtin"))
    xml.Fail("attribute 'builtin' makes a mesh of a kind that is not supported", "a file, or vertices");
  std::string name = element.name();
  if (name.empty()) name = std::filesystem::path(asset.file).stem().string();
  if (name.empty()) xml.Fail("it has neither a name nor a file", "a name");
  names->Add(Kind::Mesh, xml, name, {});
  asset.mass =
      static_cast<Mass>(element.OneOf("inertia", {"convex", "exact", "legacy", "shell"},
                                      static_cast<std::size_t>(compiler.exact_meshes ? Mass::Exact : Mass::Legacy)));
  asset.by_rule = !element.Has("inertia") && !compiler.exact_meshes;
  asset.by_box = asset.by_rule && rule == MeshMassRule::InertiaBox;
  asset.scale = element.Vector("scale", Vector3::Ones());
  if ((asset.scale.array() == 0).any()) element.FailAttribute("scale", "numbers that are not 0");
  asset.refpos = element.Vector("refpos", Vector3::Zero());
  if (xml.Has("refquat")) {
    const std::vector<double> q = xml.RequireNumbers("refquat", 4, 4);
    const double norm = Eigen::Vector4d(q[0], q[1], q[2], q[3]).stableNorm();
    if (!(norm > 1e-14)) xml.FailAttribute("refquat", "a quaternion that is not zero");
    asset.refquat = Quaternion(q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm);
  }
  ReadGiven(xml, &asset);
  if (asset.file.empty() && asset.given.vertices.empty()) xml.Fail("it has neither a file nor vertices", "one of them");
  if (!asset.file.empty()) {
    if (!asset.given.vertices.empty()) xml.Fail("attributes 'file' and 'vertex' are both there", "one of them");
    if (compiler.strip_path) asset.file = std::filesystem::path(asset.file).filename().string();
    asset.file = (std::filesystem::path(compiler.mesh_folder) / asset.file).string();
  }
  assets_.emplace(name, std::move(asset));
}

// Into the geom's frame, and its mass.
void Meshes::Finish(TriangleMesh mesh, Asset* asset) {
  const Matrix3 R = asset->refquat.matrix().transpose();
  for (Vector3& v : mesh.vertices) v = R * (v - asset->refpos);
  ScaleMesh(asset->scale, &mesh);
  for (const Vector3& v : mesh.vertices) {
    if (!(v.cwiseAbs().maxCoeff() < 1e50)) asset->at.Fail("vertices are too large", "coordinates in metres");
  }
  const auto edge = FindRepeatedEdge(mesh);
  asset->loaded.oriented = !edge;
  if (edge && asset->mass == Mass::Exact) {
    asset->at.Fail(fmt::format("its faces have inconsistent orientation: see those with vertices {} and {}", (*edge)[0],
                               (*edge)[1]),
                   "faces counterclockwise from outside, or another 'inertia'");
  }
  const bool shell = asset->mass == Mass::Shell;
  if (asset->mass == Mass::Convex) {
    asset->loaded.mass = CalcMeshMass(MakeConvexHull(mesh.vertices, asset->at.where()), MeshMass::Exact);
  } else {
    asset->loaded.mass = CalcMeshMass(mesh, shell                        ? MeshMass::Shell
                                            : asset->mass == Mass::Exact ? MeshMass::Exact
                                                                         : MeshMass::Legacy);
  }
  if (!(asset->loaded.mass.measure >= kSmallestMass)) {
    asset->at.Fail(
        fmt::format("mesh {} is too small: {:g}", shell ? "surface area" : "volume", asset->loaded.mass.measure),
        shell ? "a surface" : "faces around a volume, or inertia='shell'");
  }
  asset->loaded.mass_by_rule = asset->by_rule;
  if (asset->by_box) TakeInertiaBox(&asset->loaded.mass);
  asset->loaded.mesh = std::make_shared<const TriangleMesh>(std::move(mesh));
}

const Meshes::Mesh* Meshes::Load(const std::string& name, const std::filesystem::path& folder, const FileRoots& roots,
                                 MeshLibrary* library, std::string* reason) {
  Asset& asset = assets_.at(name);
  if (!asset.tried) {
    asset.tried = true;
    if (asset.file.empty()) {
      Finish(asset.given, &asset);
    } else if (MeshFormatOf(asset.file) == MeshFormat::Unknown) {
      asset.reason = "is of a kind that is not read (*.obj and *.stl are)";
    } else if (const FileLookup file = roots.Find(asset.file, folder); file.status != FileStatus::Found) {
      asset.reason = file.reason;
    } else {
      asset.loaded.file = file.path.string();
      std::shared_ptr<const TriangleMesh> mesh;
      try {
        mesh = library->Load(file.path, Vector3::Ones());
      } catch (const InputError& error) {
        asset.at.Fail(error.what(), "a mesh file that can be read");
      }
      Finish(*mesh, &asset);
    }
  }
  *reason = asset.reason;
  return asset.reason.empty() ? &asset.loaded : nullptr;
}

void ReadAssets(const Node& section, Context* context) {
  for (const Node& child : section.children) {
    CheckAttributes(child.xml, child.tag(), context->warnings);
    if (child.tag() == "mesh") {
      if (!child.children.empty()) child.xml.Fail("there are elements in it (plugins)", "a mesh without");
      context->meshes.Add(context->defaults.Apply(child.xml, 0), context->compiler, context->settings->mesh_mass,
                          &context->names);
    } else if (child.tag() == "hfield") {
      const std::string name(child.xml.Has("name") ? child.xml.Text("name") : child.xml.Text("file"));
      context->height_fields.insert(name.empty() ? "" : std::filesystem::path(name).stem().string());
      if (child.xml.Has("name")) context->height_fields.insert(name);
      if (child.xml.Has("size")) child.xml.RequireNumbers("size", 4, 4);
      if (!child.xml.Has("elevation")) continue;
      const long long rows = child.xml.Integer("nrow", 0), columns = child.xml.Integer("ncol", 0);
      const std::size_t count = child.xml.RequireNumbers("elevation", 0, child.xml.Text("elevation").size() + 1).size();
      if (rows < 1 || columns < 1 || rows > 1000000 || columns > 1000000 ||
          rows * columns != static_cast<long long>(count)) {
        child.xml.Fail(fmt::format("attribute 'elevation' has {} numbers", count), "nrow times ncol numbers");
      }
    } else if (child.tag() == "texture" || child.tag() == "material") {
      context->warnings->AddLeftOut(child.xml, fmt::format("<{}>", child.tag()), "only what moves and collides is read",
                                    child.xml.Text("name"));
    } else if (child.tag() == "skin") {
      context->warnings->AddLeftOut(child.xml, "<skin>", "only what moves and collides is read",
                                    child.xml.Text("name"));
    } else if (child.tag() == "model") {
      context->warnings->AddLeftOut(child.xml, "<model>", "nothing is attached", child.xml.Text("name"));
    } else {
      child.xml.Fail("unknown element in <asset>", "mesh, hfield, texture, material, skin or model");
    }
  }
}

}  // namespace tactus::mjcf
