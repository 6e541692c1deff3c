#include "tactus/collision/contact_clustering.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tactus/core/error.h"
#include "tactus/core/random.h"
#include "tactus/geometry/aabb.h"
#include "tactus/math/spatial.h"

namespace tactus {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kFirstDirections = 120;
constexpr int kNewDirections = 300;
constexpr int kApproaches = 12;  // towards a point, from inside of what is reached
constexpr int kMostDirections = 6000;
constexpr int kAround = 4;      // more for each point that was missing
constexpr double kTurn = 0.25;  // how far they are turned away
constexpr int kMostCaps = 3;
constexpr int kCells = 4;  // parts along each axis, of places and of normals
// Of the tolerance: aimed at along the first directions, along the new ones, and given to depth. Less than all, so that
// directions between those tried stay within it.
constexpr double kAim = 0.35, kNewAim = 0.5, kForDepth = 0.2;

// The axes, then unit vectors at random; the same for ever.
const std::vector<Vector6>& Directions() {
  static const std::vector<Vector6> directions = [] {
    std::vector<Vector6> out;
    for (int i = 0; i < 6; ++i) {
      out.push_back(Vector6::Unit(i));
      out.push_back(-Vector6::Unit(i));
    }
    Random random(1);
    while (out.size() < kMostDirections) {
      Vector6 d;
      for (int i = 0; i < 6; ++i) d[i] = random.Normal();
      out.push_back(d.normalized());
    }
    return out;
  }();
  return directions;
}

class Clusterer {
 public:
  Clusterer(const ClusterSettings& settings, ClusterScratch* scratch, ContactManifold* manifold)
      : settings_(settings), s_(*scratch), points_(manifold->points), manifold_(*manifold) {}

  ClusterReport Run() {
    MakeTable();
    ClusterReport report;
    report.within_cap = false;
    if (!CoverAll(&report.error)) return {0, 0, false};
    report.within_cap = count_ <= settings_.cap;
    KeepDeepestOfParts();
    report.merged = Compact();
    return report;
  }

 private:
  void MakeTable() {
    Aabb box;
    double high = -kInfinity;
    std::size_t deepest = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      box.Extend(points_[i].point);
      high = std::max(high, points_[i].gap);
      if (points_[i].gap < points_[deepest].gap) deepest = i;
    }
    low_ = points_[deepest].gap;
    depth_ = high > low_ ? kForDepth * settings_.tolerance / (high - low_) : 0;
    middle_ = 0.5 * (box.low + box.high);
    double radius = 0;
    for (const ContactPoint& c : points_) radius = std::max(radius, (c.point - middle_).norm());
    scale_ = radius > 0 ? 1 / radius : 0;
    s_.all.Clear();
    for (const ContactPoint& c : points_) AddTo(&s_.all, c);
    s_.chosen.Clear();
    s_.kept.assign(points_.size(), 0);
    Choose(deepest);
  }

  void AddTo(ReachTable* table, const ContactPoint& c) const {
    table->Add(scale_ * (c.point - middle_), c.normal, depth_ * (c.gap - low_));
  }

  void Choose(std::size_t i) {
    s_.kept[i] = 1;
    AddTo(&s_.chosen, points_[i]);
    ++count_;
  }

  // False if that takes too many points or directions: the manifold cannot be described by few.
  bool CoverAll(double* error) {
    auto& queue = s_.directions;
    queue.assign(Directions().begin(), Directions().begin() + kFirstDirections);
    AddOutwardDirections();
    std::size_t used = kFirstDirections;  // of Directions()
    int missing_late = 0;                 // in the second half of the first directions
    for (std::size_t k = 0; k < queue.size(); ++k) {
      const Vector6 d = queue[k];
      // Every other direction without friction. (A point may matter at friction between the two only.)
      if (!Cover(d, k % 2 == 0 ? settings_.friction : 0, kAim, error)) continue;
      missing_late += k >= kFirstDirections / 2 && k < kFirstDirections ? 1 : 0;
      if (missing_late > kFirstDirections / 3 || count_ > kMostCaps * settings_.cap) return false;
      if (used + kAround > Directions().size()) return false;
      for (int i = 0; i < kAround; ++i) queue.push_back((d + kTurn * Directions()[used++]).normalized());
    }
    for (bool missing = true; missing;) {
      missing = false;
      if (used + kNewDirections > Directions().size()) return false;
      for (int& i : s_.cells) {
        missing = (i >= 0 && CoverPoint(static_cast<std::size_t>(i))) || missing;
        i = -1;  // what is reached once stays so
      }
      for (int i = 0; i < kNewDirections; ++i) {
        missing = Cover(Directions()[used++], i % 2 == 0 ? settings_.friction : 0, kNewAim, error) || missing;
      }
      if (count_ > kMostCaps * settings_.cap) return false;
    }
    return true;
  }

