// What the measurements of the physics suite are made with.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/cli/physics_suite.h"

namespace tactus::cli {

/// A scene of scenes/physics that is being simulated.
class PhysicsScene {
 public:
  PhysicsScene(const std::string& name, const std::string& solver, const std::vector<std::string>& overrides = {});

  Simulator& sim() { return *simulation_.simulator; }
  double step() const { return simulation_.simulator->settings().scheme.step; }
  /// One step; notes if it was not Ok.
  StepReport Step();
  /// Until `duration` has passed, calling `each` after every step.
  void Run(double duration, const std::function<void()>& each = {});

  int Link(const std::string& body) const;
  Vector3 Position(const std::string& body) const { return simulation_.simulator->LinkPose(Link(body)).p; }
  Vector3 Velocity(const std::string& body) const { return simulation_.simulator->LinkVelocity(Link(body)).head<3>(); }
  Vector3 AngularVelocity(const std::string& body) const {
    return simulation_.simulator->LinkVelocity(Link(body)).tail<3>();
  }
  double Energy() const;
  double total_mass() const;

  int bad_steps() const { return bad_; }
  const std::string& trouble() const { return trouble_; }
  double deepest() const { return deepest_; }
  double worst_residual() const { return worst_; }

 private:
  SceneSimulation simulation_;
  int bad_ = 0;
  std::string trouble_;
  double deepest_ = 0, worst_ = 0;
};

/// Collects the rows of one scene.
class PhysicsTable {
 public:
  PhysicsTable(std::string scene, std::string solver) : scene_(std::move(scene)), solver_(std::move(solver)) {}

  PhysicsScene Load(const std::vector<std::string>& overrides = {}) const {
    return PhysicsScene(scene_, solver_, overrides);
  }
  void Add(const std::string& what, double measured, double exact, double tolerance);
  /// A row for the steps that were not solved to their tolerance: none is allowed.
  void AddSteps(const PhysicsScene& scene);
  const std::vector<PhysicsRow>& rows() const { return rows_; }

 private:
  std::string scene_, solver_;
  std::vector<PhysicsRow> rows_;
};

/// The x in [lo, hi] where `holds` turns from true to false, to `accuracy`.
double Bisect(double lo, double hi, double accuracy, const std::function<bool(double)>& holds);

/// One line of the table of measurements.
struct PhysicsEntry {
  const char* scene;
  void (*measure)(PhysicsTable* table);
};
const std::vector<PhysicsEntry>& FrictionEntries();
const std::vector<PhysicsEntry>& ImpactEntries();
const std::vector<PhysicsEntry>& MotionEntries();
const std::vector<PhysicsEntry>& StructureEntries();

}  // namespace tactus::cli
