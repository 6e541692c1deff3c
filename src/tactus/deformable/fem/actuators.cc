#include "tactus/deformable/fem/actuators.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <Eigen/LU>

#include "tactus/core/error.h"

namespace tactus {

namespace {

// Dofs of nodes, ascending, and where each node's begin among them; held ones have none.
class RowPattern {
 public:
  RowPattern(const FemBody& body, std::vector<int> nodes) : body_(body) {
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    for (const int i : nodes) {
      if (body.first_dof(i) < 0) continue;
      for (int k = 0; k < 3; ++k) dof_.push_back(body.first_dof(i) + k);
    }
  }
  int place(int node) const {
    const int first = body_.first_dof(node);
    if (first < 0) return -1;
    return static_cast<int>(std::lower_bound(dof_.begin(), dof_.end(), first) - dof_.begin());
  }
  const std::vector<int>& dof() const { return dof_; }

 private:
  const FemBody& body_;
  std::vector<int> dof_;
};

void AddAt(int place, const Vector3& value, ActuatorRow* row) {
  if (place >= 0) Eigen::Map<Vector3>(row->value.data() + place) += value;
}

void RequireNode(const FemBody& body, int node, const char* where) {
  Require(node >= 0 && node < body.num_nodes(), where, fmt::format("node {}", node),
          fmt::format("0 to {}", body.num_nodes() - 1));
}

}  // namespace

double ActuatorRow::Dot(const VectorX& v) const {
  double sum = 0;
  for (std::size_t k = 0; k < dof.size(); ++k) sum += value[k] * v[dof[k]];
  return sum;
}

void ActuatorRow::AddTo(double scale, VectorX* v) const {
  for (std::size_t k = 0; k < dof.size(); ++k) (*v)[dof[k]] += scale * value[k];
}

PressureCavity::PressureCavity(const FemBody& body, std::vector<std::array<int, 3>> triangles)
    : triangles_(std::move(triangles)) {
  Require(!triangles_.empty(), "cavity", "no triangles", "a closed set of them");
  std::map<std::pair<int, int>, int> edges;  // how often each directed edge is there
  for (const std::array<int, 3>& t : triangles_) {
    for (std::size_t k = 0; k < 3; ++k) {
      RequireNode(body, t[k], "cavity");
      ++edges[{t[k], t[(k + 1) % 3]}];
    }
  }
  for (const auto& [edge, count] : edges) {
    const auto back = edges.find({edge.second, edge.first});
    Require(count == 1 && back != edges.end() && back->second == 1, "cavity",
            fmt::format("the edge from node {} to node {} is not shared by two triangles", edge.first, edge.second),
            "a closed set of triangles that face the same side");
  }
  if (CalcVolume(body.initial_q()) < 0) {
    for (std::array<int, 3>& t : triangles_) std::swap(t[1], t[2]);
  }
  const RowPattern pattern(body, CalcNodesOf(triangles_));
  dof_ = pattern.dof();
  for (const std::array<int, 3>& t : triangles_) {
    places_.push_back({pattern.place(t[0]), pattern.place(t[1]), pattern.place(t[2])});
  }
}

double PressureCavity::CalcVolume(const VectorX& q) const {
  // About a node of the cavity: at the world's origin digits cancel far from it.
  const Vector3 origin = q.segment<3>(3 * triangles_[0][0]);
  double volume = 0;
  for (const std::array<int, 3>& t : triangles_) {
    const Vector3 a = q.segment<3>(3 * t[0]) - origin, b = q.segment<3>(3 * t[1]) - origin,
                  c = q.segment<3>(3 * t[2]) - origin;
    volume += a.cross(b).dot(c) / 6;
  }
  return volume;
}

ActuatorRow PressureCavity::MakeRow() const { return {dof_, std::vector<double>(dof_.size(), 0.0)}; }

void PressureCavity::CalcRow(const VectorX& q, ActuatorRow* row) const {
  std::fill(row->value.begin(), row->value.end(), 0.0);
  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    const std::array<int, 3>& t = triangles_[i];
    const Vector3 a = q.segment<3>(3 * t[0]), b = q.segment<3>(3 * t[1]), c = q.segment<3>(3 * t[2]);
    const Vector3 share = (b - a).cross(c - a) / 6;
    for (const int place : places_[i]) AddAt(place, share, row);
  }
}

