// The world of a scene as one model description.
#include <cmath>
#include <string>
#include <unordered_set>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/core/random.h"
#include "tactus/geometry/convex_hull.h"
#include "tactus/geometry/mass_properties.h"
#include "tactus/scene/compile_scene.h"

namespace tactus {

namespace {

// Of a shape with density one, in its own frame.
MassProperties CalcVolume(const ShapeInstance& instance, const std::string& where) {
  if (const auto solid = CalcSolid(instance.shape)) return *solid;
  if (instance.shape.type == ShapeType::Mesh && instance.shape.mesh != nullptr) {
    const TriangleMesh& mesh = *instance.shape.mesh;
    const MassProperties out =
        CalcMeshMass(instance.shape.concave ? mesh : MakeConvexHull(mesh.vertices, where), MeshMass::Exact);
    Require(out.measure > 0, where, "its mesh encloses no volume", "a closed mesh, or a mass and inertia of its own");
    return out;
  }
  if (instance.shape.type == ShapeType::Field && instance.shape.field != nullptr) {
    const MassProperties out = CalcMeshMass(instance.shape.field->surface(), MeshMass::Exact);
    Require(out.measure > 0, where, "its surface encloses no volume", "a mass and inertia of its own");
    return out;
  }
  throw InputError(where, std::string("a ") + ToString(instance.shape.type) + " has no volume",
                   "a mass and inertia of its own");
}

LinkInertia CalcInertia(const SceneObject& object) {
  const std::string where = object.place.empty() ? "object '" + object.name + "'" : object.place;
  if (object.inertia) return *object.inertia;
  SpatialInertia sum;
  double volume = 0;
  for (const ShapeInstance& shape : object.shapes) {
    if (!shape.collides) continue;
    const MassProperties p = CalcVolume(shape, where);
    sum += SpatialInertia::FromCentral(p.measure, p.com, p.central).Transformed(shape.X_LS);
    volume += p.measure;
  }
  Require(volume > 0, where, "none of its shapes has volume", "a mass and inertia of its own");
  const double density = object.mass ? *object.mass / volume : object.density;
  sum = sum * density;
  Require(sum.m >= kLeastMass && sum.m <= kMostMass, where, fmt::format("its mass is {:.3g} kg", sum.m),
          "from 1e-12 to 1e12 kg: another mass, density or size");
  const LinkInertia out{sum.m, sum.com(), sum.central()};
  const double least = out.central.diagonal().minCoeff();
  Require(least >= kLeastInertia, where, fmt::format("its least moment of inertia is {:.3g} kg m^2", least),
          "at least 1e-30 kg m^2: another mass or size");
  return out;
}

void AddObject(const SceneObject& object, const std::string& name, const Pose& X_WO, const LinkInertia* inertia,
               std::unordered_set<std::string>* names, ModelDescription* world) {
  Require(names->insert(name).second, "object '" + name + "'", "the name is taken", "names that differ");
  LinkDescription link;
  link.name = name;
  for (std::size_t k = 0; k < object.shapes.size(); ++k) {
    link.shapes.push_back(object.shapes[k]);
    std::string& shape = link.shapes.back().name;
    if (shape.empty()) {
      shape = object.shapes.size() == 1 ? name : name + "/shape" + std::to_string(k);
    } else {
      shape = name + "/" + shape;
    }
  }
  if (inertia == nullptr) {
    link.X_PL = X_WO;
  } else {
    link.inertia = *inertia;
    JointDescription joint;
    joint.name = name + "/free";
    joint.type = JointType::Floating;
    joint.initial = X_WO;
    link.joints.push_back(joint);
  }
  world->links.push_back(std::move(link));
}

}  // namespace

ModelDescription MakeWorld(const SceneDescription& scene) {
  ModelDescription world;
  world.name = scene.name;
  world.gravity = scene.gravity;
  Random random(scene.seed);
  for (const SceneModel& model : scene.models) {
    const std::size_t first = world.links.size(), first_shape = world.world_shapes.size();
    AppendModel(model.description, model.name, model.pose, &world, model.base);
    if (!model.material) continue;
    for (std::size_t l = first; l < world.links.size(); ++l) {
      for (ShapeInstance& shape : world.links[l].shapes) shape.material = *model.material;
    }
    for (std::size_t k = first_shape; k < world.world_shapes.size(); ++k)
      world.world_shapes[k].material = *model.material;
  }
  std::unordered_set<std::string> names;
  for (const LinkDescription& link : world.links) names.insert(link.name);
  for (const SceneObject& object : scene.objects) {
    const bool moves = !object.fixed && !object.motion;
    const LinkInertia inertia = moves ? CalcInertia(object) : LinkInertia();
    const LinkInertia* given = moves ? &inertia : nullptr;
    if (!object.array) {
      AddObject(object, object.name, object.pose, given, &names, &world);
      continue;
    }
    int number = 0;
    for (int z = 0; z < object.array->count[2]; ++z) {
      for (int y = 0; y < object.array->count[1]; ++y) {
        for (int x = 0; x < object.array->count[0]; ++x) {
          Pose pose = object.pose;
          pose.p += Vector3(x, y, z).cwiseProduct(object.array->spacing);
          if (object.array->jitter > 0) {
            for (int k = 0; k < 3; ++k) pose.p[k] += object.array->jitter * random.Uniform(-1, 1);
          }
          AddObject(object, object.name + "_" + std::to_string(number++), pose, given, &names, &world);
        }
      }
    }
  }
  for (const SceneConstraint& c : scene.constraints) {
    if (c.type != SceneConstraintType::Tendon) continue;
    TendonDescription tendon;
    tendon.name = c.name;
    tendon.joints = c.joints;
    tendon.lower = c.lower;
    tendon.upper = c.upper;
    tendon.stiffness = c.stiffness;
    tendon.damping = c.damping;
    tendon.dry_friction = c.dry_friction;
    tendon.rest_lower = tendon.rest_upper = c.rest.value_or(0);
    world.tendons.push_back(tendon);
  }
  return world;
}

}  // namespace tactus
