#include "tactus/solvers/first_order/impulse_system.h"

#include <algorithm>

namespace tactus {

namespace {

// Calls visit(subsystem, first, end) for every subsystem that constraint i touches: its columns [first, end).
template <class Visit>
void ForPieces(const ContactProblem& p, int i, const Visit& visit) {
  const BlockRows& J = p.jacobian();
  const int* cols = J.cols(i);
  for (int c = 0; c < J.count(i);) {
    const int j = p.mass().subsystem_of_dof(cols[c]);
    const Subsystem& s = p.mass().subsystem(j);
    int end = c + 1;
    while (end < J.count(i) && cols[end] < s.dof + s.size) ++end;
    visit(j, c, end);
    c = end;
  }
}

// Rows of J of constraint i as runs of neighbouring columns.
void AppendRuns(const BlockRows& J, int i, int dim, RunMatrix* out) {
  const int* cols = J.cols(i);
  const int n = J.count(i);
  out->BeginBlock(dim);
  for (int c = 0; c < n;) {
    int end = c + 1;
    while (end < n && cols[end] == cols[end - 1] + 1) ++end;
    double* values = out->AddRun(cols[c], end - c);
    for (int r = 0; r < dim; ++r) {
      std::copy_n(J.block(i) + static_cast<std::size_t>(r) * n + c, end - c,
                  values + static_cast<std::size_t>(r) * (end - c));
    }
    c = end;
  }
}

}  // namespace

ImpulseSystem::Costs ImpulseSystem::EstimateCosts() const {
  const ContactProblem& p = *problem_;
  const MassMatrix& A = p.mass();
  std::vector<double> rows_on(A.num_subsystems(), 0);
  for (int i = 0; i < p.num_constraints(); ++i) {
    ForPieces(p, i, [&](int j, int, int) { rows_on[j] += p.dim(i); });
  }
  Costs costs;
  for (int i = 0; i < p.num_constraints(); ++i) {
    const int dim = p.dim(i);
    costs.velocity += dim * p.jacobian().count(i);
    costs.factor += 2.0 * dim * p.jacobian().count(i);
    ForPieces(p, i, [&](int j, int, int) {
      costs.delassus += dim * rows_on[j];
      costs.velocity += dim * A.subsystem(j).size;
    });
  }
  // A dense factor is applied in size^2 operations; of a sparse one the fill is not known here, 10 is typical of
  // meshes.
  for (int j = 0; j < A.num_subsystems(); ++j) {
    if (rows_on[j] == 0) continue;
    const double size = A.subsystem(j).size;
    costs.factor += A.subsystem(j).kind == SubsystemKind::Sparse ? 10.0 * A.sparse_block(j).nonZeros() : size * size;
  }
  return costs;
}

void ImpulseSystem::PrepareFactor(DiagonalOfW diagonal) {
  const ContactProblem& p = *problem_;
  for (int i = 0; i < p.num_constraints(); ++i) AppendRuns(p.jacobian(), i, p.dim(i), &J_);
  if (diagonal == DiagonalOfW::Traces) {
    CalcEffectiveMass(p, &rho_, &effective_mass_);
  } else {
    CalcDiagonalEffectiveMass(p, &rho_, &v_);
  }
}

void ImpulseSystem::Prepare(const ContactProblem& problem, SystemForm form, bool for_sweeps, DiagonalOfW diagonal) {
  problem_ = &problem;
  form_ = form;
  if (!problem.has_dynamics()) {
    Require(form == SystemForm::Auto || form == SystemForm::Delassus, "system form", "the problem is a Delassus pair",
            "Auto or Delassus");
    form_ = SystemForm::Delassus;
  } else {
    Require(!(for_sweeps && form == SystemForm::Factor), "system form", "Factor has no block rows to sweep over",
            "Auto, Delassus or Velocity");
    const Costs costs = EstimateCosts();
    if (form == SystemForm::Auto) {
      form_ = costs.velocity <= costs.delassus ? SystemForm::Velocity : SystemForm::Delassus;
      if (!for_sweeps && costs.factor < std::min(costs.velocity, costs.delassus)) form_ = SystemForm::Factor;
    }
    if (form_ == SystemForm::Factor) product_cost_ = costs.factor;
  }
  W_.Clear();
  J_.Clear();
  Y_.Clear();
  diagonal_.assign(9 * static_cast<std::size_t>(problem.num_constraints()), 0.0);
  if (form_ == SystemForm::Delassus) {
    PrepareDelassus();
    product_cost_ = static_cast<double>(W_.nonzeros());
  } else if (form_ == SystemForm::Factor && diagonal != DiagonalOfW::Blocks) {
    PrepareFactor(diagonal);
  } else {
    PrepareVelocity();
    if (form_ == SystemForm::Velocity) product_cost_ = static_cast<double>(J_.nonzeros() + Y_.nonzeros());
  }
  problem.CalcSigma(VectorX::Zero(problem.size()), &sigma_free_);
}

void ImpulseSystem::PrepareDelassus() {
  const DelassusMatrix W(*problem_);
  W_.SetFrom(W);
  rho_ = W.rho();
  for (int i = 0; i < problem_->num_constraints(); ++i) {
    const int d = problem_->dim(i);
    const double* block = W.diagonal_block(i);
    double* out = diagonal_.data() + 9 * static_cast<std::size_t>(i);
    for (int r = 0; r < d; ++r) {
      for (int c = 0; c < d; ++c) out[r * d + c] = 0.5 * (block[r * d + c] + block[c * d + r]);
    }
  }
}

void ImpulseSystem::PrepareVelocity() {
  const ContactProblem& p = *problem_;
  const BlockRows& J = p.jacobian();
  rho_.assign(p.num_constraints(), 0);
  bool immovable = false;  // a constraint without compliance: the judge gives it a rho from the others
  for (int i = 0; i < p.num_constraints(); ++i) {
    const int d = p.dim(i), n = J.count(i);
    const int* cols = J.cols(i);
    double* W = diagonal_.data() + 9 * static_cast<std::size_t>(i);
    AppendRuns(J, i, d, &J_);
    Y_.BeginBlock(d);
    ForPieces(p, i, [&](int j, int first, int end) {
      const Subsystem& s = p.mass().subsystem(j);
      X_.setZero(s.size, d);
      for (int r = 0; r < d; ++r) {
        for (int c = first; c < end; ++c) X_(cols[c] - s.dof, r) = J.block(i)[static_cast<std::size_t>(r) * n + c];
      }
      p.mass().SolveSubsystem(j, X_);
      for (int r = 0; r < d; ++r) {
        for (int k = 0; k < d; ++k) {
          double sum = 0;
          for (int c = first; c < end; ++c)
            sum += J.block(i)[static_cast<std::size_t>(r) * n + c] * X_(cols[c] - s.dof, k);
          W[r * d + k] += sum;
        }
      }
      if (form_ == SystemForm::Velocity) {
        double* values = Y_.AddRun(s.dof, s.size);
        for (int r = 0; r < d; ++r)
          std::copy_n(X_.col(r).data(), s.size, values + static_cast<std::size_t>(r) * s.size);
      }
    });
    for (int r = 0; r < d; ++r) {
      for (int k = 0; k < r; ++k) W[r * d + k] = W[k * d + r] = 0.5 * (W[r * d + k] + W[k * d + r]);
    }
    rho_[i] = d / (d == 3 ? W[0] + W[4] + W[8] : W[0]);
    immovable |= !(rho_[i] > 0 && rho_[i] < kInfinity);
  }
  if (immovable) rho_ = CalcEffectiveMass(p);
}

void ImpulseSystem::Multiply(const VectorX& x, VectorX* y) {
  const ContactProblem& p = *problem_;
  y->resize(p.size());
  if (form_ == SystemForm::Delassus) {
    for (int i = 0; i < p.num_constraints(); ++i) W_.MultiplyBlock(i, x.data(), y->data() + p.offset(i));
    return;
  }
  v_.setZero(p.num_dofs());
  const RunMatrix& transposed = form_ == SystemForm::Velocity ? Y_ : J_;
  for (int i = 0; i < p.num_constraints(); ++i) transposed.AddTransposedBlock(i, x.data() + p.offset(i), v_.data());
  if (form_ == SystemForm::Factor) p.mass().SolveInPlace(v_);
  for (int i = 0; i < p.num_constraints(); ++i) J_.MultiplyBlock(i, v_.data(), y->data() + p.offset(i));
}

}  // namespace tactus
