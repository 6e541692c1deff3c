// Fixed tendons: length L = sum of coefficient times q. They have limits, springs, dampers, dry friction, and may
// follow each other.
#include <algorithm>
#include <cmath>

#include "tactus/constraints/kinds.h"
#include "tactus/core/error.h"

namespace tactus {

namespace {

struct TendonParts {
  std::vector<int> dofs, q;
  std::vector<double> coefficients;

  double Length(const VectorX& x) const {
    double sum = 0;
    for (std::size_t k = 0; k < q.size(); ++k) sum += coefficients[k] * x[q[k]];
    return sum;
  }
};

TendonParts MakeParts(const Model& model, const TendonDescription& tendon) {
  TendonParts parts;
  const std::string where = "tendon '" + tendon.name + "'";
  for (const auto& [name, coefficient] : tendon.joints) {
    const int j = model.FindJoint(name);
    Require(j >= 0, where, "there is no joint '" + name + "'", "joints of the model");
    const ModelBody& body = model.body(model.joints()[static_cast<std::size_t>(j)].body);
    Require(body.nv == 1, where, "joint '" + name + "' has " + std::to_string(body.nv) + " dofs", "joints of one dof");
    parts.dofs.push_back(body.v);
    parts.q.push_back(body.q);
    parts.coefficients.push_back(coefficient);
  }
  return parts;
}

class Tendon : public Constraint {
 public:
  Tendon(const Model& model, const TendonDescription& tendon)
      : Constraint(tendon.name), tendon_(tendon), parts_(MakeParts(model, tendon)) {}

  void AddRows(int index, ConstraintInput* input, ConstraintRows* rows) const override {
    const double length = parts_.Length(input->q());
    double speed = 0;
    for (std::size_t k = 0; k < parts_.dofs.size(); ++k) speed += parts_.coefficients[k] * input->v()[parts_.dofs[k]];
    const double reach = rows->h() * (std::abs(speed) + 50);
    if (length - tendon_.lower < reach) {
      Add(input, [&](auto columns, auto values) {
        rows->AddGap(RowKey(index, 0), RowLaw::Inequality(), columns, values, length - tendon_.lower);
      });
    }
    if (tendon_.upper - length < reach) {
      Add(
          input,
          [&](auto columns, auto values) {
            rows->AddGap(RowKey(index, 1), RowLaw::Inequality(), columns, values, tendon_.upper - length);
          },
          -1);
    }
    if (tendon_.stiffness > 0 || tendon_.damping > 0) {
      const double stretch = CalcStretch(length);
      SpringLaw law;
      law.stiffness = stretch != 0 || tendon_.rest_lower == tendon_.rest_upper ? tendon_.stiffness : 0;
      law.damping = tendon_.damping;
      Add(input, [&](auto columns, auto values) { rows->AddSpring(RowKey(index, 2), law, columns, values, stretch); });
    }
    if (tendon_.dry_friction > 0) {
      Add(input, [&](auto columns, auto values) {
        rows->AddVelocity(RowKey(index, 3), RowLaw::DryFriction(rows->h() * tendon_.dry_friction), columns, values, 0);
      });
    }
  }

  double CalcEnergy(const VectorX& q, const std::function<Pose(int)>& /*pose*/) const override {
    const double stretch = CalcStretch(parts_.Length(q));
    return 0.5 * tendon_.stiffness * stretch * stretch;
  }

 private:
  // Slack between the rest lengths.
  double CalcStretch(double length) const {
    return length > tendon_.rest_upper   ? length - tendon_.rest_upper
           : length < tendon_.rest_lower ? length - tendon_.rest_lower
                                         : 0;
  }

  template <typename Call>
  void Add(const ConstraintInput* input, const Call& call, double sign = 1) const {
    // Few joints: on the stack, no memory is taken.
    constexpr std::size_t kMost = 64;
    int columns[kMost];
    double values[kMost];
    const std::size_t count = parts_.dofs.size();
    for (std::size_t k = 0; k < count; ++k) {
      columns[k] = input->first_dof() + parts_.dofs[k];
      values[k] = sign * parts_.coefficients[k];
    }
    call(std::span<const int>(columns, count), std::span<const double>(values, count));
  }

  TendonDescription tendon_;
  TendonParts parts_;
};

// L_1 - L_1(start) = sum_k c_k (L_2 - L_2(start))^k.
class TendonCoupling : public Constraint {
 public:
  TendonCoupling(const std::string& name, TendonParts first, TendonParts second, const double* polynomial,
                 const VectorX& initial)
      : Constraint(name),
        first_(std::move(first)),
        second_(std::move(second)),
        first_start_(first_.Length(initial)),
        second_start_(second_.Length(initial)) {
    std::copy(polynomial, polynomial + 5, polynomial_);
  }

  void AddRows(int index, ConstraintInput* input, ConstraintRows* rows) const override {
    const double d1 = first_.Length(input->q()) - first_start_, d2 = second_.Length(input->q()) - second_start_;
    double target = polynomial_[0], slope = 0, power = 1;
    for (int k = 1; k < 5; ++k) {
      slope += k * polynomial_[k] * power;
      power *= d2;
      target += polynomial_[k] * power;
    }
    int columns[128];
    double values[128];
    std::size_t count = 0;
    for (const bool leader : {false, true}) {
      const TendonParts& parts = leader ? second_ : first_;
      for (std::size_t k = 0; k < parts.dofs.size(); ++k) {
        columns[count] = input->first_dof() + parts.dofs[k];
        values[count++] = (leader ? -slope : 1) * parts.coefficients[k];
      }
    }
    rows->AddGap(RowKey(index, 0), RowLaw::Equality(), {columns, count}, {values, count}, d1 - target);
  }

 private:
  TendonParts first_, second_;
  double first_start_, second_start_;
  double polynomial_[5];
};

const TendonDescription& FindTendon(const Model& model, const std::string& name, const std::string& where) {
  for (const TendonDescription& tendon : model.description().tendons) {
    if (tendon.name == name) return tendon;
  }
  throw InputError(where, "there is no tendon '" + name + "'", "a tendon of the model");
}

void CheckSize(const TendonDescription& tendon) {
  Require(!tendon.joints.empty() && tendon.joints.size() <= 64, "tendon '" + tendon.name + "'",
          "has " + std::to_string(tendon.joints.size()) + " joints", "1 to 64");
}

}  // namespace

std::unique_ptr<const Constraint> MakeTendon(const Model& model, const TendonDescription& tendon) {
  CheckSize(tendon);
  return std::make_unique<Tendon>(model, tendon);
}

std::unique_ptr<const Constraint> MakeTendonCoupling(const Model& model, const EqualityDescription& equality,
                                                     const VectorX& initial) {
  const std::string where = "equality '" + equality.name + "'";
  const TendonDescription& first = FindTendon(model, equality.first, where);
  CheckSize(first);
  TendonParts second;
  if (!equality.second.empty()) {
    const TendonDescription& other = FindTendon(model, equality.second, where);
    CheckSize(other);
    second = MakeParts(model, other);
  }
  return std::make_unique<TendonCoupling>(equality.name, MakeParts(model, first), std::move(second),
                                          equality.polynomial, initial);
}

}  // namespace tactus
