#include "tactus/collision/contact_clustering.h"

#include <algorithm>
#include <cmath>

#include "tactus/core/error.h"
#include "tactus/geometry/aabb.h"
#include "tactus/math/spatial.h"

namespace tactus {

namespace {

// Parts of the manifold along each axis. Odd: flat ones lie in the middle of a part, not between two.
constexpr int kCells = 5, kFineCells = 25;

class Clusterer {
 public:
  Clusterer(const ClusterSettings& settings, ClusterScratch* scratch, ContactManifold* manifold)
      : settings_(settings), s_(*scratch), points_(manifold->points), manifold_(*manifold) {}

  ClusterReport Run() {
    Measure();
    ClusterReport report;
    for (int side = 0; side < 6; ++side) {
      if (!CoverSide(side, &report.error)) return {0, 0, false};
    }
    // Not before: which points reach far is to change as little as they do, while the deepest may be now here, now
    // there.
    if (s_.kept[deepest_] == 0) Choose(deepest_);
    report.within_cap = count() <= settings_.cap;
    KeepDeepestOfParts();
    report.merged = Compact();
    return report;
  }

 private:
  int count() const { return static_cast<int>(s_.chosen.size()); }
  Vector3 Place(std::size_t i) const { return scale_ * (points_[i].point - middle_); }

  void Measure() {
    Aabb box;
    deepest_ = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      box.Extend(points_[i].point);
      if (points_[i].gap < points_[deepest_].gap) deepest_ = i;
    }
    middle_ = 0.5 * (box.low + box.high);
    double radius = 0;
    for (const ContactPoint& c : points_) radius = std::max(radius, (c.point - middle_).norm());
    scale_ = radius > 0 ? 1 / radius : 0;
    s_.kept.assign(points_.size(), 0);
    s_.chosen.clear();
  }

  void Choose(std::size_t i) {
    s_.kept[i] = 1;
    s_.chosen.push_back(static_cast<int>(i));
  }

  // The axis that the normal is nearest to, twice, and one more if it points the other way.
  static int Side(const Vector3& n) {
    int axis = 0;
    n.cwiseAbs().maxCoeff(&axis);
    return 2 * axis + (n[axis] < 0 ? 1 : 0);
  }

  ContactWrench CalcWrench(int i, int side) const {
    const auto k = static_cast<std::size_t>(i);
    return CalcContactWrench(Place(k), points_[k].normal, side / 2, side % 2 == 0 ? 1 : -1, settings_.friction);
  }

  // Points whose normals are nearest to one axis, from where tangents are turned. False if too many have to be chosen.
  bool CoverSide(int side, double* error) {
    s_.order.clear();
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (Side(points_[i].normal) == side) s_.order.push_back(static_cast<int>(i));
    }
    if (s_.order.empty()) return true;
    s_.wrenches.clear();
    s_.part.Clear();
    for (const int i : s_.order) {
      s_.wrenches.push_back(CalcWrench(i, side));
      s_.part.Add(s_.wrenches.back());
    }
    s_.hull.Clear();
    for (const int i : s_.chosen) s_.hull.Add(CalcWrench(i, side));
    s_.starts.clear();
    s_.start_fine.assign(kFineCells * kFineCells * kFineCells, -1);
    s_.start_coarse.assign(kCells * kCells * kCells, -1);
    for (std::size_t k = 0; k < s_.order.size(); ++k) {
      CoverPoint(k, error);
      // More than half of those looked at: few will not do for the others either.
      if (++looked_at_ < 2 * count() && count() > 2 * settings_.cap) return false;
    }
    return true;
  }

  // Until the hull is near enough: chooses who is farthest out where this point is out of it.
  void CoverPoint(std::size_t k, double* error) {
    const auto i = static_cast<std::size_t>(s_.order[k]);
    if (s_.kept[i] != 0) return;
    const Vector3 r = Place(i);
    int &fine = s_.start_fine[static_cast<std::size_t>(Cell(r, kFineCells))],
        &coarse = s_.start_coarse[static_cast<std::size_t>(Cell(r, kCells))];
    // From where the last point nearby was reached.
    if (const int start = fine >= 0 ? fine : coarse; start >= 0) {
      s_.hull.SetCombination(s_.starts[static_cast<std::size_t>(start)]);
    }
    double found = 0;
    ContactWrench d;
    while (!s_.hull.Approach(s_.wrenches[k], settings_.tolerance, &found, &d)) {
      // The point itself is out of the hull, so who is farthest is too, but for rounding.
      auto best = static_cast<std::size_t>(s_.part.Find(d).row);
      if (s_.kept[static_cast<std::size_t>(s_.order[best])] != 0) best = k;
      Choose(static_cast<std::size_t>(s_.order[best]));
      s_.hull.Add(s_.wrenches[best]);
      if (best == k) return;
    }
    *error = std::max(*error, found);
    if (fine < 0) {
      fine = static_cast<int>(s_.starts.size());
      s_.starts.emplace_back();
    }
    s_.starts[static_cast<std::size_t>(fine)] = s_.hull.combination();
    coarse = fine;
  }

  // Number of the cell of the cube from -1 to 1.
  static int Cell(const Vector3& r, int cells) {
    int cell = 0;
    for (int k = 0; k < 3; ++k) {
      cell = cells * cell + std::clamp(static_cast<int>(0.5 * cells * (1 + r[k])), 0, cells - 1);
    }
    return cell;
  }

  void KeepDeepestOfParts() {
    auto& deepest = s_.start_coarse;
    deepest.assign(kCells * kCells * kCells, -1);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      int& best = deepest[static_cast<std::size_t>(Cell(Place(i), kCells))];
      if (best < 0 || points_[i].gap < points_[static_cast<std::size_t>(best)].gap) best = static_cast<int>(i);
    }
    for (const int i : deepest) {
      if (i >= 0 && s_.kept[static_cast<std::size_t>(i)] == 0 && count() < settings_.cap)
        Choose(static_cast<std::size_t>(i));
    }
  }

  // In the order they had.
  int Compact() {
    std::size_t size = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (s_.kept[i] != 0) points_[size++] = points_[i];
    }
    const int merged = static_cast<int>(points_.size() - size);
    points_.resize(size);
    manifold_.merged += merged;
    return merged;
  }

  const ClusterSettings& settings_;
  ClusterScratch& s_;
  std::vector<ContactPoint>& points_;
  ContactManifold& manifold_;
  int looked_at_ = 0;
  std::size_t deepest_ = 0;
  double scale_ = 0;
  Vector3 middle_ = Vector3::Zero();
};

}  // namespace

ClusterReport ClusterContacts(const ClusterSettings& settings, ClusterScratch* scratch, ContactManifold* manifold) {
  if (!(settings.tolerance > 0 && settings.friction >= 0 && settings.cap >= 1)) {
    throw InputError("contact clustering", "a setting is out of range", "tolerance > 0, friction >= 0, cap >= 1");
  }
  if (manifold->size() <= settings.cap) return {};
  return Clusterer(settings, scratch, manifold).Run();
}

}  // namespace tactus
