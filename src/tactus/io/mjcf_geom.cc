#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Eigenvalues>

#include <fmt/format.h>

#include "tactus/io/mjcf_elements.h"
#include "tactus/io/parse_number.h"

namespace tactus::mjcf {

namespace {

// In the order of the attribute's values.
enum class GeomType { Plane, HeightField, Sphere, Capsule, Ellipsoid, Cylinder, Box, Mesh, Sdf };
constexpr ShapeType kShapes[] = {ShapeType::HalfSpace, ShapeType::HeightField, ShapeType::Sphere,
                                 ShapeType::Capsule,   ShapeType::Ellipsoid,   ShapeType::Cylinder,
                                 ShapeType::Box,       ShapeType::Mesh,        ShapeType::Mesh};
constexpr int kSizes[] = {0, 0, 1, 2, 3, 2, 3, 0, 0};  // how many sizes there must be

struct GeomReader {
  const Element& element;
  Context* context;
  bool gives_mass;
  GeomType type;
  ShapeInstance instance = {};
  const Meshes::Mesh* mesh = nullptr;  // if it has one that could be read
  std::optional<double> mass = {};     // as the file gives it
  double density = 1000;

  bool counts_for_mass() const { return gives_mass && !(mass ? *mass == 0 : density == 0); }

  // True if the mesh is there. Where it is needed, a missing one is an error.
  bool LoadMesh(const std::string& name) {
    if (name.empty()) element.FailAttribute("mesh", "the name of a mesh");
    if (!context->meshes.Has(name)) element.FailAttribute("mesh", "the name of a mesh in <asset>");
    const bool fits = type != GeomType::Mesh;
    const bool needed = instance.collides || counts_for_mass() || fits;
    instance.shape.mesh_file = context->meshes.FileOf(name);
    if (!needed && !context->settings->read_visual_meshes) return false;
    std::string reason;
    mesh = context->meshes.Load(name, context->folder, *context->roots, context->library, &reason);
    if (mesh != nullptr) {
      instance.shape.mesh_file = mesh->file;
      return true;
    }
    const std::string what = fmt::format("mesh '{}' {}", Quote(name), reason);
    if (fits || counts_for_mass()) {
      element.xml().Fail(fmt::format("{}, and its {} from it", what, fits ? "size comes" : "mass comes"),
                         "a file in the model's folder or in a search root (--root DIR)");
    }
    if (instance.collides && context->settings->missing_meshes == MissingMeshes::Error) {
      element.xml().Fail(
          "collision " + what,
          "a file in the model's folder or in a search root (--root DIR); --missing-meshes warn leaves it out");
    }
    context->warnings->AddCounted(element.xml(),
                                  instance.collides ? "a mesh file cannot be read: the geom does not collide"
                                                    : "a mesh file for show cannot be read",
                                  what);
    instance.collides = false;
    return false;
  }

  void ReadSizes() {
    std::array<double, 3> size = {0, 0, 0};
    element.Numbers("size", 1, &size);
    if (const auto segment = ReadSegment(element)) {
      const bool long_z = type == GeomType::Box || type == GeomType::Ellipsoid;
      if (!long_z && type != GeomType::Capsule && type != GeomType::Cylinder) {
        element.FailAttribute("fromto", "none for this type, only for capsule, cylinder, box and ellipsoid");
      }
      instance.X_LS = segment->X;
      size = long_z ? std::array<double, 3>{size[0], size[0], segment->half_length}
                    : std::array<double, 3>{size[0], segment->half_length, 0};
    }
    const int count = kSizes[static_cast<int>(type)];
    for (int i = 0; i < count; ++i) {
      const double value = size[static_cast<std::size_t>(i)];
      if (!(value > 0)) {
        element.FailAttribute("size",
                              fmt::format("{} numbers > 0 for this type (number {} is {:g})", count, i + 1, value));
      }
      instance.shape.size[i] = value;
    }
  }

  // A primitive in place of a mesh: one with the same inertia, or around its box.
  void FitToMesh() {
    const MassProperties& p = mesh->mass;
    const Eigen::SelfAdjointEigenSolver<Matrix3> solver(p.central / p.measure);
    // Largest inertia first; the axes must be those of a right-handed frame.
    Matrix3 R = solver.eigenvectors().rowwise().reverse();
    if (R.determinant() < 0) R.col(2) = -R.col(2);
    const Vector3 I = solver.eigenvalues().reverse();
    Pose X_GM(R, p.com);
    Vector3 box;
    for (int i = 0; i < 3; ++i) {
      box[i] = std::sqrt(std::max(0.0, 6 * (I[(i + 1) % 3] + I[(i + 2) % 3] - I[i]))) / 2;
    }
    Vector3& size = instance.shape.size;
    if (context->compiler.fit_boxes) {
      std::vector<Vector3> points;
      for (const Vector3& v : mesh->mesh->vertices) points.push_back(X_GM.Inverse() * v);
      FitAround(points, &X_GM);
    } else if (type == GeomType::Sphere) {
      size[0] = box.sum() / 3;
    } else if (type == GeomType::Capsule || type == GeomType::Cylinder) {
      size[0] = (box[0] + box[1]) / 2;
      size[1] = type == GeomType::Cylinder ? box[2] : std::max(0.0, box[2] - size[0] / 2);
    } else {
      size = box;
    }
    size *= element.Number("fitscale", 1);
    for (int i = 0; i < kSizes[static_cast<int>(type)]; ++i) {
      if (!(size[i] > 0) && !(type == GeomType::Capsule && size[i] == 0)) {
        element.xml().Fail("a shape fitted to the mesh has a size of zero", "a mesh around a volume, fitscale > 0");
      }
    }
    instance.X_LS = instance.X_LS * X_GM;
    instance.shape.mesh_file.clear();
  }

