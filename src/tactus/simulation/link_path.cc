#include "tactus/simulation/link_path.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "tactus/core/error.h"

namespace tactus {

void LinkPath::Validate() const {
  Require(!waypoints.empty(), "path", "has no waypoints", "one or more");
  for (std::size_t k = 0; k < waypoints.size(); ++k) {
    const Waypoint& w = waypoints[k];
    const std::string where = "path, waypoint " + std::to_string(k);
    Require(std::isfinite(w.time) && (k == 0 || w.time > waypoints[k - 1].time), where,
            "time is " + std::to_string(w.time), "increasing times [s]");
    Require(w.position.allFinite() && w.orientation.coeffs().allFinite() && std::isfinite(w.turn) &&
                std::isfinite(w.radius) && std::isfinite(w.angle),
            where, "is not finite", "finite numbers");
  }
}

Pose LinkPath::Evaluate(double time) const {
  const auto next = std::upper_bound(waypoints.begin(), waypoints.end(), time,
                                     [](double t, const Waypoint& w) { return t < w.time; });
  Waypoint w;
  if (next == waypoints.begin() || next == waypoints.end()) {
    w = next == waypoints.end() ? waypoints.back() : waypoints.front();
  } else {
    const Waypoint &a = *(next - 1), &b = *next;
    double u = (time - a.time) / (b.time - a.time);
    if (kind == Timeline::Kind::Smooth) u = u * u * (3 - 2 * u);
    if (kind == Timeline::Kind::Hold) u = 0;
    w.position = a.position + u * (b.position - a.position);
    w.orientation = a.orientation.slerp(u, b.orientation);
    w.turn = a.turn + u * (b.turn - a.turn);
    w.radius = a.radius + u * (b.radius - a.radius);
    w.angle = a.angle + u * (b.angle - a.angle);
  }
  const Matrix3 R =
      w.orientation.normalized().toRotationMatrix() * Eigen::AngleAxisd(w.turn, Vector3::UnitZ()).toRotationMatrix();
  return {R, w.position + w.radius * Vector3(std::cos(w.angle), std::sin(w.angle), 0)};
}

Timeline PlanPath(const Model& model, const VectorX& q_start, const LinkPath& path, const std::vector<int>& dofs,
                  double sample) {
  path.Validate();
  Require(path.link >= 0 && path.link < static_cast<int>(model.links().size()), "path",
          "link " + std::to_string(path.link) + " does not exist", "a link of the model");
  const ModelLink& link = model.links()[static_cast<std::size_t>(path.link)];
  Require(link.body >= 0, "path", "link '" + link.name + "' does not move", "a link that joints move");
  Require(std::isfinite(sample) && sample > 0, "path", "sample is " + std::to_string(sample), "a number > 0 [s]");
  InverseKinematics solver(model, dofs);
  VectorX q = q_start;
  const VectorX rest = q_start;
  Timeline out;
  out.kind = Timeline::Kind::Linear;
  const double first = path.waypoints.front().time, last = path.waypoints.back().time;
  const auto count = static_cast<std::int64_t>(std::ceil((last - first) / sample - 1e-9));
  for (std::int64_t k = 0; k <= count; ++k) {
    const double time = k == count ? last : first + static_cast<double>(k) * sample;
    const PoseTarget target{link.body, link.X_BL * path.X_LF, path.Evaluate(time)};
    const InverseKinematicsResult result = solver.Solve(target, &rest, &q);
    if (!result.reached) {
      throw InputError("path of '" + link.name + "'",
                       "cannot be followed at " + std::to_string(time) +
                           " s: " + std::to_string(result.position_error) + " m and " +
                           std::to_string(result.rotation_error) + " rad off",
                       "poses within reach of the joints, and no jumps");
    }
    out.times.push_back(time);
    std::vector<double>& values = out.values.emplace_back();
    for (const int d : dofs) values.push_back(q[model.body(model.dof_body(d)).q]);
  }
  return out;
}

}  // namespace tactus
