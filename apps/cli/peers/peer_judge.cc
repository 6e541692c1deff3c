// Errors of a run, from poses and velocities, by the same code for every engine.
#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/cli/peers/peer_run.h"
#include "tactus/collision/collide.h"
#include "tactus/core/error.h"

namespace tactus::cli {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// The link at the root of a link's tree; the world's own are -1.
int TreeOf(const Model& model, int link) {
  if (link < 0 || model.links()[static_cast<std::size_t>(link)].body < 0) return -1;
  while (model.links()[static_cast<std::size_t>(link)].parent >= 0) {
    link = model.links()[static_cast<std::size_t>(link)].parent;
  }
  return link;
}

struct PlacedShape {
  const CollisionShape* shape;
  Pose X_WS;
  Aabb box;
  int tree;
};

std::vector<PlacedShape> PlaceShapes(const Simulator& simulator, const std::vector<Pose>& poses) {
  std::vector<PlacedShape> out;
  for (const SimulatorObject& object : simulator.objects()) {
    const Pose X_WS = poses[static_cast<std::size_t>(object.link)] * object.X_LS;
    out.push_back({object.shape.get(), X_WS, object.shape->CalcBox(X_WS), TreeOf(simulator.model(), object.link)});
  }
  // By their left sides, so that those far away along x are not looked at.
  std::sort(out.begin(), out.end(),
            [](const PlacedShape& a, const PlacedShape& b) { return a.box.low[0] < b.box.low[0]; });
  return out;
}

double CalcStartDifference(const PeerRun& run, const Simulator& simulator) {
  double worst = 0;
  for (std::size_t k = 0; k < run.samples[0].poses.size(); ++k) {
    const Pose expected = simulator.LinkPose(static_cast<int>(k)), found = run.samples[0].poses[k];
    worst = std::max({worst, (expected.p - found.p).norm(), (expected.R - found.R).norm()});
  }
  return worst;
}

double CalcEnergy(const Model& model, const PeerSample& sample) {
  double energy = 0;
  for (std::size_t k = 0; k < model.links().size(); ++k) {
    const LinkDescription& link = model.description().links[k];
    if (model.links()[k].body < 0 || !link.inertia) continue;
    const Pose& pose = sample.poses[k];
    const Vector3 c = pose.R * link.inertia->com, w = sample.velocities[k].tail<3>();
    const Vector3 v = sample.velocities[k].head<3>() + w.cross(c);
    const Vector3 w_L = pose.R.transpose() * w;
    energy += 0.5 * link.inertia->mass * v.squaredNorm() + 0.5 * w_L.dot(link.inertia->central * w_L) -
              link.inertia->mass * model.gravity().dot(pose.p + c);
  }
  return energy;
}

// What mechanical energy rose by after it had been lower, relative to all that was lost, but no less than what a fall
// of a millimetre would lose: where nothing is lost there is nothing to compare with.
double CalcEnergyRise(const Model& model, const PeerRun& run) {
  double least = std::numeric_limits<double>::infinity(), rise = 0, first = 0;
  for (const PeerSample& sample : run.samples) {
    const double energy = CalcEnergy(model, sample);
    if (&sample == &run.samples[0]) first = energy;
    least = std::min(least, energy);
    rise = std::max(rise, energy - least);
  }
  return rise / std::max(first - least, 1e-3 * model.total_mass() * model.gravity().norm());
}

double CalcCreep(const Model& model, const PeerRun& run) {
  const PeerSample& last = run.samples.back();
  const auto middle = std::find_if(run.samples.begin(), run.samples.end(),
                                   [&](const PeerSample& s) { return s.time >= 0.5 * last.time; });
  double most = 0;
  for (std::size_t k = 0; k < last.poses.size(); ++k) {
    if (model.links()[k].body < 0) continue;
    most = std::max(most, (last.poses[k].p - middle->poses[k].p).norm());
  }
  return last.time > middle->time ? most / (last.time - middle->time) : kNone;
}

double CalcLift(const Model& model, const PeerRun& run) {
  double most = 0;
  for (const PeerSample& sample : run.samples) {
    for (std::size_t k = 0; k < sample.poses.size(); ++k) {
      if (model.links()[k].body < 0) continue;
      most = std::max(most, sample.poses[k].p[2] - run.samples[0].poses[k].p[2]);
    }
  }
  return most;
}

}  // namespace

double CalcPenetration(const Simulator& simulator, const std::vector<Pose>& poses) {
  const std::vector<PlacedShape> shapes = PlaceShapes(simulator, poses);
  CollisionScratch scratch;
  ContactManifold manifold;
  double deepest = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (std::size_t j = i + 1; j < shapes.size() && shapes[j].box.low[0] <= shapes[i].box.high[0]; ++j) {
      const PlacedShape &a = shapes[i], &b = shapes[j];
      if (a.tree == b.tree || !a.box.Overlaps(b.box) || !CanCollide(a.shape->kind(), b.shape->kind())) continue;
      CollideShapes(*a.shape, a.X_WS, *b.shape, b.X_WS, 0, &scratch, &manifold);
      for (const ContactPoint& point : manifold.points) deepest = std::max(deepest, -point.gap);
    }
  }
  return deepest;
}

double PeerErrors::Get(PeerError error) const {
  switch (error) {
    case PeerError::Penetration: return penetration;
    case PeerError::Creep: return creep;
    case PeerError::Lift: return lift;
  }
  return kNone;
}

PeerErrors JudgePeerRun(const PeerSceneEntry& entry, const Simulator& simulator, const PeerRun& run) {
  const Model& model = simulator.model();
  Require(run.samples[0].poses.size() == model.links().size(), "output of the peer '" + run.peer + "'",
          "has another number of links", std::to_string(model.links().size()));
  PeerErrors errors;
  errors.start = CalcStartDifference(run, simulator);
  // What was there before the first step is the scene's, not the engine's.
  const double given = CalcPenetration(simulator, run.samples[0].poses);
  for (const PeerSample& sample : run.samples) {
    const bool finite = std::all_of(sample.poses.begin(), sample.poses.end(),
                                    [](const Pose& p) { return p.p.allFinite() && p.R.allFinite(); });
    errors.penetration =
        finite ? std::max(errors.penetration, CalcPenetration(simulator, sample.poses) - given) : kNone;
    if (!finite) break;
  }
  errors.creep = entry.at_rest ? CalcCreep(model, run) : kNone;
  errors.lift = entry.error == PeerError::Lift ? CalcLift(model, run) : kNone;
  errors.energy = entry.passive && !entry.at_rest ? CalcEnergyRise(model, run) : kNone;
  return errors;
}

}  // namespace tactus::cli
