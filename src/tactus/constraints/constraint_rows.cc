#include "tactus/constraints/constraint_rows.h"

#include <algorithm>
#include <cmath>

namespace tactus {

const char* ToString(StabilizationSettings::Kind kind) {
  switch (kind) {
    case StabilizationSettings::Kind::GapSpeed: return "gap_speed";
    case StabilizationSettings::Kind::Baumgarte: return "baumgarte";
    case StabilizationSettings::Kind::Split: return "split";
  }
  return "?";
}

double CalcCorrectionSpeed(const StabilizationSettings& settings, double gravity, double h, double d) {
  double speed = std::min(settings.alpha * d / h, settings.max_speed);
  if (gravity > 0 && settings.kind != StabilizationSettings::Kind::Baumgarte) {
    speed = std::min(speed, std::sqrt(0.2 * gravity * d));
  }
  return speed;
}

void ConstraintRows::Begin(double h, double theta, double gravity, const StabilizationSettings& stabilization,
                           ContactProblemBuilder* builder) {
  h_ = h;
  theta_ = theta;
  gravity_ = gravity;
  stabilization_ = stabilization;
  builder_ = builder;
  v_prev_ = nullptr;
  keys_.clear();
  starts_.clear();
}

void ConstraintRows::BeginAgain(const VectorX& v_prev) {
  if (v_prev_ == nullptr) {
    std::sort(starts_.begin(), starts_.end(), [](const Start& x, const Start& y) { return x.key < y.key; });
  }
  v_prev_ = &v_prev;
  keys_.clear();
}

double ConstraintRows::StartGap(std::uint64_t key, double gap, double y_prev) {
  if (!again()) {
    starts_.push_back({key, gap});
    return gap;
  }
  const auto found = std::lower_bound(starts_.begin(), starts_.end(), key,
                                      [](const Start& start, std::uint64_t k) { return start.key < k; });
  // A row that only now came near enough: its gap at the start is known to first order.
  return found != starts_.end() && found->key == key ? found->gap : gap - h_ * y_prev;
}

double ConstraintRows::CalcOffset(double gap, double gap0, double y_prev, double slop) const {
  const double target = gap0 >= 0 ? 0 : gap0 + h_ * CorrectionSpeed(std::max(-gap0 - slop, 0.0));
  return (gap - target) / h_ - y_prev;
}

void ConstraintRows::FinishGap(std::uint64_t key, const RowLaw& law, int row, double gap, double moving) {
  const double y_prev = again() ? builder_->CalcRowVelocity(row, *v_prev_) + moving : 0;
  const double start = StartGap(key, gap, y_prev);
  double e = 0;
  if (law.kind == RowKind::Equality) {
    // Of either sign, so corrected at a bounded speed from both sides.
    const double target =
        start - std::copysign(std::min(std::abs(start), h_ * CorrectionSpeed(std::abs(start))), start);
    e = (gap - target) / h_ - y_prev;
  } else {
    e = CalcOffset(gap, start, y_prev, 0);
  }
  builder_->SetRow(row, law, e + moving);
  keys_.push_back(key);
}

void ConstraintRows::FinishSpring(std::uint64_t key, const SpringLaw& law, int row, double gap, double moving) {
  const double y_prev = again() ? builder_->CalcRowVelocity(row, *v_prev_) + moving : 0;
  const double start = StartGap(key, gap, y_prev), c = 1 - theta_;
  // g + c h (y + moving), by way of the gap at the end if that is known better.
  const double position = (1 - c) * start + c * (gap - h_ * y_prev) + c * h_ * moving;
  const double d = c * h_ * h_ * law.stiffness + h_ * law.damping;
  const double ke =
      h_ * law.stiffness * position - h_ * law.damping * (law.reference_velocity - moving) - h_ * law.force;
  builder_->SetRow(row, RowLaw::BoundedSoft(d, ke, h_ * law.lower, h_ * law.upper), 0);
  keys_.push_back(key);
}

void ConstraintRows::AddGap(std::uint64_t key, const RowLaw& law, std::span<const int> columns,
                            std::span<const double> values, double gap) {
  FinishGap(key, law, builder_->AddRow(law, columns, values, 0), gap, 0);
}

void ConstraintRows::AddVelocity(std::uint64_t key, const RowLaw& law, std::span<const int> columns,
                                 std::span<const double> values, double e) {
  builder_->AddRow(law, columns, values, e);
  keys_.push_back(key);
}

void ConstraintRows::AddSpring(std::uint64_t key, const SpringLaw& law, std::span<const int> columns,
                               std::span<const double> values, double gap) {
  FinishSpring(key, law, builder_->AddRow(RowLaw::Soft(0, 0), columns, values, 0), gap, 0);
}

void ConstraintRows::AddBodyGap(std::uint64_t key, const RowLaw& law, BodyIndex a, BodyIndex b, const Vector3& point,
                                const Vector6& screw, double gap, double moving) {
  if (a == b) return;  // both fixed
  FinishGap(key, law, builder_->AddBodyRow(law, a, b, point, screw, 0), gap, moving);
}

void ConstraintRows::AddBodyVelocity(std::uint64_t key, const RowLaw& law, BodyIndex a, BodyIndex b,
                                     const Vector3& point, const Vector6& screw, double e) {
  if (a == b) return;
  builder_->AddBodyRow(law, a, b, point, screw, e);
  keys_.push_back(key);
}

void ConstraintRows::AddBodySpring(std::uint64_t key, const SpringLaw& law, BodyIndex a, BodyIndex b,
                                   const Vector3& point, const Vector6& screw, double gap, double moving) {
  if (a == b) return;
  FinishSpring(key, law, builder_->AddBodyRow(RowLaw::Soft(0, 0), a, b, point, screw, 0), gap, moving);
}

}  // namespace tactus
