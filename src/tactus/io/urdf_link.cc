#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/io/inertia_check.h"
#include "tactus/io/parse_number.h"
#include "tactus/io/urdf_elements.h"

namespace tactus::urdf {

namespace {

LinkInertia ReadInertial(const XmlElement& element, const std::string& link, const Context& context) {
  context.warnings->AddUnknown(element, {"origin", "mass", "inertia"}, {});
  LinkInertia inertia;
  const Pose X_LI = ReadOrigin(element, context);
  inertia.com = X_LI.p;
  if (const auto mass = element.OnlyChild("mass")) {
    context.warnings->AddUnknown(*mass, {}, {"value"});
    inertia.mass = mass->RequireNumber("value");
    if (inertia.mass < 0) mass->FailAttribute("value", "a mass >= 0");
  } else {
    context.warnings->Add(element, fmt::format("link '{}' has no <mass>: its mass is 0", Quote(link)));
  }
  if (const auto tensor = element.OnlyChild("inertia")) {
    context.warnings->AddUnknown(*tensor, {}, {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"});
    const double xx = tensor->RequireNumber("ixx"), yy = tensor->RequireNumber("iyy"),
                 zz = tensor->RequireNumber("izz"), xy = tensor->Number("ixy", 0), xz = tensor->Number("ixz", 0),
                 yz = tensor->Number("iyz", 0);
    Matrix3 central;
    central << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    inertia.central = X_LI.R * central * X_LI.R.transpose();
    if (!inertia.central.allFinite()) tensor->Fail("the numbers are too large", "an inertia in kg m^2");
  }
  const std::string wrong = DescribeNonPhysical(inertia);
  if (!wrong.empty()) {
    context.warnings->Add(
        element,
        fmt::format("link '{}' has an inertial that no body can have: {}; taken as it stands", Quote(link), wrong));
  }
  return inertia;
}

// A length. Zero makes no sense for what collides; visual shapes are sometimes hidden that way.
double RequireLength(const XmlElement& element, const char* attribute, bool may_be_zero) {
  const double value = element.RequireNumber(attribute);
  if (!(value > 0 || (value == 0 && may_be_zero))) {
    element.FailAttribute(attribute, may_be_zero ? "a number >= 0" : "a number > 0");
  }
  return value;
}

// <mesh>: sets `instance->collides` to false where there is nothing to collide with.
void ReadMesh(const XmlElement& element, const std::string& link, bool visual, const Context& context,
              ShapeInstance* instance) {
  context.warnings->AddUnknown(element, {}, {"filename", "scale"});
  const std::string reference(element.RequireText("filename"));
  Vector3 scale = Vector3::Ones();
  if (element.Has("scale")) {
    const std::vector<double> numbers = element.RequireNumbers("scale", 1, 3);
    if (numbers.size() == 2) element.FailAttribute("scale", "1 or 3 numbers");
    for (int i = 0; i < 3; ++i) scale[i] = numbers[numbers.size() == 1 ? 0 : static_cast<std::size_t>(i)];
    if ((scale.array() == 0).any()) element.FailAttribute("scale", "numbers that are not 0");
  }
  instance->shape.type = ShapeType::Mesh;
  instance->shape.mesh_file = reference;
  const auto leave_out = [&](const std::string& why) {
    instance->collides = false;
    context.warnings->Add(
        element, fmt::format("{} mesh '{}' of link '{}' {}{}", visual ? "visual" : "collision", Quote(reference, 200),
                             Quote(link), why, visual ? "" : "; this shape does not collide"));
  };
  // DAE files are scenes of their own; for show they are the viewer's business.
  if (MeshFormatOf(reference) == MeshFormat::Unknown) {
    const std::string ending = Quote(std::filesystem::path(reference).extension().string(), 10);
    const bool dae = ending == ".dae" || ending == ".DAE";
    if (visual || dae || context.settings->missing_meshes == MissingMeshes::Warn) {
      return leave_out(fmt::format("is of the kind '{}', which is not read", ending));
    }
    element.FailAttribute("filename", "a file *.obj or *.stl");
  }
  if (visual && !context.settings->read_visual_meshes) return;
  const FileLookup file = context.roots->Find(reference, context.folder);
  if (file.status == FileStatus::Found) {
    try {
      instance->shape.mesh = context.meshes->Load(file.path, scale);
      instance->shape.mesh_file = file.path.string();
    } catch (const InputError& error) {
      if (!visual) element.Fail(error.what(), "a mesh file that can be read");
      leave_out(fmt::format("cannot be read: {}", error.what()));
    }
    return;
  }
  if (visual || (file.status == FileStatus::Missing && context.settings->missing_meshes == MissingMeshes::Warn)) {
    return leave_out(file.reason);
  }
  element.Fail(fmt::format("collision mesh '{}' {}", Quote(reference, 200), file.reason),
               "a file in the model's folder or in a search root (--root DIR); --missing-meshes warn leaves it out");
}

void ReadGeometry(const XmlElement& geometry, const std::string& link, bool visual, const Context& context,
                  ShapeInstance* instance) {
  const std::vector<XmlElement> shapes = geometry.Children();
  if (shapes.size() != 1) {
    geometry.Fail(fmt::format("there are {} shapes in it", shapes.size()),
                  "one <box>, <sphere>, <cylinder>, <capsule> or <mesh>");
  }
  const XmlElement& element = shapes[0];
  Shape& shape = instance->shape;
  if (element.tag() == "box") {
    context.warnings->AddUnknown(element, {}, {"size"});
    shape.type = ShapeType::Box;
    shape.size = element.RequireVector3("size") / 2;
    if (visual ? (shape.size.array() < 0).any() : (shape.size.array() <= 0).any()) {
      element.FailAttribute("size", visual ? "three numbers >= 0" : "three numbers > 0");
    }
  } else if (element.tag() == "sphere") {
    context.warnings->AddUnknown(element, {}, {"radius"});
    shape.type = ShapeType::Sphere;
    shape.size[0] = RequireLength(element, "radius", visual);
  } else if (element.tag() == "cylinder" || element.tag() == "capsule") {
    context.warnings->AddUnknown(element, {}, {"radius", "length"});
    shape.type = element.tag() == "cylinder" ? ShapeType::Cylinder : ShapeType::Capsule;
    shape.size[0] = RequireLength(element, "radius", visual);
    shape.size[1] = RequireLength(element, "length", visual || shape.type == ShapeType::Capsule) / 2;
  } else if (element.tag() == "mesh") {
    ReadMesh(element, link, visual, context, instance);
  } else {
    element.Fail("unknown shape", "<box>, <sphere>, <cylinder>, <capsule> or <mesh>");
  }
}

// <collision> or <visual>.
ShapeInstance ReadShape(const XmlElement& element, const std::string& link, int index, const Context& context) {
  const bool visual = element.tag() == "visual";
  context.warnings->AddUnknown(element, {"origin", "geometry", "material"}, {"name"});
  ShapeInstance instance;
  instance.collides = !visual;
  instance.name = std::string(element.Text("name"));
  if (instance.name.empty()) instance.name = fmt::format("{}/{}{}", link, element.tag(), index);
  instance.X_LS = ReadOrigin(element, context);
  ReadGeometry(element.RequireChild("geometry"), link, visual, context, &instance);
  return instance;
}

}  // namespace

Pose ReadOrigin(const XmlElement& parent, const Context& context) {
  const auto origin = parent.OnlyChild("origin");
  if (!origin) return {};
  context.warnings->AddUnknown(*origin, {}, {"xyz", "rpy", "quat_xyzw"});
  const Vector3 p = origin->Vector3Or("xyz", Vector3::Zero());
  if (origin->Has("quat_xyzw")) {
    if (origin->Has("rpy")) origin->Fail("attributes 'rpy' and 'quat_xyzw' are both there", "one of them");
    const std::vector<double> q = origin->RequireNumbers("quat_xyzw", 4, 4);
    const double norm = Eigen::Vector4d(q[0], q[1], q[2], q[3]).stableNorm();
    if (!(std::abs(norm - 1) < 1e-3)) origin->FailAttribute("quat_xyzw", "a quaternion of length 1");
    return {Quaternion(q[3], q[0], q[1], q[2]).normalized().matrix(), p};
  }
  // Roll about x, then pitch about y, then yaw about z, all of the fixed axes.
  const Vector3 rpy = origin->Vector3Or("rpy", Vector3::Zero());
  const auto about = [](double angle, const Vector3& axis) { return Eigen::AngleAxisd(angle, axis); };
  const Quaternion q =
      about(rpy[2], Vector3::UnitZ()) * about(rpy[1], Vector3::UnitY()) * about(rpy[0], Vector3::UnitX());
  return {q.matrix(), p};
}

LinkDescription ReadLink(const XmlElement& element, const Context& context) {
  context.warnings->AddUnknown(element, {"inertial", "visual", "collision"}, {"name", "type"});
  LinkDescription link;
  link.name = std::string(element.RequireText("name"));
  if (const auto inertial = element.OnlyChild("inertial")) {
    link.inertia = ReadInertial(*inertial, link.name, context);
  } else {
    context.warnings->Add(element, fmt::format("link '{}' has no <inertial>: it has no mass", Quote(link.name)));
  }
  int collisions = 0, visuals = 0;
  for (const XmlElement& child : element.Children()) {
    if (child.tag() == "collision") link.shapes.push_back(ReadShape(child, link.name, collisions++, context));
    if (child.tag() == "visual") link.shapes.push_back(ReadShape(child, link.name, visuals++, context));
  }
  return link;
}

}  // namespace tactus::urdf
