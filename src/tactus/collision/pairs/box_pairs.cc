// Two boxes: the separating axes (Gottschalk, Lin and Manocha 1996), then clipped faces.
#include <cmath>

#include "tactus/collision/pairs/pairs.h"

namespace tactus {

namespace {

// Edges against edges must win by this part of the size: faces make better manifolds.
constexpr double kFaceBonus = 1e-9;

struct BestAxis {
  Vector3 n = Vector3::UnitZ();  // unit, from b to a, in a's frame
  double gap = -1e300;
};

// Separation along each of the 15 directions, of which one is the best if the boxes overlap. False as soon as one
// exceeds the margin.
bool FindBestAxis(const Vector3& half_a, const Vector3& half_b, const Pose& X_AB, double margin, double bonus,
                  BestAxis* best) {
  const Matrix3& R = X_AB.R;
  const Matrix3 abs_R = R.cwiseAbs();
  const Vector3& p = X_AB.p;
  const auto consider = [&](double along, double reach, double extra, const auto& axis) {
    const double gap = std::abs(along) - reach;
    if (gap > best->gap + extra) {
      best->gap = gap;
      best->n = along > 0 ? Vector3(-axis) : Vector3(axis);
    }
    return gap <= margin;
  };
  for (int i = 0; i < 3; ++i) {
    if (!consider(p[i], half_a[i] + abs_R.row(i).dot(half_b), 0, Vector3::Unit(i))) return false;
  }
  for (int j = 0; j < 3; ++j) {
    if (!consider(p.dot(R.col(j)), half_b[j] + abs_R.col(j).dot(half_a), 0, R.col(j))) return false;
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      Vector3 axis = Vector3::Unit(i).cross(R.col(j));
      const double length = axis.norm();
      if (length < 1e-8) continue;
      axis /= length;
      const double reach = axis.cwiseAbs().dot(half_a) + (R.transpose() * axis).cwiseAbs().dot(half_b);
      if (!consider(p.dot(axis), reach, bonus, axis)) return false;
    }
  }
  return true;
}

}  // namespace

void CollideBoxBox(const PairInput& in, CollisionScratch* scratch, ContactManifold* out) {
  const ConvexCore &a = in.a.core(), &b = in.b.core();
  const Pose X_AB(in.X_WA.R.transpose() * in.X_WB.R, in.X_WA.R.transpose() * (in.X_WB.p - in.X_WA.p));
  const MinkowskiDifference difference(a, b, X_AB);
  const double bonus = kFaceBonus * difference.scale();
  BestAxis best;
  if (!FindBestAxis(a.size, b.size, X_AB, in.margin, bonus, &best)) return;

  ClipScratch& clip = scratch->convex.clip;
  clip.points.clear();
  FindFeatures(difference, best.n, &clip);
  ClipFeatures(best.n, 0, 0, best.gap, in.margin, &clip);
  for (const LocalContact& contact : clip.points) {
    // A pair of points that far apart, and no pair can be nearer: the axis was the right one.
    if (contact.gap <= best.gap + bonus) {
      AppendToWorld(in.X_WA, clip, out);
      return;
    }
  }
  // Apart, and nearest at corners, which no face or pair of edges looks along.
  CollideCores(a, in.X_WA, b, in.X_WB, in.margin, &scratch->convex, out);
}

}  // namespace tactus