  // Towards the outermost point of each kind, seen from the middle of all wrenches: few points of a kind of their own
  // would hardly be met by chance.
  void AddOutwardDirections() {
    mean_.setZero();
    for (const ContactPoint& c : points_) mean_ += Wrench(scale_ * (c.point - middle_), c.normal);
    mean_ /= static_cast<double>(points_.size());
    const auto outward = [&](int i) -> Vector6 {
      const ContactPoint& c = points_[static_cast<std::size_t>(i)];
      return Wrench(scale_ * (c.point - middle_), c.normal) - mean_;
    };
    constexpr int kAll = kCells * kCells * kCells;
    s_.cells.assign(kAll * kAll, -1);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const ContactPoint& c = points_[i];
      int& best = s_.cells[static_cast<std::size_t>(Cell(scale_ * (c.point - middle_)) * kAll + Cell(c.normal))];
      if (best < 0 || outward(static_cast<int>(i)).squaredNorm() > outward(best).squaredNorm())
        best = static_cast<int>(i);
    }
    for (const int i : s_.cells) {
      if (i >= 0 && outward(i).norm() > 1e-3) s_.directions.push_back(outward(i).normalized());
    }
  }

  static Vector6 Wrench(const Vector3& r, const Vector3& n) {
    Vector6 w;
    w << n, r.cross(n);
    return w;
  }

  // Number of the cell of the cube from -1 to 1.
  static int Cell(const Vector3& r) {
    int cell = 0;
    for (int k = 0; k < 3; ++k) {
      cell = kCells * cell + std::clamp(static_cast<int>(0.5 * kCells * (1 + r[k])), 0, kCells - 1);
    }
    return cell;
  }

  // Chooses the point that reaches farthest along d if those chosen fall short of it by more than `aim` of the
  // tolerance.
  bool Cover(const Vector6& d, double friction, double aim, double* error) {
    const ReachTable::Farthest chosen = s_.chosen.Find(d, friction), all = s_.all.Find(d, friction);
    const double missing = all.reach - chosen.reach;
    if (missing > aim * settings_.tolerance) {
      Choose(static_cast<std::size_t>(all.row));
      return true;
    }
    *error = std::max(*error, missing);
    return false;
  }

  // Chooses the point if one of its wrenches w is out of reach: by Gilbert's algorithm a wrench y that is reached is
  // brought nearer to w, until it is near enough or w - y is a direction along which w is too far.
  bool CoverPoint(std::size_t i) {
    if (s_.kept[i] != 0) return false;
    const double near = kNewAim * settings_.tolerance, mu = settings_.friction;
    const ContactPoint& c = points_[i];
    const Vector3 r = scale_ * (c.point - middle_);
    const Matrix3 frame = RotationFromZ(c.normal);
    for (const Vector3& side :
         {Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(-1, 0, 0), Vector3(0, 1, 0), Vector3(0, -1, 0)}) {
      const Vector6 w = Wrench(r, c.normal + mu * (frame * side));
      Vector6 y = mean_;
      for (int k = 0; k < kApproaches; ++k) {
        const Vector6 to = w - y;
        const double distance = to.norm();
        if (distance <= near) break;
        const Vector6 d = to / distance;
        const ReachTable::Farthest chosen = s_.chosen.Find(d, mu);
        if (d.dot(w) - chosen.reach > near) {
          Choose(i);
          return true;
        }
        const Vector6 step = s_.chosen.CalcWrench(chosen.row, d, mu) - y;
        const double t = to.dot(step) / step.squaredNorm();
        if (!(t > 0)) break;
        y += std::min(t, 1.0) * step;
      }
    }
    return false;
  }

  void KeepDeepestOfParts() {
    s_.cells.assign(kCells * kCells * kCells, -1);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      int& deepest = s_.cells[static_cast<std::size_t>(Cell(scale_ * (points_[i].point - middle_)))];
      if (deepest < 0 || points_[i].gap < points_[static_cast<std::size_t>(deepest)].gap) deepest = static_cast<int>(i);
    }
    for (const int i : s_.cells) {
      if (i >= 0 && s_.kept[static_cast<std::size_t>(i)] == 0 && count_ < settings_.cap)
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
  int count_ = 0;  // chosen
  double low_ = 0, depth_ = 0, scale_ = 0;
  Vector3 middle_ = Vector3::Zero();
  Vector6 mean_ = Vector6::Zero();  // of all wrenches without friction
};

}  // namespace

