// Unions, intersections, differences, and fields in other places.
#include <cmath>
#include <map>
#include <utility>

#include "tactus/core/error.h"
#include "tactus/geometry/fields/fields.h"

namespace tactus {

namespace {

// Where f = 0 between p (where it is positive) and q (where it is not).
Vector3 FindCrossing(const SignedDistanceField& field, Vector3 p, Vector3 q) {
  for (int i = 0; i < 50; ++i) {
    const Vector3 middle = 0.5 * (p + q);
    (field.Evaluate(middle, nullptr) > 0 ? p : q) = middle;
  }
  return 0.5 * (p + q);
}

// Appends the part of `part` that is outside (sign 1) or inside (sign -1) of `other`; `flipped`: inside out.
void AppendTrimmed(const TriangleMesh& part, const SignedDistanceField& other, double sign, bool flipped,
                   TriangleMesh* out) {
  std::vector<double> value;
  for (const Vector3& p : part.vertices) value.push_back(sign * other.Evaluate(p, nullptr));
  const auto kept = [&](int v) { return value[static_cast<std::size_t>(v)] > 0; };
  std::map<std::pair<int, int>, int> numbers;  // (v, v): a vertex; otherwise the crossing between two
  const auto number = [&](int a, int b) {
    const auto [entry, added] = numbers.try_emplace(std::minmax(a, b), static_cast<int>(out->vertices.size()));
    if (added) {
      const Vector3 &p = part.vertices[static_cast<std::size_t>(a)], &q = part.vertices[static_cast<std::size_t>(b)];
      const bool p_positive = value[static_cast<std::size_t>(a)] * sign > 0;
      out->vertices.push_back(a == b ? p : (p_positive ? FindCrossing(other, p, q) : FindCrossing(other, q, p)));
    }
    return entry->second;
  };
  for (const auto& triangle : part.triangles) {
    std::vector<int> polygon;
    for (std::size_t i = 0; i < 3; ++i) {
      const int a = triangle[i], b = triangle[(i + 1) % 3];
      if (kept(a)) polygon.push_back(number(a, a));
      if (kept(a) != kept(b)) polygon.push_back(number(a, b));
    }
    for (std::size_t i = 2; i < polygon.size(); ++i) {
      out->triangles.push_back(flipped ? std::array<int, 3>{polygon[0], polygon[i], polygon[i - 1]}
                                       : std::array<int, 3>{polygon[0], polygon[i - 1], polygon[i]});
    }
  }
}

// max(sign_a a, sign_b b), times `sign` over all.
class CombinedField final : public SignedDistanceField {
 public:
  CombinedField(FieldPointer a, FieldPointer b, double sign_a, double sign_b, double sign)
      : a_(std::move(a)), b_(std::move(b)), sign_a_(sign_a), sign_b_(sign_b), sign_(sign) {
    Require(a_ != nullptr && b_ != nullptr, "combined field", "a field is missing", "two fields");
    TriangleMesh mesh;
    // A point of a's surface is on the result's where b's part is the lesser of the two within the max.
    AppendTrimmed(a_->surface(), *b_, -sign_b_, sign_ * sign_a_ < 0, &mesh);
    AppendTrimmed(b_->surface(), *a_, -sign_a_, sign_ * sign_b_ < 0, &mesh);
    SetSurface(std::move(mesh), std::max(a_->surface_error(), b_->surface_error()));
  }

  double Evaluate(const Vector3& p, Vector3* gradient) const override {
    Vector3 other;
    const double a = sign_a_ * a_->Evaluate(p, gradient);
    const double b = sign_b_ * b_->Evaluate(p, gradient != nullptr ? &other : nullptr);
    if (gradient != nullptr)
      *gradient = a >= b ? Vector3(sign_ * sign_a_ * *gradient) : Vector3(sign_ * sign_b_ * other);
    return sign_ * std::max(a, b);
  }

 private:
  FieldPointer a_, b_;
  double sign_a_, sign_b_, sign_;
};

class PlacedField final : public SignedDistanceField {
 public:
  PlacedField(const Pose& X_AB, FieldPointer field) : X_AB_(X_AB), field_(std::move(field)) {
    Require(field_ != nullptr, "placed field", "the field is missing", "a field");
    TriangleMesh mesh = field_->surface();
    for (Vector3& p : mesh.vertices) p = X_AB_ * p;
    SetSurface(std::move(mesh), field_->surface_error());
  }

  double Evaluate(const Vector3& p, Vector3* gradient) const override {
    const double value = field_->Evaluate(X_AB_.R.transpose() * (p - X_AB_.p), gradient);
    if (gradient != nullptr) *gradient = X_AB_.R * *gradient;
    return value;
  }
  bool CalcSupport(const Vector3& d, Vector3* point) const override {
    if (!field_->CalcSupport(X_AB_.R.transpose() * d, point)) return false;
    *point = X_AB_ * *point;
    return true;
  }

 private:
  Pose X_AB_;
  FieldPointer field_;
};

}  // namespace

FieldPointer MakeUnionField(FieldPointer a, FieldPointer b) {
  return std::make_shared<CombinedField>(std::move(a), std::move(b), -1, -1, -1);
}

FieldPointer MakeIntersectionField(FieldPointer a, FieldPointer b) {
  return std::make_shared<CombinedField>(std::move(a), std::move(b), 1, 1, 1);
}

FieldPointer MakeDifferenceField(FieldPointer a, FieldPointer b) {
  return std::make_shared<CombinedField>(std::move(a), std::move(b), 1, -1, 1);
}

FieldPointer MakePlacedField(const Pose& X_AB, FieldPointer b) {
  return std::make_shared<PlacedField>(X_AB, std::move(b));
}

}  // namespace tactus