  // Around points in the frame M, whose origin moves to the middle of their box.
  void FitAround(const std::vector<Vector3>& points, Pose* X_GM) {
    Vector3 low = points[0], high = points[0];
    for (const Vector3& p : points) {
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
    const Vector3 middle = (low + high) / 2;
    X_GM->p += X_GM->R * middle;
    Vector3& size = instance.shape.size;
    if (type == GeomType::Box || type == GeomType::Ellipsoid) {
      size = high - middle;
      return;
    }
    double across = 0, along = 0, radius = 0;
    for (const Vector3& p : points) {
      const Vector3 d = p - middle;
      across = std::max(across, d.head<2>().norm());
      along = std::max(along, std::abs(d[2]));
      radius = std::max(radius, d.norm());
    }
    if (type == GeomType::Sphere) {
      size[0] = radius;
      return;
    }
    size[0] = across;
    size[1] = along;
    if (type != GeomType::Capsule) return;
    size[1] = 0;
    for (const Vector3& p : points) {
      const Vector3 d = p - middle;
      const double cap = std::sqrt(std::max(0.0, across * across - d.head<2>().squaredNorm()));
      size[1] = std::max(size[1], std::abs(d[2]) - cap);
    }
  }

  // What collides has a hull.
  void CheckHull() const {
    const std::vector<Vector3>& points = mesh->mesh->vertices;
    const Vector3& o = points[0];
    const auto farthest = [&](auto distance) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < points.size(); ++i) {
        if (distance(points[i] - o) > distance(points[best] - o)) best = i;
      }
      return Vector3(points[best] - o);
    };
    const Vector3 a = farthest([](const Vector3& d) { return d.norm(); });
    const Vector3 b = farthest([&](const Vector3& d) { return a.cross(d).norm(); });
    const Vector3 normal = a.cross(b);
    const Vector3 c = farthest([&](const Vector3& d) { return std::abs(normal.dot(d)); });
    const double size = a.norm();
    const char* what = nullptr;
    if (!(size > 0)) what = "colocated";
    if (what == nullptr && !(normal.norm() > 1e-12 * size * size)) what = "collinear";
    if (what == nullptr && !(std::abs(normal.dot(c)) > 1e-12 * normal.norm() * size)) what = "coplanar";
    if (what != nullptr) {
      element.xml().Fail(fmt::format("the vertices of mesh '{}' are {}", Quote(element.Text("mesh")), what),
                         "vertices around a volume, or contype and conaffinity 0");
    }
  }

  // Of the geom in its link, about its own centre of mass.
  std::optional<LinkInertia> CalcInertia() const {
    if (!counts_for_mass()) return std::nullopt;
    MassProperties p;
    const bool shell = element.Bool("shellinertia", false);
    if (type == GeomType::Mesh) {
      if (shell) element.FailAttribute("shellinertia", "false for meshes: see their attribute 'inertia'");
      p = mesh->mass;
      if (!mesh->oriented) {
        context->warnings->AddCounted(element.xml(),
                                      "a body has its mass from a mesh whose faces have inconsistent orientation",
                                      element.Text("mesh"));
      }
      if (mesh->mass_by_rule && !mass && context->settings->mesh_mass == MeshMassRule::InertiaBox) {
        context->warnings->AddCounted(element.xml(),
                                      "the mass of a mesh without the attribute 'inertia' is that of the box with its "
                                      "inertia; later versions of MuJoCo take its volume",
                                      element.Text("mesh"));
      }
    } else if (const auto own = shell ? CalcShell(instance.shape) : CalcSolid(instance.shape)) {
      p = *own;
    } else if (shell && type == GeomType::Ellipsoid) {
      element.FailAttribute("shellinertia", "false for ellipsoids, or an <inertial>");
    } else {
      return std::nullopt;  // planes and height fields have no mass
    }
    const double scale = mass ? *mass / p.measure : density;
    LinkInertia inertia;
    inertia.mass = mass ? *mass : density * p.measure;
    inertia.com = instance.X_LS * p.com;
    inertia.central = instance.X_LS.R * (p.central * scale) * instance.X_LS.R.transpose();
    if (!std::isfinite(inertia.mass) || !inertia.com.allFinite() || !inertia.central.allFinite()) {
      element.xml().Fail("its mass or inertia is not finite", "sizes in metres, densities in kg/m^3");
    }
    return inertia;
  }
};

unsigned ReadMask(const Element& element, const char* attribute) {
  const long long mask = element.Integer(attribute, 1);
  if (mask < -(1LL << 31) || mask >= 1LL << 32) element.FailAttribute(attribute, "a mask of 32 bits");
  return static_cast<unsigned>(mask);
}

void ReadContactProperties(const Element& element, Geom* geom, ShapeInstance* instance, WarningList* warnings) {
  std::array<double, 3> friction = {1, 0.005, 0.0001};
  element.Numbers("friction", 1, &friction);
  if (!(friction[0] >= 0)) element.FailAttribute("friction", "numbers >= 0");
  geom->friction = instance->material.friction = friction[0];
  instance->material.friction_rule = CombinationRule::Maximum;  // as MuJoCo combines it
  geom->condim = element.Integer("condim", 3);
  if (geom->condim != 1 && geom->condim != 3 && geom->condim != 4 && geom->condim != 6) {
    element.FailAttribute("condim", "1, 3, 4 or 6");
  }
  if (geom->condim > 3) {
    warnings->AddCounted(
        element.xml(), fmt::format("condim {} is taken as 3: there is no torsional and rolling friction", geom->condim),
        element.xml().Text("name"));
  }
  instance->material.frictionless = geom->condim == 1;
  geom->priority = element.Integer("priority", 0);
  if (geom->priority != 0) {
    warnings->AddLeftOut(element.xml(), "attribute 'priority' of <geom>",
                         "it does not choose the friction of a contact", element.xml().Text("name"));
  }
  instance->contact_type = ReadMask(element, "contype");
  instance->contact_affinity = ReadMask(element, "conaffinity");
  instance->collides = instance->contact_type != 0 || instance->contact_affinity != 0;
}

}  // namespace

