#include "tactus/solvers/cond/cond_engine.h"

#include <algorithm>
#include <cmath>

#include "tactus/contact/constraint_law.h"
#include "tactus/core/simd.h"

namespace tactus {

namespace baseline {
extern const CondKernels kCondKernels;
}
#if TACTUS_HAVE_V3_KERNELS
namespace v3 {
extern const CondKernels kCondKernels;
}
#endif

const CondKernels& GetCondKernels() {
#if TACTUS_HAVE_V3_KERNELS
  if (ActiveSimdLevel() == SimdLevel::V3) return v3::kCondKernels;
#endif
  return baseline::kCondKernels;
}

template <typename Phase>
void CondEngine::Run(const Phase& phase) {
  if (team_ && shares_.size() > 1) {
    team_->ForEach([&](int piece) { phase(shares_[piece]); });
  } else {
    phase(shares_[0]);
  }
}

// v* of nodes; q = v* + W J^T lambda, what the contacts see.
void CondEngine::MoveNodes(int chunk_begin, int chunk_end) {
  const CondSystem& s = system_;
  const CondMatrix A = s.matrix();
  double* gradient = uses_bb() ? gradient_.data() : nullptr;
  for (int chunk = chunk_begin; chunk < chunk_end; ++chunk) {
    const int begin = kChunk * chunk, end = std::min(kChunk * (chunk + 1), s.num_rows());
    if (uses_half_) {
      kernels_->descend(vectors(), half_.Gather(begin, end), begin, end, scale_);
    } else {
      kernels_->gradient(A, vectors(), begin, end, scale_, gradient);
    }
    if (!uses_bb()) PushTouched(touched_chunk_[chunk], touched_chunk_[chunk + 1]);
  }
}

// Both halves of the product band by band, while sums are in the cache: bands add to later ones only.
void CondEngine::MoveBands() {
  constexpr int kChunks = CondHalf::kBand / kChunk;
  static_assert(CondHalf::kBand % kChunk == 0);
  const int chunks = (system_.num_rows() + kChunk - 1) / kChunk;
  for (int band = 0; band < half_.num_bands(); ++band) {
    half_.MultiplyBand(*kernels_, v_.data(), band);
    MoveNodes(kChunks * band, std::min(kChunks * (band + 1), chunks));
  }
}

void CondEngine::PushTouched(int begin, int end) {
  for (int t = begin; t < end; ++t) {
    const std::size_t at = 3 * static_cast<std::size_t>(system_.touched_row_[t]);
    for (int a = 0; a < 3; ++a) {
      q_[4 * static_cast<std::size_t>(t) + a] =
          star_[at + a] + scale_ * system_.w_[at + a] * force_[3 * static_cast<std::size_t>(t) + a];
    }
  }
}

// Bodies from their copies, and z*: z - w (u + k (z - J v)).
void CondEngine::MoveParts(const Share& share) {
  const CondSystem& s = system_;
  for (int j = share.part_begin; j < share.part_end; ++j) {
    const CondPart& part = s.parts_[j];
    double* work = part_work_.data() + part_work_start_[j];
    Eigen::Map<VectorX> pull(work, part.work_size), v(work + part.work_size, part.work_size);
    s.GatherPart(part.chain >= 0, problem_->b().segment(part.dof, part.size), pull.data());
    for (int c = part.begin; c < part.end; ++c) {
      const CondCopy& copy = s.copies_[c];
      const double* values = s.copy_values_.data() + copy.values;
      for (int r = 0; r < copy.dim; ++r) {
        const double f = multiplier_[copy.place + r] + copy.k * z_[copy.place + r];
        for (int q = copy.columns_begin; q < copy.columns_end; ++q) pull[s.copy_columns_[q]] += *values++ * f;
      }
    }
    if (part.chain >= 0) {
      v = pull;
      s.chains_[part.chain].tied.Solve(v.data());
    } else {
      v.noalias() = Eigen::Map<const MatrixX>(s.inverses_.data() + part.inverse, part.size, part.size) * pull;
    }
    for (int c = part.begin; c < part.end; ++c) {
      const CondCopy& copy = s.copies_[c];
      const double* values = s.copy_values_.data() + copy.values;
      for (int r = 0; r < copy.dim; ++r) {
        double y = 0;
        for (int q = copy.columns_begin; q < copy.columns_end; ++q) y += *values++ * v[s.copy_columns_[q]];
        const int at = copy.place + r;
        z_body_[at] = y;
        z_star_[at] = z_[at] - copy.w * (multiplier_[at] + copy.k * (z_[at] - y));
      }
    }
  }
}

// What copies add to the velocity of contacts, their own impulse included as in q.
void CondEngine::CalcExtra(int quad_begin, int quad_end) {
  const CondSystem& s = system_;
  if (s.copies_.empty()) return;
  for (int i = 4 * quad_begin; i < std::min(4 * quad_end, s.num_contacts_); ++i) {
    double* extra = extra_.data() + CondPlace(i);
    const double* lambda = lambda_.data() + CondPlace(i);
    for (int r = 0; r < 3; ++r) {
      double sum = 0;
      for (int k = s.copy_start_[i]; k < s.copy_start_[i + 1]; ++k) {
        const CondCopy& copy = s.copies_[s.copy_of_[k]];
        sum += z_star_[copy.place + r] + copy.w * lambda[4 * r];
      }
      extra[4 * r] = sum;
    }
  }
}

double CondEngine::RowVelocity(int row) const {
  const CondSystem& s = system_;
  double sum = 0;
  for (int k = s.row_entry_start_[row]; k < s.row_entry_start_[row + 1]; ++k) {
    const CondRowEntry& entry = s.row_entries_[k];
    const double* q = q_.data() + 4 * static_cast<std::size_t>(entry.touched);
    sum += entry.values[0] * q[0] + entry.values[1] * q[1] + entry.values[2] * q[2];
  }
  const int i = s.num_contacts_ + row;
  for (int k = s.copy_start_[i]; k < s.copy_start_[i + 1]; ++k) {
    const CondCopy& copy = s.copies_[s.copy_of_[k]];
    sum += z_star_[copy.place] + copy.w * row_lambda_[row];
  }
  return sum;
}

// One-shot for rows alone on their dofs; otherwise a step with its share (see README.md).
void CondEngine::SolveConstraints(const Share& share) {
  const CondSystem& s = system_;
  CalcExtra(share.quad_begin, share.quad_end);
  const bool strict = settings_->law == CondOperator::Strict;
  kernels_->contacts(contacts(), q_.data(), strict, share.quad_begin, share.quad_end);
  for (const int i : s.elliptic_) {
    if (i < 4 * share.quad_begin || i >= 4 * share.quad_end) continue;
    const int at = CondPlace(i);
    const double x[3] = {x_[at], x_[at + 4], x_[at + 8]};
    double out[3];
    StrictEllipseProjection(x, problem_->friction(i).mu1, problem_->friction(i).mu2, out);
    for (int r = 0; r < 3; ++r) lambda_[at + 4 * r] = out[r];
  }
  for (int row = share.row_begin; row < share.row_end; ++row) {
    const int i = s.num_contacts_ + row;
    row_lambda_[row] = SolveRow(row, scale_ * s.gamma_nodes_[i] + s.gamma_ties_[i]);
  }
}

double CondEngine::SolveRow(int row, double gamma) const {
  const RowLaw& law = problem_->law(row);
  const double e = problem_->row_offset(row), lambda = row_lambda_[row];
  if (!(gamma > 0)) return law.rigid() ? Clip(0, law.lo, law.hi) : Clip(-law.ke, law.lo, law.hi);  // nothing moves it
  const double omega = law.rigid() ? settings_->omega : 0, step = 1 / (gamma + omega);
  return ProjectRow(law, lambda - step * (RowVelocity(row) + omega * lambda), step, e);
}

// Impulses push the touched nodes; then the acceleration.
void CondEngine::AccelerateNodes(const Share& share, double nu) {
  const CondSystem& s = system_;
  const CondMatrix A = s.matrix();
  for (int chunk = share.chunk_begin; chunk < share.chunk_end; ++chunk) {
    for (int t = touched_chunk_[chunk]; t < touched_chunk_[chunk + 1]; ++t) {
      double f[3] = {0, 0, 0};
      CalcForce(t, f);
      const std::size_t at = 3 * static_cast<std::size_t>(s.touched_row_[t]);
      for (int a = 0; a < 3; ++a) {
        force_[3 * static_cast<std::size_t>(t) + a] = f[a];
        star_[at + a] += scale_ * s.w_[at + a] * f[a];
      }
    }
    kernels_->accelerate(A, vectors(), kChunk * chunk, std::min(kChunk * (chunk + 1), s.num_rows()), scale_, nu,
                         settings_->relaxation, chunk_sums_.data() + kCondSums * static_cast<std::size_t>(chunk));
  }
}

void CondEngine::CalcForce(int t, double* f) const {
  const CondSystem& s = system_;
  for (int k = s.by_node_start_[t]; k < s.by_node_start_[t + 1]; ++k) {
    const double* B = s.contact_blocks_.data() + 9 * static_cast<std::size_t>(s.by_node_entry_[k]);
    const double* l = lambda_.data() + CondPlace(s.by_node_contact_[k]);
    for (int a = 0; a < 3; ++a) f[a] += B[3 * a] * l[0] + B[3 * a + 1] * l[4] + B[3 * a + 2] * l[8];
  }
  for (int k = s.by_node_row_start_[t]; k < s.by_node_row_start_[t + 1]; ++k) {
    const double l = row_lambda_[s.by_node_row_[k]];
    for (int a = 0; a < 3; ++a) f[a] += s.row_entries_[s.by_node_row_entry_[k]].values[a] * l;
  }
}

void CondEngine::AccelerateParts(const Share& share, double nu) {
  const CondSystem& s = system_;
  const bool exact = settings_->virtual_nodes == CondVirtualNodes::Exact, follows = exact && !holds_multipliers_;
  for (int j = share.part_begin; j < share.part_end; ++j) {
    PartSums sums;
    for (int c = s.parts_[j].begin; c < s.parts_[j].end; ++c) {
      const CondCopy& copy = s.copies_[c];
      for (int r = 0; r < copy.dim; ++r) {
        const int at = copy.place + r;
        const double lambda = impulse(copy.constraint, r), z = z_[at], before = z_previous_[at];
        const double next = z_star_[at] + copy.w * lambda;
        const double change = next - z;
        const double accelerated = nu * (settings_->relaxation * change + z - before) + before;
        if (follows) multiplier_[at] = lambda;
        const double lag = lambda - multiplier_[at], tie = lag - copy.k * (next - z_body_[at]);
        if (exact) sums.lag += lag * lag / copy.k;
        sums.ties += copy.k * change * change + tie * tie / copy.k;
        sums.lambda += lambda * lambda / copy.k;
        sums.z += copy.k * next * next;
        sums.steps += copy.k * (accelerated - z) * (accelerated - z);
        z_star_[at] = next;
        z_previous_[at] = accelerated;
      }
    }
    part_sums_[j] = sums;
  }
}

CondNorms CondEngine::Iterate(double nu) {
  if (uses_schur_) schur_.Solve(true, &v_);
  if (uses_half_ && shares_.size() == 1) {
    MoveBands();
    MoveParts(shares_[0]);
  } else {
    if (uses_half_) {
      Run([&](const Share& share) {
        for (int band = share.band_begin; band < share.band_end; ++band) half_.MultiplyBand(*kernels_, v_.data(), band);
      });
    }
    Run([&](const Share& share) {
      MoveNodes(share.chunk_begin, share.chunk_end);
      MoveParts(share);
    });
  }
  if (uses_bb()) UpdateBarzilaiBorwein();
  if (settings_->shared == CondShared::GaussSeidel && !system_.shared_.empty()) SweepShared();
  Run([&](const Share& share) { SolveConstraints(share); });
  Run([&](const Share& share) {
    AccelerateNodes(share, nu);
    AccelerateParts(share, nu);
  });
  v_.swap(previous_);
  z_.swap(z_previous_);
  ++iteration_;
  CondNorms norms;
  for (std::size_t k = 0; k < chunk_sums_.size(); k += kCondSums) {
    norms.residual += chunk_sums_[k + kCondResidual];
    norms.inner += chunk_sums_[k + kCondInner];
    norms.steps += chunk_sums_[k + kCondSteps];
    norms.momentum += chunk_sums_[k + kCondMomentum];
  }
  double lambda = 0, z = 0;
  for (const PartSums& sums : part_sums_) {
    norms.ties += sums.ties;
    norms.steps += sums.steps;
    norms.lag += sums.lag;
    lambda += sums.lambda;
    z += sums.z;
  }
  norms.tie_scale = std::max(lambda, z);
  return norms;
}

void CondEngine::DropMomentum() {
  const CondSystem& s = system_;
  for (int r = 0; r < s.num_rows(); ++r) {
    std::copy_n(star_.data() + 3 * static_cast<std::size_t>(r), 3,
                v_.data() + 3 * static_cast<std::size_t>(s.row_node_[r]));
  }
  previous_ = v_;
  z_ = z_star_;
  z_previous_ = z_;
}

void CondEngine::UpdateMultipliers() {
  for (const CondCopy& copy : system_.copies_) {
    for (int r = 0; r < copy.dim; ++r) multiplier_[copy.place + r] = impulse(copy.constraint, r);
  }
}

void CondEngine::HalveSteps() {
  scale_ *= 0.5;
  UpdateSteps();
}

void CondEngine::Finish() {
  if (team_) team_->End();
}

void CondEngine::CopyImpulses(VectorX* lambda) const {
  const int nc = system_.num_contacts_;
  lambda->resize(problem_->size());
  for (int i = 0; i < nc; ++i) {
    for (int r = 0; r < 3; ++r) (*lambda)[3 * i + r] = lambda_[CondPlace(i) + 4 * r];
  }
  for (int r = 0; r < problem_->num_rows(); ++r) (*lambda)[3 * nc + r] = row_lambda_[r];
}

}  // namespace tactus
