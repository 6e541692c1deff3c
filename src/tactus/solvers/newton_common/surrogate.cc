#include "tactus/solvers/newton_common/surrogate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tactus/contact/constraint_law.h"
#include "tactus/solvers/newton_common/body_space_system.h"

namespace tactus {

namespace {

// Potential of a scalar row: d phi / d y = -lambda.
double RowPotential(const RowLaw& law, double y, double previous, double beta, double e, double lambda) {
  if (law.rigid()) {
    const double s = previous - beta * (y + e);
    return lambda * (2 * s - lambda) / (2 * beta);
  }
  // phi = -lambda y - (lambda + c)^2/(2 g), which is 1/2 g y^2 + c y where the row is not clipped, and does not blow up
  // as g -> 0 (then lambda is constant).
  const double g = law.d * beta / (law.d + beta), c = (beta * law.ke - law.d * previous) / (law.d + beta);
  const double linear = -lambda * y;
  return g > 0 ? linear - (lambda + c) * (lambda + c) / (2 * g) : linear;
}

}  // namespace

void Surrogate::Reset(const ContactProblem& problem, ConeOperator cone) {
  problem_ = &problem;
  cone_ = cone;
  beta.setOnes(problem.num_constraints());
  previous.setZero(problem.size());
  frozen.setZero(problem.num_contacts());
}

void Surrogate::CalcImpulse(const VectorX& y, VectorX* lambda, VectorX* blocks) const {
  const ContactProblem& p = *problem_;
  lambda->resize(p.size());
  if (blocks) blocks->resize(BlockSize(p));
  for (int i = 0; i < p.num_contacts(); ++i) {
    const int o = 3 * i;
    const double b = beta[i];
    double x[3];
    for (int k = 0; k < 3; ++k) x[k] = previous[o + k] - b * (y[o + k] + p.e()[o + k]);
    double* D = blocks ? blocks->data() + 9 * i : nullptr;
    if (cone_ == ConeOperator::Proximal) {
      x[2] -= b * frozen[i];
      ConeProjection(x, p.friction(i).mu1, lambda->data() + o, D);
    } else {
      StrictProjection(x, p.friction(i).mu1, lambda->data() + o, D);
    }
    if (D) std::transform(D, D + 9, D, [b](double d) { return b * d; });
  }
  for (int i = p.num_contacts(); i < p.num_constraints(); ++i) {
    const int o = p.offset(i);
    double slope = 0;
    (*lambda)[o] = ProjectRow(p.law(i - p.num_contacts()), previous[o] - beta[i] * y[o], beta[i], p.e()[o], &slope);
    if (blocks) (*blocks)[BlockOffset(p, i)] = beta[i] * slope;
  }
}

void Surrogate::Evaluate(SurrogatePoint* point) const {
  problem_->MultiplyJ(point->v, &point->y);
  problem_->mass().Multiply(point->v, &point->Av);
  CalcImpulse(point->y, &point->lambda);
  point->r.setZero(point->v.size());
  problem_->AddMultiplyJT(point->lambda, &point->r);
  point->r = point->Av - problem_->b() - point->r;
}

double Surrogate::CalcObjective(const SurrogatePoint& point) const {
  const ContactProblem& p = *problem_;
  double h = 0.5 * point.v.dot(point.Av) - p.b().dot(point.v);
  for (int i = 0; i < p.num_contacts(); ++i) h += point.lambda.segment<3>(3 * i).squaredNorm() / (2 * beta[i]);
  for (int i = p.num_contacts(); i < p.num_constraints(); ++i) {
    const int o = p.offset(i);
    h += RowPotential(p.law(i - p.num_contacts()), point.y[o], previous[o], beta[i], p.e()[o], point.lambda[o]);
  }
  return h;
}

Surrogate::Slope Surrogate::CalcSlope(const SurrogatePoint& point, const VectorX& Jd, double dAv, double dAd,
                                      double step) {
  const ContactProblem& p = *problem_;
  step_y_ = point.y + step * Jd;
  CalcImpulse(step_y_, &step_lambda_, &step_blocks_);
  Slope slope{dAv + step * dAd - Jd.dot(step_lambda_), dAd};
  for (int i = 0; i < p.num_constraints(); ++i) {
    const double* G = step_blocks_.data() + BlockOffset(p, i);
    const double* d = Jd.data() + p.offset(i);
    const int dim = p.dim(i);
    for (int a = 0; a < dim; ++a) {
      for (int b = 0; b < dim; ++b) slope.second += d[a] * G[a * dim + b] * d[b];
    }
  }
  return slope;
}

void Surrogate::CalcSlack(const SurrogatePoint& point, VectorX* z) const {
  *z = point.lambda - previous;
  for (int i = 0; i < problem_->num_constraints(); ++i) z->segment(problem_->offset(i), problem_->dim(i)) /= beta[i];
  *z += point.y;
}

void CalcFrozenTerm(const ContactProblem& p, const VectorX& z, VectorX* frozen) {
  frozen->resize(p.num_contacts());
  for (int i = 0; i < p.num_contacts(); ++i) {
    const int o = 3 * i;
    (*frozen)[i] = p.friction(i).mu1 * std::hypot(z[o] + p.e()[o], z[o + 1] + p.e()[o + 1]);
  }
}

void DynamicsNorm::Reset(const ContactProblem& p, bool energy) {
  if (energy) {
    p.mass().CalcDiagonal(&weight_);
    weight_ = weight_.cwiseInverse();
  } else {
    weight_.setOnes(p.num_dofs());
  }
  b_norm_ = (*this)(p.b());
  row_norm_.resize(p.size());
  const BlockRows& J = p.jacobian();
  for (int i = 0; i < p.num_constraints(); ++i) {
    const int count = J.count(i);
    for (int k = 0; k < p.dim(i); ++k) {
      double sum = 0;
      for (int c = 0; c < count; ++c) {
        const double value = J.block(i)[k * count + c];
        sum += value * value * weight_[J.cols(i)[c]];
      }
      row_norm_[p.offset(i) + k] = std::sqrt(sum);
    }
  }
}

double DynamicsNorm::CalcTolerance(const Surrogate& surrogate, const SurrogatePoint& point, double relative) {
  const ContactProblem& p = surrogate.problem();
  impulse_.setZero(p.num_dofs());
  p.AddMultiplyJT(point.lambda, &impulse_);
  const double scale = std::max({b_norm_, (*this)(impulse_), (*this)(point.Av)});
  const BlockRows& J = p.jacobian();
  double floor = 0;
  for (int i = 0; i < p.num_constraints(); ++i) {
    const int count = J.count(i);
    if (point.lambda.segment(p.offset(i), p.dim(i)).isZero(0)) continue;  // an open contact rounds to exactly 0
    double stiffness = surrogate.beta[i];                                 // |d lambda / d y|
    if (i >= p.num_contacts() && !p.law(i - p.num_contacts()).rigid()) {
      const double d = p.law(i - p.num_contacts()).d;
      stiffness *= d / (d + stiffness);
    }
    for (int k = 0; k < p.dim(i); ++k) {
      double magnitude = std::abs(p.e()[p.offset(i) + k]);
      for (int c = 0; c < count; ++c) magnitude += std::abs(J.block(i)[k * count + c] * point.v[J.cols(i)[c]]);
      const double size = row_norm_[p.offset(i) + k] * stiffness * magnitude;
      floor += size * size;
    }
  }
  return std::max(relative * scale, 8 * std::numeric_limits<double>::epsilon() * std::sqrt(floor));
}

}  // namespace tactus
