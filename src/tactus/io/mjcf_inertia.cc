// Inertias of bodies: as given, or from their geoms, and what <compiler> does to them.
#include <cmath>

#include <Eigen/Eigenvalues>

#include <fmt/format.h>

#include "tactus/io/mjcf_elements.h"
#include "tactus/io/parse_number.h"

namespace tactus::mjcf {

namespace {

Vector3 PrincipalInertias(const Matrix3& central) {
  return Eigen::SelfAdjointEigenSolver<Matrix3>(central, Eigen::EigenvaluesOnly).eigenvalues();
}

// A body can have it: A, B, C >= 0, A + B >= C. With `balance` one that cannot becomes a ball's.
void CheckInertial(const XmlElement& at, bool balance, LinkInertia* inertia) {
  const Vector3 principal = PrincipalInertias(inertia->central);  // ascending
  const double rounding = 1e-14 * principal[2];
  if (principal[0] < -rounding) {
    at.Fail(fmt::format("its inertia has principal values {:g}, {:g}, {:g}", principal[0], principal[1], principal[2]),
            "none of them negative");
  }
  if (principal[0] + principal[1] >= principal[2] - 1e-14 - rounding) return;
  if (!balance) {
    at.Fail(fmt::format("no body has an inertia with principal values {:g}, {:g}, {:g}", principal[0], principal[1],
                        principal[2]),
            "A + B >= C, or balanceinertia in <compiler>");
  }
  inertia->central = Matrix3::Identity() * (principal.sum() / 3);
}

LinkInertia SumOf(const std::vector<LinkInertia>& parts) {
  if (parts.size() == 1) return parts[0];
  LinkInertia sum;
  for (const LinkInertia& part : parts) {
    sum.mass += part.mass;
    sum.com += part.mass * part.com;
  }
  if (sum.mass > 0) sum.com /= sum.mass;
  for (const LinkInertia& part : parts) {
    const Vector3 d = part.com - sum.com;
    sum.central += part.central + part.mass * (d.squaredNorm() * Matrix3::Identity() - d * d.transpose());
  }
  return sum;
}

// boundmass and boundinertia.
void RaiseToLeast(const Compiler& compiler, LinkInertia* inertia) {
  inertia->mass = std::max(inertia->mass, compiler.least_mass);
  if (compiler.least_inertia <= 0) return;
  const Eigen::SelfAdjointEigenSolver<Matrix3> solver(inertia->central);
  const Vector3 raised = solver.eigenvalues().cwiseMax(compiler.least_inertia);
  inertia->central = solver.eigenvectors() * raised.asDiagonal() * solver.eigenvectors().transpose();
}

bool HasMass(const LinkDescription& link) {
  return link.inertia && link.inertia->mass > kSmallestMass &&
         PrincipalInertias(link.inertia->central)[0] > kSmallestMass;
}

// Everything that moves has mass, of its own or of what is fixed to it.
void CheckMoving(const Context& context) {
  const std::vector<LinkDescription>& links = context.model->links;
  std::vector<bool> has_mass(links.size());
  for (std::size_t i = links.size(); i-- > 0;) {
    has_mass[i] = has_mass[i] || HasMass(links[i]);
    if (links[i].joints.empty()) {
      if (has_mass[i] && links[i].parent >= 0) has_mass[static_cast<std::size_t>(links[i].parent)] = true;
    } else if (!has_mass[i]) {
      context.bodies[i].at.Fail("it moves, but has no mass or no inertia",
                                fmt::format("an <inertial> or geoms with mass and inertia above {:g}", kSmallestMass));
    }
  }
}

void CheckStaticShapes(const Context& context) {
  const std::vector<LinkDescription>& links = context.model->links;
  std::vector<bool> moves;
  moves.reserve(links.size());
  for (const LinkDescription& link : links) {
    moves.push_back(!link.joints.empty() || (link.parent >= 0 && moves[static_cast<std::size_t>(link.parent)]));
  }
  for (const Geom& geom : context.geoms) {
    if (geom.link < 0 || !moves[static_cast<std::size_t>(geom.link)]) continue;
    const ShapeType type = links[static_cast<std::size_t>(geom.link)].shapes[geom.shape].shape.type;
    if (type == ShapeType::HalfSpace || type == ShapeType::HeightField) {
      geom.at.Fail("it is on a body that moves", "planes and height fields on bodies that stand still");
    }
  }
}

void MakeUpNames(Context* context) {
  std::vector<LinkDescription>& links = context->model->links;
  for (std::size_t i = 0; i < links.size(); ++i) {
    LinkDescription& link = links[i];
    if (link.name.empty()) {
      link.name = fmt::format("body{}", i + 1);
      while (context->links.contains(link.name)) link.name += "_";
      context->links[link.name] = static_cast<int>(i);
    }
  }
  const auto name_shapes = [&](const std::string& link, std::vector<ShapeInstance>* shapes) {
    int unnamed = 0;
    for (ShapeInstance& shape : *shapes) {
      while (shape.name.empty()) {
        shape.name = fmt::format("{}/geom{}", link, unnamed++);
        if (context->geom_names.contains(shape.name)) shape.name.clear();
      }
    }
  };
  name_shapes("world", &context->model->world_shapes);
  for (LinkDescription& link : links) name_shapes(link.name, &link.shapes);
}

}  // namespace

LinkInertia ReadInertial(const Node& node, const Pose& X_LF, Context* context) {
  const XmlElement& xml = node.xml;
  CheckAttributes(xml, "inertial", context->warnings);
  const Element element(xml);
  LinkInertia inertia;
  inertia.mass = xml.RequireNumber("mass");
  if (!(inertia.mass >= 0)) xml.FailAttribute("mass", "a number >= 0");
  Matrix3 R = X_LF.R;
  if (!xml.Has("pos")) xml.FailAttribute("pos", "3 numbers");
  inertia.com = X_LF * element.Position("pos", Vector3::Zero());
  Matrix3 own = Matrix3::Zero();
  if (xml.Has("fullinertia")) {
    for (const char* other : {"diaginertia", "quat", "axisangle", "xyaxes", "zaxis", "euler"}) {
      if (xml.Has(other))
        xml.Fail(fmt::format("attributes 'fullinertia' and '{}' are both there", other), "one of them");
    }
    const std::vector<double> I = xml.RequireNumbers("fullinertia", 6, 6);
    own << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
  } else {
    own = xml.RequireVector3("diaginertia").asDiagonal();
    R = R * ReadOrientation(element, context->compiler.angles).matrix();
  }
  inertia.central = own;
  CheckInertial(xml, context->compiler.balance_inertia, &inertia);
  inertia.central = R * inertia.central * R.transpose();
  if (!inertia.central.allFinite()) xml.Fail("the numbers are too large", "an inertia in kg m^2");
  return inertia;
}

void FinishBodies(Context* context) {
  const Compiler& compiler = context->compiler;
  double total = 0;
  for (std::size_t i = 0; i < context->bodies.size(); ++i) {
    LinkDescription& link = context->model->links[i];
    const std::vector<LinkInertia>& geoms = context->bodies[i].from_geoms;
    if (!geoms.empty()) link.inertia = SumOf(geoms);
    if (!link.inertia && (compiler.least_mass > 0 || compiler.least_inertia > 0)) link.inertia = LinkInertia();
    if (!link.inertia) continue;
    RaiseToLeast(compiler, &*link.inertia);
    total += link.inertia->mass;
    if (!std::isfinite(link.inertia->mass) || !link.inertia->com.allFinite() || !link.inertia->central.allFinite()) {
      context->bodies[i].at.Fail("its mass or inertia is not finite", "finite numbers");
    }
  }
  if (compiler.total_mass > 0 && total > 0) {
    const double scale = compiler.total_mass / total;
    for (LinkDescription& link : context->model->links) {
      if (!link.inertia) continue;
      link.inertia->mass *= scale;
      link.inertia->central *= scale;
    }
  }
  CheckMoving(*context);
  CheckStaticShapes(*context);
  MakeUpNames(context);
}

}  // namespace tactus::mjcf
