#include "apps/cli/peers/peer_scene.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tactus/core/error.h"
#include "tactus/geometry/convex_hull.h"
#include "tactus/io/data_folder.h"
#include "tactus/scene/scene_file.h"

namespace tactus::cli {

namespace fs = std::filesystem;

const char* ToString(PeerError error) {
  switch (error) {
    case PeerError::Penetration: return "penetration";
    case PeerError::Creep: return "creep";
    case PeerError::Lift: return "lift";
  }
  return "?";
}

const char* UnitOf(PeerError error) { return error == PeerError::Creep ? "m/s" : "m"; }

const std::vector<PeerSceneEntry>& PeerScenes() {
  using E = PeerError;
  static const std::vector<PeerSceneEntry> table = {
      // name          error           target at_rest passive quick every
      {"box-stack", E::Penetration, 1e-5, true, true, true, 1.0 / 120},
      {"mass-ratio", E::Penetration, 1e-5, true, true, true, 1.0 / 120},
      {"slope", E::Creep, 1e-6, true, true, true, 1.0 / 120},
      {"pinch", E::Creep, 1e-6, true, false, true, 1.0 / 120},
      {"sliding-cube", E::Lift, 1e-6, false, true, true, 1.0 / 240},
      {"dishes", E::Penetration, 1e-4, false, true, false, 1.0 / 60},
      {"laikagos", E::Penetration, 1e-4, false, false, false, 1.0 / 60},
      {"spheres", E::Penetration, 1e-4, false, true, false, 1.0 / 20},
      {"cable", E::Penetration, 1e-4, false, false, false, 1.0 / 120},
  };
  return table;
}

fs::path FindPeersFolder() {
  const fs::path folder = FindDataFolder("scenes").parent_path() / "bench" / "peers";
  if (!fs::is_directory(folder / "scenes")) {
    throw InputError("peers", "there is no folder " + folder.string(),
                     "the sources of tactus: programs and scenes of this suite are not installed");
  }
  return folder;
}

std::vector<std::vector<Vector3>> MakeDishPieces(double base_radius, double rim_radius, double height, double thickness,
                                                 int sectors) {
  const double d = thickness / 2;
  const auto at = [](double r, double z, double angle) { return Vector3(r * std::cos(angle), r * std::sin(angle), z); };
  const auto angle = [&](int k) { return 2 * std::numbers::pi * k / sectors; };
  std::vector<std::vector<Vector3>> pieces(1);
  for (int k = 0; k < sectors; ++k) {
    pieces[0].push_back(at(base_radius, -d, angle(k)));
    pieces[0].push_back(at(base_radius, d, angle(k)));
  }
  // The wall: d to both sides of the line from the base's edge to the rim.
  const Vector2 along = Vector2(rim_radius - base_radius, height).normalized();
  const Vector2 across = d * Vector2(-along[1], along[0]);
  for (int k = 0; k < sectors; ++k) {
    std::vector<Vector3> piece;
    for (const Vector2& end : {Vector2(base_radius, 0), Vector2(rim_radius, height)}) {
      for (const Vector2& corner : {Vector2(end + across), Vector2(end - across)}) {
        piece.push_back(at(corner[0], corner[1], angle(k)));
        piece.push_back(at(corner[0], corner[1], angle(k + 1)));
      }
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

namespace {

constexpr int kDishSectors = 16;

// The sizes of dishes.yaml by the beginnings of names: a field does not say what it was made of.
struct DishSize {
  const char* name;
  double base_radius, rim_radius, height, thickness;
};
constexpr DishSize kDishes[] = {
    {"bowl", 0.04, 0.09, 0.06, 0.006}, {"plate", 0.06, 0.11, 0.015, 0.006}, {"pot", 0.055, 0.06, 0.12, 0.008}};

const DishSize& FindDish(const SceneObject& object) {
  for (const DishSize& dish : kDishes) {
    if (object.name.rfind(dish.name, 0) != 0) continue;
    const Vector3 size = object.shapes[0].shape.field->box().high;
    // Triangles stand for round edges: they end a little short of them.
    const Vector2 expected(dish.rim_radius + dish.thickness / 2, dish.height + dish.thickness / 2);
    if ((Vector2(size[0], size[2]) - expected).norm() < 2e-3) return dish;
  }
  throw InputError(object.place, "has a field that is not known here", "the dishes of bench/peers/scenes/dishes.yaml");
}

// A dish's field becomes pieces; its inertia stays that of the field.
void UsePieces(const LinkInertia& inertia, SceneObject* object) {
  const DishSize dish = FindDish(*object);
  const ShapeInstance before = object->shapes[0];
  object->mass = inertia.mass;
  object->inertia = inertia;
  object->shapes.clear();
  const auto pieces = MakeDishPieces(dish.base_radius, dish.rim_radius, dish.height, dish.thickness, kDishSectors);
  for (const std::vector<Vector3>& points : pieces) {
    ShapeInstance instance = before;
    instance.name = object->name + "_piece_" + std::to_string(object->shapes.size());
    instance.shape = Shape{};
    instance.shape.type = ShapeType::Mesh;
    instance.shape.mesh = std::make_shared<const TriangleMesh>(MakeConvexHull(points, object->name));
    object->shapes.push_back(instance);
  }
}

void UsePieces(SceneDescription* scene) {
  const ModelDescription world = MakeWorld(*scene);
  for (SceneObject& object : scene->objects) {
    if (object.shapes.empty() || !object.shapes[0].shape.field) continue;
    for (const LinkDescription& link : world.links) {
      if (link.name == object.name && link.inertia) UsePieces(*link.inertia, &object);
    }
  }
}

Json MakeVectorJson(const Vector3& v) { return {v[0], v[1], v[2]}; }

// Everything of a peer's scene has one coefficient: engines combine two in different ways.
double FindFriction(const Simulator& simulator) {
  const std::vector<SimulatorObject>& objects = simulator.objects();
  const double mu = objects.empty() ? 0 : objects[0].material.friction;
  for (const SimulatorObject& object : objects) {
    Require(object.material.friction == mu, object.name, "has another friction than the rest of the scene", "one");
  }
  return mu;
}

Json MakeShapeJson(const ShapeInstance& instance) {
  const Shape& shape = instance.shape;
  Json json = {
      {"type", ToString(shape.type)}, {"size", MakeVectorJson(shape.size)}, {"pose", MakePoseJson(instance.X_LS)}};
  switch (shape.type) {
    case ShapeType::Sphere:
    case ShapeType::Capsule:
    case ShapeType::Cylinder:
    case ShapeType::Box:
    case ShapeType::HalfSpace: return json;
    case ShapeType::Mesh: break;
    default: throw InputError(instance.name, "is a shape that other engines do not have", "a simple shape");
  }
  Require(!shape.concave, instance.name, "is concave", "convex pieces");
  json["points"] = Json::array();
  for (const Vector3& p : shape.mesh->vertices) json["points"].push_back(MakeVectorJson(p));
  json["triangles"] = shape.mesh->triangles;
  return json;
}

Json MakeJointJson(const LinkDescription& link, const Model& model, const State& state) {
  if (link.joints.empty()) return nullptr;
  Require(link.joints.size() == 1, link.name, "has several joints", "one, for other engines");
  const JointDescription& joint = link.joints[0];
  if (joint.type == JointType::Floating) return {{"name", joint.name}, {"type", "floating"}};
  const bool slides = joint.type == JointType::Prismatic;
  Require(slides || joint.type == JointType::Revolute || joint.type == JointType::Continuous, joint.name,
          "is of another type", "floating, revolute, continuous or prismatic");
  Require(joint.anchor.norm() == 0 && joint.reference == 0 && joint.damping == 0 && joint.dry_friction == 0 &&
              joint.stiffness == 0 && joint.armature == 0,
          joint.name, "has an anchor, spring, friction or armature", "a plain joint, for other engines");
  const int number = model.FindJoint(joint.name);
  const ModelBody& body = model.body(model.joints()[static_cast<std::size_t>(number)].body);
  return {{"name", joint.name},
          {"type", slides ? "prismatic" : "revolute"},
          {"axis", MakeVectorJson(joint.axis.normalized())},
          {"lower", Number(joint.lower)},
          {"upper", Number(joint.upper)},
          {"effort", Number(joint.effort_limit)},
          {"q", state.q[body.q]},
          {"v", state.v[body.v]}};
}

Json MakeLinkJson(const Simulator& simulator, int index, const std::vector<int>& tree) {
  const Model& model = simulator.model();
  const LinkDescription& link = model.description().links[static_cast<std::size_t>(index)];
  const LinkInertia inertia = link.inertia.value_or(LinkInertia{});
  const Vector6 velocity = simulator.LinkVelocity(index);
  Json json = {{"name", link.name},
               {"parent", link.parent},
               {"tree", tree[static_cast<std::size_t>(index)]},
               {"moves", model.links()[static_cast<std::size_t>(index)].body >= 0},
               {"X_PL", MakePoseJson(link.X_PL)},
               {"joint", MakeJointJson(link, model, simulator.state())},
               {"mass", inertia.mass},
               {"com", MakeVectorJson(inertia.com)},
               {"inertia", Json::array()},
               {"pose", MakePoseJson(simulator.LinkPose(index))},
               {"velocity", std::vector<double>(velocity.begin(), velocity.end())},
               {"shapes", Json::array()}};
  for (int i = 0; i < 3; ++i) json["inertia"].push_back(MakeVectorJson(inertia.central.row(i)));
  for (const ShapeInstance& shape : link.shapes) {
    if (shape.collides) json["shapes"].push_back(MakeShapeJson(shape));
  }
  return json;
}

}  // namespace

PreparedPeerScene PreparePeerScene(const PeerSceneEntry& entry, const PeerSceneSettings& settings) {
  PreparedPeerScene scene;
  scene.description = LoadScene(FindPeersFolder() / "scenes" / (std::string(entry.name) + ".yaml"));
  if (!settings.fields) UsePieces(&scene.description);
  SimulatorSettings simulator = MakeSettings(scene.description.settings);
  simulator.scheme.step = settings.time_step;
  simulator.threads = 1;
  if (!settings.solver.empty()) {
    simulator.solver = settings.solver;
    simulator.solve = {};
  }
  if (settings.linearizations > 0) simulator.linearizations = settings.linearizations;
  if (settings.tolerance > 0) simulator.solve.tolerance = settings.tolerance;
  scene.simulation = MakeSimulation(scene.description, simulator);
  return scene;
}

Json MakePoseJson(const Pose& pose) {
  const Quaternion q(pose.R);
  return {pose.p[0], pose.p[1], pose.p[2], q.w(), q.x(), q.y(), q.z()};
}

Pose ReadPose(const Json& json) {
  const auto get = [&](std::size_t k) { return json.at(k).get<double>(); };
  const Quaternion q(get(3), get(4), get(5), get(6));
  return {q.normalized().toRotationMatrix(), Vector3(get(0), get(1), get(2))};
}

Json MakePeerSceneJson(const PeerSceneEntry& entry, const PreparedPeerScene& scene) {
  const Simulator& simulator = scene.simulator();
  const ModelDescription& world = simulator.model().description();
  Require(world.world_shapes.empty(), entry.name, "has shapes of the world", "shapes of links");
  std::vector<int> tree(world.links.size());
  for (std::size_t k = 0; k < tree.size(); ++k) {
    const int parent = world.links[k].parent;
    tree[k] = parent < 0 ? static_cast<int>(k) : tree[static_cast<std::size_t>(parent)];
  }
  Json json = {
      {"format", "tactus-peers-1"},          {"name", entry.name},     {"gravity", MakeVectorJson(world.gravity)},
      {"friction", FindFriction(simulator)}, {"links", Json::array()}, {"drives", Json::array()}};
  for (std::size_t k = 0; k < tree.size(); ++k) {
    json["links"].push_back(MakeLinkJson(simulator, static_cast<int>(k), tree));
  }
  const Control& control = simulator.control();
  for (std::size_t k = 0; k < simulator.drives().size(); ++k) {
    const JointDrive& drive = simulator.drives()[k];
    const ModelJoint& joint = simulator.model().joints()[static_cast<std::size_t>(drive.joint)];
    json["drives"].push_back({{"link", joint.link},
                              {"stiffness", drive.stiffness},
                              {"damping", drive.damping},
                              {"target", control.drives[k].position},
                              {"force", 0.0},
                              {"effort", Number(std::min(drive.effort, joint.description.effort_limit))}});
  }
  for (const SceneController& controller : scene.description.controllers) {
    Require(controller.type == SceneControllerType::Torque && controller.torque.size() == 1, entry.name,
            "has a controller that other engines do not have", "one torque for all its joints");
    for (const std::string& name : controller.joints) {
      const int joint = simulator.model().FindJoint(name);
      Require(joint >= 0, entry.name, "'" + name + "' is no joint", "joints by name");
      json["drives"].push_back({{"link", simulator.model().joints()[static_cast<std::size_t>(joint)].link},
                                {"stiffness", 0.0},
                                {"damping", 0.0},
                                {"target", 0.0},
                                {"force", controller.torque[0]},
                                {"effort", nullptr}});
    }
  }
  return json;
}

}  // namespace tactus::cli