void PressureCavity::CalcRowChange(const VectorX& q, const VectorX& dq, ActuatorRow* row) const {
  std::fill(row->value.begin(), row->value.end(), 0.0);
  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    const std::array<int, 3>& t = triangles_[i];
    const Vector3 a = q.segment<3>(3 * t[0]), da = dq.segment<3>(3 * t[0]);
    const Vector3 b = q.segment<3>(3 * t[1]) - a, db = dq.segment<3>(3 * t[1]) - da;
    const Vector3 c = q.segment<3>(3 * t[2]) - a, dc = dq.segment<3>(3 * t[2]) - da;
    const Vector3 share = (db.cross(c) + b.cross(dc)) / 6;
    for (const int place : places_[i]) AddAt(place, share, row);
  }
}

CablePoint CableAtNode(int node) {
  CablePoint point;
  point.node[0] = node;
  point.weight[0] = 1;
  return point;
}

CablePoint CableAtWorld(const Vector3& place) {
  CablePoint point;
  point.world = place;
  return point;
}

CablePoint CableInElement(const FemBody& body, int element, const Vector3& place) {
  Require(element >= 0 && element < body.num_elements(), "cable", fmt::format("element {}", element),
          fmt::format("0 to {}", body.num_elements() - 1));
  Require(place.allFinite(), "cable", "a point is not finite", "finite coordinates");
  CablePoint point;
  point.node = body.mesh().tets[static_cast<std::size_t>(element)];
  Matrix3 edges;
  const auto node = [&](std::size_t a) { return body.mesh().nodes[static_cast<std::size_t>(point.node[a])]; };
  for (std::size_t a = 1; a < 4; ++a) edges.col(static_cast<int>(a) - 1) = node(a) - node(0);
  const Vector3 weights = edges.inverse() * (place - node(0));
  point.weight = {1 - weights.sum(), weights[0], weights[1], weights[2]};
  return point;
}

CablePoint CableInBody(const FemBody& body, const Vector3& place) {
  CablePoint best;
  double best_weight = -std::numeric_limits<double>::infinity();
  for (int e = 0; e < body.num_elements(); ++e) {
    const CablePoint point = CableInElement(body, e, place);
    const double least = *std::min_element(point.weight.begin(), point.weight.end());
    if (least <= best_weight) continue;
    best_weight = least;
    best = point;
  }
  return best;
}

Cable::Cable(const FemBody& body, std::vector<CablePoint> points) : points_(std::move(points)) {
  Require(points_.size() >= 2, "cable", fmt::format("{} points", points_.size()), "two or more");
  std::vector<int> nodes;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    double sum = 0;
    bool any = false;
    for (std::size_t k = 0; k < 4; ++k) {
      if (points_[i].node[k] == -1) continue;
      RequireNode(body, points_[i].node[k], "cable");
      nodes.push_back(points_[i].node[k]);
      sum += points_[i].weight[k];
      any = true;
    }
    Require(points_[i].world.allFinite() && (!any || std::abs(sum - 1) < 1e-9), "cable",
            fmt::format("weights of point {} add up to {}", i, sum), "1");
  }
  const RowPattern pattern(body, nodes);
  dof_ = pattern.dof();
  for (const CablePoint& point : points_) {
    std::array<int, 4> places = {-1, -1, -1, -1};
    for (std::size_t k = 0; k < 4; ++k) {
      if (point.node[k] >= 0) places[k] = pattern.place(point.node[k]);
    }
    places_.push_back(places);
  }
}

Vector3 Cable::Place(std::size_t point, const VectorX& q) const {
  Vector3 place = points_[point].world;
  for (std::size_t k = 0; k < 4; ++k) {
    if (points_[point].node[k] >= 0) place += points_[point].weight[k] * q.segment<3>(3 * points_[point].node[k]);
  }
  return place;
}

double Cable::CalcLength(const VectorX& q) const {
  double length = 0;
  for (std::size_t i = 1; i < points_.size(); ++i) length += (Place(i, q) - Place(i - 1, q)).norm();
  return length;
}

ActuatorRow Cable::MakeRow() const { return {dof_, std::vector<double>(dof_.size(), 0.0)}; }

void Cable::CalcRow(const VectorX& q, ActuatorRow* row) const {
  std::fill(row->value.begin(), row->value.end(), 0.0);
  for (std::size_t i = 1; i < points_.size(); ++i) {
    const Vector3 along = Place(i, q) - Place(i - 1, q);
    const double length = along.norm();
    if (length < 1e-12) continue;
    const Vector3 pull = along / length;
    for (std::size_t k = 0; k < 4; ++k) {
      AddAt(places_[i - 1][k], points_[i - 1].weight[k] * pull, row);
      AddAt(places_[i][k], -points_[i].weight[k] * pull, row);
    }
  }
}

}  // namespace tactus