void ReachTable::Add(const Vector3& r, const Vector3& n, double penalty) {
  const int row = count_ % kBlock;
  if (count_ / kBlock == static_cast<int>(blocks_.size())) blocks_.emplace_back();
  Block& block = blocks_[static_cast<std::size_t>(count_ / kBlock)];
  if (row == 0) {
    // Rows that are not there reach nowhere.
    for (int k = 0; k < 3; ++k) {
      block.r[k].setZero();
      block.n[k].setZero();
    }
    block.penalty.setConstant(1e6f);
  }
  for (int k = 0; k < 3; ++k) {
    block.r[k][row] = static_cast<float>(r[k]);
    block.n[k][row] = static_cast<float>(n[k]);
  }
  block.penalty[row] = static_cast<float>(penalty);
  ++count_;
}

ReachTable::Farthest ReachTable::Find(const Vector6& direction, double friction) const {
  const Eigen::Matrix<float, 6, 1> d = direction.cast<float>();
  const auto mu = static_cast<float>(friction);
  Farthest out{-kInfinity, 0};
  const int blocks = (count_ + kBlock - 1) / kBlock;
  for (int k = 0; k < blocks; ++k) {
    const Block& block = blocks_[static_cast<std::size_t>(k)];
    const auto &r = block.r, &n = block.n;
    const Eigen::Array<float, kBlock, 1> vx = d[0] + d[4] * r[2] - d[5] * r[1], vy = d[1] + d[5] * r[0] - d[3] * r[2],
                                         vz = d[2] + d[3] * r[1] - d[4] * r[0],
                                         along = vx * n[0] + vy * n[1] + vz * n[2];
    Eigen::Array<float, kBlock, 1> reach = along - block.penalty;
    if (mu > 0) reach += mu * (vx * vx + vy * vy + vz * vz - along * along).max(0.0f).sqrt();
    const auto most = static_cast<double>(reach.maxCoeff());
    if (!(most > out.reach)) continue;
    int row = 0;
    reach.maxCoeff(&row);
    out = {most, k * kBlock + row};
  }
  return out;
}

Vector6 ReachTable::CalcWrench(int row, const Vector6& d, double friction) const {
  const Block& block = blocks_[static_cast<std::size_t>(row / kBlock)];
  Vector3 r, n;
  for (int k = 0; k < 3; ++k) {
    r[k] = static_cast<double>(block.r[k][row % kBlock]);
    n[k] = static_cast<double>(block.n[k][row % kBlock]);
  }
  const Vector3 v = d.head<3>() + d.tail<3>().cross(r), tangential = v - v.dot(n) * n;
  const Vector3 f = n + friction * tangential.stableNormalized();
  Vector6 w;
  w << f, r.cross(f);
  return w;
}

ClusterReport ClusterContacts(const ClusterSettings& settings, ClusterScratch* scratch, ContactManifold* manifold) {
  Require(settings.tolerance > 0 && settings.friction >= 0 && settings.cap >= 1, "contact clustering",
          "a setting is out of range", "tolerance > 0, friction >= 0, cap >= 1");
  if (manifold->size() <= settings.cap) return {};
  return Clusterer(settings, scratch, manifold).Run();
}

}  // namespace tactus
