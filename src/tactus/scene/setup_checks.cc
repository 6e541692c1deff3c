#include "tactus/scene/setup_checks.h"

#include <algorithm>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/scene/scene_description.h"

namespace tactus {

namespace {

// Overlaps up to this are taken for objects that were meant to touch [m].
constexpr double kSmallOverlap = 1e-4;
// Likewise for joints at their limits [rad, m].
constexpr double kSmallExcess = 1e-6;
// Welds that are less open are meant to be closed [m, rad].
constexpr double kSmallShift = 1e-3, kSmallTurn = 1e-2;
// More notes of a kind are only counted.
constexpr std::size_t kMostNotes = 10;

void AddNotes(std::vector<std::string> notes, const char* what, std::vector<std::string>* out) {
  const std::size_t count = notes.size();
  for (std::size_t k = 0; k < std::min(count, kMostNotes); ++k) out->push_back(std::move(notes[k]));
  if (count > kMostNotes) out->push_back(fmt::format("... and {} more {}", count - kMostNotes, what));
}

void NoteOverlaps(Simulator* simulator, std::vector<std::string>* out) {
  std::vector<InitialOverlap> overlaps = simulator->ExcludeInitialOverlaps();
  std::stable_sort(overlaps.begin(), overlaps.end(),
                   [](const InitialOverlap& a, const InitialOverlap& b) { return a.depth > b.depth; });
  std::vector<std::string> excluded, pushed;
  for (const InitialOverlap& o : overlaps) {
    const std::string text =
        fmt::format("shapes '{}' and '{}' overlap by {:.3g} m at the start", o.first, o.second, o.depth);
    if (o.excluded) {
      excluded.push_back(text + ": as parts of one model they never collide");
    } else if (o.depth > std::max(kSmallOverlap, simulator->settings().stabilization.slop)) {
      pushed.push_back(text + ": they are pushed apart");
    }
  }
  AddNotes(std::move(excluded), "pairs of shapes of one model that overlap at the start and never collide", out);
  AddNotes(std::move(pushed), "pairs of shapes that overlap at the start and are pushed apart", out);
}

void NoteLimits(const Simulator& simulator, std::vector<std::string>* out) {
  const Model& model = simulator.model();
  std::vector<std::string> beyond;
  for (const ModelJoint& joint : model.joints()) {
    const ModelBody& body = model.body(joint.body);
    if (body.nv != 1) continue;
    const JointDescription& d = joint.description;
    const double q = simulator.state().q[body.q], excess = std::max(d.lower - q, q - d.upper);
    if (!(excess > kSmallExcess)) continue;
    const char* unit = d.type == JointType::Prismatic ? "m" : "rad";
    beyond.push_back(fmt::format("joint '{}' starts at {:.4g} {}, {:.3g} {} beyond its limit {:.3g}: it is pushed back",
                                 d.name, q, unit, excess, unit, q < d.lower ? d.lower : d.upper));
  }
  AddNotes(std::move(beyond), "joints that start beyond their limits", out);
}

}  // namespace

std::vector<std::string> NoteSetup(Simulator* simulator) {
  std::vector<std::string> notes;
  NoteOverlaps(simulator, &notes);
  NoteLimits(*simulator, &notes);
  return notes;
}

std::string NoteOpenWeld(const std::string& name, const Pose& wanted, const Pose& found) {
  const Pose off = wanted.Inverse() * found;
  const double shift = off.p.norm(), turn = LogRotation(Quaternion(off.R)).norm();
  if (!(shift > kSmallShift || turn > kSmallTurn)) return "";
  return fmt::format("weld '{}' starts {:.3g} m and {:.3g} rad open: its bodies are pulled together", name, shift,
                     turn);
}

void CheckMasses(const Model& model) {
  std::vector<double> mass(static_cast<std::size_t>(model.num_bodies()), 0);  // of a body and all that hangs on it
  for (int b = model.num_bodies() - 1; b >= 0; --b) {
    const ModelBody& body = model.body(b);
    double& moved = mass[static_cast<std::size_t>(b)];
    moved += body.inertia.m;
    if (body.parent >= 0) mass[static_cast<std::size_t>(body.parent)] += moved;
    const JointDescription& joint = model.joints()[static_cast<std::size_t>(body.joint)].description;
    const bool light = moved < kLeastMass && joint.armature < kLeastMass && body.nv > 0;
    Require(!light && moved <= kMostMass, "joint '" + joint.name + "'", fmt::format("it moves {:.3g} kg", moved),
            fmt::format("from {:g} to {:g} kg", kLeastMass, kMostMass));
  }
}

}  // namespace tactus
