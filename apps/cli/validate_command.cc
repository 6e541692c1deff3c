// tactus validate MODEL
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "tactus/core/error.h"
#include "tactus/dynamics/inverse_dynamics.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/dynamics/mass_matrix.h"
#include "tactus/io/mjcf.h"
#include "tactus/io/model_format.h"
#include "tactus/io/urdf.h"
#include "tactus/model/model.h"

namespace tactus::cli {

namespace {

struct ValidateOptions {
  std::string file;
  std::string base = "fixed";
  std::string missing_meshes = "error";
  std::vector<std::string> roots;
  bool at_zero = false;
  bool json = false;
};

Json MakeArray(const ConstVectorRef& x) {
  Json out = Json::array();
  for (const double value : x) out.push_back(Number(value));
  return out;
}

Json MakeJointJson(const Model& model, const ModelJoint& joint) {
  const JointDescription& d = joint.description;
  const ModelLink& link = model.links()[joint.link];
  Json json;
  json["name"] = d.name;
  json["type"] = GetJointKind(d.type).name;
  json["parent"] = link.parent < 0 ? Json("world") : Json(model.links()[link.parent].name);
  json["child"] = link.name;
  json["limits"] = {{"lower", Number(d.lower)},
                    {"upper", Number(d.upper)},
                    {"velocity", Number(d.velocity_limit)},
                    {"effort", Number(d.effort_limit)}};
  json["damping"] = d.damping;
  json["dry_friction"] = d.dry_friction;
  json["armature"] = d.armature;
  if (d.mimic) {
    json["mimic"] = {{"joint", d.mimic->joint}, {"multiplier", d.mimic->multiplier}, {"offset", d.mimic->offset}};
  }
  return json;
}

Json MakeActuatorJson(const ActuatorDescription& a) {
  const auto range = [](double lower, double upper) { return Json::array({Number(lower), Number(upper)}); };
  Json json;
  json["name"] = a.name;
  json["type"] = ToString(a.type);
  if (a.tendon.empty()) {
    json["joint"] = a.joint;
  } else {
    json["tendon"] = a.tendon;
  }
  json["gear"] = a.gears.empty() ? Json(a.gear) : Json(a.gears);
  json["gain"] = a.gain;
  json["bias"] = a.bias;
  json["control_range"] = range(a.control_lower, a.control_upper);
  json["force_range"] = range(a.force_lower, a.force_upper);
  return json;
}

int CountMovingLinks(const Model& model) {
  int count = 0;
  for (const ModelLink& link : model.links()) count += link.moving ? 1 : 0;
  return count;
}

void AddAtZero(const Model& model, Json* json) {
  ModelData data(model);
  const VectorX q = model.MakeInitial();
  CalcPositions(model, q, &data);
  Json poses = Json::object();
  for (std::size_t i = 0; i < model.links().size(); ++i) {
    const Pose X = data.LinkPose(model, static_cast<int>(i));
    const Quaternion r(X.R);
    poses[model.links()[i].name] = {{"position", MakeArray(X.p)},
                                    {"quaternion", Json::array({r.w(), r.x(), r.y(), r.z()})}};
  }
  (*json)["link_poses"] = poses;
  CalcMassMatrix(model, &data);
  VectorX diagonal(model.nv()), gravity;
  for (int d = 0; d < model.nv(); ++d) diagonal[d] = data.mass_entry(model, d, d);
  CalcGravityTorque(model, q, &data, &gravity);
  (*json)["mass_matrix_diagonal"] = MakeArray(diagonal);
  (*json)["gravity_torque"] = MakeArray(gravity);
}

Json MakeValidation(const Model& model, const ValidateOptions& options) {
  Json json;
  json["file"] = options.file;
  json["name"] = model.name();
  json["nq"] = model.nq();
  json["nv"] = model.nv();
  json["bodies"] = CountMovingLinks(model);
  json["links"] = model.links().size();
  json["total_mass"] = Number(model.total_mass());
  json["has_dynamics"] = model.has_dynamics();
  json["joints"] = Json::array();
  for (const ModelJoint& joint : model.joints()) json["joints"].push_back(MakeJointJson(model, joint));
  json["actuators"] = Json::array();
  for (const ActuatorDescription& a : model.description().actuators) {
    json["actuators"].push_back(MakeActuatorJson(a));
  }
  json["warnings"] = model.description().warnings;
  if (options.at_zero) AddAtZero(model, &json);
  return json;
}

void PrintTree(const Model& model) {
  std::vector<int> depth;
  for (const ModelLink& link : model.links()) {
    depth.push_back(link.parent < 0 ? 0 : depth[link.parent] + 1);
    std::string how;
    for (const ModelJoint& joint : model.joints()) {
      if (&model.links()[joint.link] != &link) continue;
      const JointDescription& d = joint.description;
      how += fmt::format("  {} '{}'", GetJointKind(d.type).name, d.name);
      if (std::isfinite(d.lower) || std::isfinite(d.upper)) how += fmt::format(" [{:.4g}, {:.4g}]", d.lower, d.upper);
      if (d.mimic) how += fmt::format(" mimics '{}'", d.mimic->joint);
    }
    fmt::print("{:{}}{}{}\n", "", 2 * depth.back(), link.name, how.empty() ? "  fixed" : how);
  }
}

void PrintValidation(const Model& model, const Json& json) {
  fmt::print("{}: {} links, {} of them moving, nq {}, nv {}, total mass {:.6g} kg\n\n", model.name(),
             model.links().size(), json["bodies"].get<int>(), model.nq(), model.nv(), model.total_mass());
  PrintTree(model);
  const auto& actuators = model.description().actuators;
  if (!actuators.empty()) fmt::print("\n{} actuators:\n", actuators.size());
  for (const ActuatorDescription& a : actuators) {
    fmt::print("  {} '{}' on {} '{}', gear {:g}, gain {:g}, bias {:g} {:g} {:g}\n", ToString(a.type), a.name,
               a.tendon.empty() ? "joint" : "tendon", a.tendon.empty() ? a.joint : a.tendon, a.gear, a.gain, a.bias[0],
               a.bias[1], a.bias[2]);
  }
  if (json.contains("gravity_torque")) {
    fmt::print("\n{:<26}{:>30}   quaternion w, x, y, z   at zero\n", "link", "position [m]");
    for (const auto& [link, pose] : json["link_poses"].items()) {
      const auto& p = pose["position"];
      const auto& q = pose["quaternion"];
      fmt::print("{:<26}{:>10.4f}{:>10.4f}{:>10.4f}   {:.4f} {:.4f} {:.4f} {:.4f}\n", link, p[0].get<double>(),
                 p[1].get<double>(), p[2].get<double>(), q[0].get<double>(), q[1].get<double>(), q[2].get<double>(),
                 q[3].get<double>());
    }
    fmt::print("\n{:<6}{:>16}{:>18}   at zero; gravity: what holds the model up\n", "dof", "M [kg, kg m^2]",
               "gravity [N, N m]");
    for (int d = 0; d < model.nv(); ++d) {
      const std::string& name = model.joints()[model.body(model.dof_body(d)).joint].description.name;
      fmt::print("{:<6}{:>16.6g}{:>18.6g}   {}\n", d, json["mass_matrix_diagonal"][d].get<double>(),
                 json["gravity_torque"][d].get<double>(), name);
    }
  }
  if (!model.has_dynamics()) fmt::print("\nSome joint moves no mass: the model has no dynamics.\n");
  const auto& warnings = model.description().warnings;
  if (!warnings.empty()) fmt::print("\n{} warnings:\n", warnings.size());
  for (const std::string& warning : warnings) fmt::print("  {}\n", warning);
}

ModelDescription Load(const ValidateOptions& options) {
  const MissingMeshes missing = options.missing_meshes == "warn" ? MissingMeshes::Warn : MissingMeshes::Error;
  if (FindModelFormat(options.file) == ModelFormat::Mjcf) {
    Require(options.base == "fixed", "--base floating", "MJCF files say themselves how bodies stand", "--base fixed");
    MjcfSettings settings;
    settings.missing_meshes = missing;
    settings.read_visual_meshes = false;
    settings.files.roots = options.roots;
    return LoadMjcf(options.file, settings);
  }
  UrdfSettings settings;
  settings.base = options.base == "floating" ? BaseType::Floating : BaseType::Fixed;
  settings.missing_meshes = missing;
  settings.read_visual_meshes = false;
  settings.files.roots = options.roots;
  return LoadUrdf(options.file, settings);
}

int RunValidate(const ValidateOptions& options) {
  const Model model(Load(options));
  const Json json = MakeValidation(model, options);
  if (options.json) {
    fmt::print("{}\n", Dump(json));
  } else {
    PrintValidation(model, json);
  }
  return kAllSolved;
}

}  // namespace

CommandRun AddValidateCommand(CLI::App* app) {
  const auto options = std::make_shared<ValidateOptions>();
  app->add_option("model", options->file, "model file (URDF or MJCF)")->required()->type_name("FILE");
  app->add_option("--base", options->base, "how the root link of a URDF file stands: fixed or floating")
      ->check(CLI::IsMember({"fixed", "floating"}))
      ->capture_default_str();
  app->add_option("--root", options->roots, "folder in which packages and meshes are looked for; may be repeated")
      ->type_name("DIR");
  app->add_option("--missing-meshes", options->missing_meshes, "what a missing collision mesh is: error or warn")
      ->check(CLI::IsMember({"error", "warn"}))
      ->capture_default_str();
  app->add_flag("--at-zero", options->at_zero,
                "also poses of links, diagonal of the mass matrix and gravity torque at zero (MJCF: at qpos0)");
  app->add_flag("--json", options->json, "print a JSON object");
  return [options] { return RunValidate(*options); };
}

}  // namespace tactus::cli