std::optional<Segment> ReadSegment(const Element& element) {
  const XmlElement* source = element.Find("fromto");
  if (source == nullptr) return std::nullopt;
  const std::vector<double> ends = source->RequireNumbers("fromto", 6, 6);
  const Vector3 from(ends[0], ends[1], ends[2]), to(ends[3], ends[4], ends[5]);
  const double length = (from - to).stableNorm();
  if (!(length > 1e-14 && length < 1e50 && from.cwiseAbs().maxCoeff() < 1e50))
    source->FailAttribute("fromto", "two points apart from one another");
  return Segment{{RotationToVector(from - to).matrix(), (from + to) / 2}, length / 2};
}

void ReadGeom(const Element& element, int link, const Pose& X_LF, const Replica& replica, bool gives_mass,
              Context* context) {
  CheckAttributes(element.xml(), "geom", context->warnings);
  const std::size_t type =
      element.OneOf("type", {"plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"}, 2);
  const long long group = element.Integer("group", 0);
  const bool in_groups = group >= context->compiler.lowest_group && group <= context->compiler.highest_group;
  GeomReader reader{element, context, gives_mass && in_groups, static_cast<GeomType>(type)};
  if (reader.type == GeomType::Sdf) element.FailAttribute("type", "a type that needs no plugin");
  reader.density = element.NotNegative("density", 1000);
  if (element.Has("mass")) reader.mass = element.NotNegative("mass", 0);
  ShapeInstance& instance = reader.instance;
  Geom geom{.at = element.xml(), .link = link};
  ReadContactProperties(element, &geom, &instance, context->warnings);
  instance.name = context->names.Add(Kind::Geom, element.xml(), element.name(), replica);
  instance.shape.type = kShapes[type];
  instance.X_LS = ReadPose(element, context->compiler.angles);
  const std::string mesh_name(element.Text("mesh"));
  if (reader.type == GeomType::Mesh) {
    if (reader.LoadMesh(mesh_name)) {
      instance.shape.mesh = reader.mesh->mesh;
      if (instance.collides) reader.CheckHull();
    }
  } else if (!mesh_name.empty() && kSizes[type] > 0) {
    if (reader.LoadMesh(mesh_name)) reader.FitToMesh();
  } else if (reader.type == GeomType::HeightField) {
    if (!context->height_fields.contains(std::string(element.Text("hfield")))) {
      element.FailAttribute("hfield", "the name of a height field in <asset>");
    }
    instance.collides = false;
    context->warnings->AddLeftOut(element.xml(), "a geom of type hfield",
                                  "height fields are not supported: it does not collide", element.name());
  } else {
    reader.ReadSizes();
  }
  instance.X_LS = X_LF * instance.X_LS;
  if (const auto inertia = reader.CalcInertia()) {
    context->bodies[static_cast<std::size_t>(link)].from_geoms.push_back(*inertia);
  }
  std::vector<ShapeInstance>& shapes =
      link < 0 ? context->model->world_shapes : context->model->links[static_cast<std::size_t>(link)].shapes;
  geom.shape = shapes.size();
  if (!instance.name.empty()) context->geom_names[instance.name] = context->geoms.size();
  shapes.push_back(std::move(instance));
  context->geoms.push_back(geom);
}

}  // namespace tactus::mjcf
