// How CondEngine begins: partition, spectral safeguard of W, first iterates; and its rarer steps.
#include <algorithm>
#include <cmath>

#include "tactus/contact/constraint_law.h"
#include "tactus/core/random.h"
#include "tactus/solvers/cond/cond_engine.h"

namespace tactus {

namespace {

constexpr int kMostLanczosSteps = 40;

int Part(int count, int piece, int pieces) { return static_cast<int>(static_cast<long long>(count) * piece / pieces); }

// By bisection with Sturm's count of eigenvalues below a number.
double LargestOfTridiagonal(const double* diagonal, const double* off, int count) {
  double low = diagonal[0], high = diagonal[0];
  for (int k = 0; k < count; ++k) {
    const double radius = (k > 0 ? off[k - 1] : 0) + (k + 1 < count ? off[k] : 0);
    low = std::max(low, diagonal[k]);
    high = std::max(high, diagonal[k] + radius);
  }
  for (int step = 0; step < 50; ++step) {
    const double middle = 0.5 * (low + high);
    bool all_below = true;
    double pivot = 1;
    for (int k = 0; k < count && all_below; ++k) {
      pivot = diagonal[k] - middle - (k > 0 ? off[k - 1] * off[k - 1] / pivot : 0);
      all_below = pivot < 0;
    }
    (all_below ? high : low) = middle;
  }
  return high;
}

}  // namespace

void CondEngine::SetPartition(int threads) {
  const CondSystem& s = system_;
  const int chunks = (s.num_rows() + kChunk - 1) / kChunk;
  chunk_sums_.assign(kCondSums * static_cast<std::size_t>(chunks), 0.0);
  part_sums_.assign(s.parts_.size(), PartSums());
  touched_chunk_.assign(chunks + 1, s.num_touched());
  for (int t = s.num_touched() - 1; t >= 0; --t) touched_chunk_[s.touched_row_[t] / kChunk] = t;
  for (int c = chunks - 1; c >= 0; --c) touched_chunk_[c] = std::min(touched_chunk_[c], touched_chunk_[c + 1]);
  // Small problems are done before another thread has woken up.
  constexpr int kChunksPerThread = 4, kPartsPerThread = 16;
  const int parts = static_cast<int>(s.parts_.size());
  const int useful = std::max(chunks / kChunksPerThread, parts / kPartsPerThread);
  const int pieces = std::clamp(useful, 1, threads);
  shares_.clear();
  for (int k = 0; k < pieces; ++k) {
    const int bands = uses_half_ ? half_.num_bands() : 0;
    const auto begin = [&](int count) { return Part(count, k, pieces); };
    const auto end = [&](int count) { return Part(count, k + 1, pieces); };
    shares_.push_back({begin(bands), end(bands), begin(chunks), end(chunks), begin(parts), end(parts),
                       begin(s.num_quads()), end(s.num_quads()), begin(problem_->num_rows()),
                       end(problem_->num_rows())});
  }
  if (pieces > 1) {
    if (!team_ || team_->size() != pieces) team_ = std::make_unique<ThreadTeam>(pieces);
    team_->Begin();
  }
}

bool CondEngine::Prepare(const ContactProblem& problem, const CondSettings& settings, bool dense, int threads) {
  problem_ = &problem;
  settings_ = &settings;
  holds_multipliers_ = false;
  kernels_ = &GetCondKernels();
  if (!system_.Prepare(problem, settings, dense)) return false;
  if (settings.schur && !schur_.Prepare(&system_)) return false;
  uses_schur_ = settings.schur && !schur_.empty();
  // Barzilai and Borwein's steps need gradients.
  uses_half_ = system_.num_rows() >= kLarge && !uses_schur_ && !uses_bb();
  if (uses_half_) half_.Prepare(system_);
  SetPartition(threads);
  const auto rows = static_cast<std::size_t>(system_.num_rows());
  star_.assign(3 * rows + 1, 0.0);
  gradient_.assign(uses_bb() ? 3 * rows + 1 : 0, 0.0);
  ScaleWeights();
  CalcCondGamma(problem, &system_);
  omega_.assign(4 * static_cast<std::size_t>(system_.num_quads()), settings.omega);
  UpdateSteps();
  part_work_start_.resize(system_.parts_.size());
  int work = 0;
  for (std::size_t j = 0; j < system_.parts_.size(); ++j) {
    part_work_start_[j] = work;
    work += 2 * system_.parts_[j].work_size;
  }
  part_work_.resize(work);
  return true;
}

// W, such that no eigenvalue of W A exceeds the target. Frobenius weights alone promise nothing.
void CondEngine::ScaleWeights() {
  recycles_ = settings_->recycle_weights && recycled_scale_ > 0 &&
              recycled_weights_.size() == 3 * static_cast<std::size_t>(system_.num_rows()) + 1;
  if (recycles_) {
    system_.w_ = recycled_weights_;
    scale_ = recycled_scale_;
    return;
  }
  // The Schur complement is not at hand: only its diagonal, roughly.
  CondSettings settings = *settings_;
  if (uses_schur_) settings.weights = CondWeights::Jacobi;
  CalcCondWeights(settings, &system_);
  scale_ = 1;
  if (system_.num_rows() == 0) return;
  largest_eigenvalue_ = EstimateLargestEigenvalue();
  const double fitting = settings_->spectral_target / largest_eigenvalue_;
  const bool up = settings_->stretch || uses_schur_ || settings_->weights >= CondWeights::Scalar;
  scale_ = up ? fitting : std::min(1.0, fitting);
  if (!(scale_ > 0 && std::isfinite(scale_))) scale_ = 1;
  recycled_weights_ = system_.w_;
  recycled_scale_ = scale_;
}

bool CondEngine::RenewWeights() {
  if (!recycles_) return false;
  recycled_scale_ = 0;
  ScaleWeights();
  CalcCondGamma(*problem_, &system_);
  UpdateSteps();
  return true;
}

void CondEngine::MultiplyRows(const std::vector<double>& x, double* y) {
  if (!uses_half_) {
    kernels_->multiply(system_.matrix(), x.data(), 0, system_.num_rows(), y);
    return;
  }
  for (int band = 0; band < half_.num_bands(); ++band) half_.MultiplyBand(*kernels_, x.data(), band);
  for (int begin = 0; begin < system_.num_rows(); begin += CondHalf::kBand) {
    const int end = std::min(begin + CondHalf::kBand, system_.num_rows());
    const double* sums = half_.Gather(begin, end);
    for (int r = begin; r < end; ++r) {
      std::copy_n(sums + 4 * static_cast<std::size_t>(r), 3, y + 3 * static_cast<std::size_t>(r));
    }
  }
}

// Of W^{1/2} A W^{1/2}, by a few Lanczos steps from a fixed random vector: a dozen give two digits where as many power
// iterations give one.
double CondEngine::EstimateLargestEigenvalue() {
  const CondSystem& s = system_;
  const Eigen::Index n = 3 * static_cast<Eigen::Index>(s.num_rows());
  const int steps = static_cast<int>(std::min<Eigen::Index>(settings_->power_iterations, n));
  VectorX &x = lanczos_x_, &last = lanczos_last_, &y = lanczos_y_, &root = lanczos_root_;
  std::vector<double>& nodes = answer_;
  root = Eigen::Map<const VectorX>(s.w_.data(), n).cwiseSqrt();
  x.resize(n);
  y.resize(n);
  last.setZero(n);
  nodes.assign(3 * static_cast<std::size_t>(s.num_nodes()) + 1, 0.0);
  Random random(1);
  for (double& value : x) value = random.Uniform(-1, 1);
  double diagonal[kMostLanczosSteps], off[kMostLanczosSteps];
  double beta = x.norm();
  int made = 0;
  for (int k = 0; k < steps && beta > 0; ++k, ++made) {
    x *= 1 / beta;
    for (int r = 0; r < s.num_rows(); ++r) {
      Eigen::Map<Vector3>(nodes.data() + 3 * static_cast<std::size_t>(s.row_node_[r])) =
          root.segment<3>(3 * r).cwiseProduct(x.segment<3>(3 * r));
    }
    if (uses_schur_) schur_.Solve(false, &nodes);
    MultiplyRows(nodes, y.data());
    y = root.cwiseProduct(y) - (k > 0 ? beta : 0) * last;
    const double alpha = x.dot(y);
    y -= alpha * x;
    diagonal[k] = alpha;
    last.swap(x);
    x.swap(y);
    beta = x.norm();
    off[k] = beta;
    if (beta <= 1e-12 * std::abs(alpha)) beta = 0;
  }
  return LargestOfTridiagonal(diagonal, off, made);
}

bool CondEngine::ScaleTies(bool of_chains, double factor) {
  if (!system_.ScaleTies(*problem_, of_chains, factor)) return false;
  CalcCondGamma(*problem_, &system_);
  UpdateSteps();
  return true;
}

bool CondEngine::RelaxChains() { return ScaleTies(true, settings_->kappa / settings_->chain_kappa); }

bool CondEngine::HoldMultipliers() {
  holds_multipliers_ = true;
  return ScaleTies(false, settings_->held_kappa / settings_->kappa);
}

void CondEngine::UpdateSteps() {
  const CondSystem& s = system_;
  step_.assign(4 * static_cast<std::size_t>(s.num_quads()), 0.0);
  for (int i = 0; i < s.num_contacts_; ++i) {
    const double gamma = scale_ * s.gamma_nodes_[i] + s.gamma_ties_[i];
    step_[i] = gamma > 0 ? 1 / (gamma + settings_->omega) : 0;
  }
}

void CondEngine::Start(const VectorX& lambda, const VectorX& v) {
  const CondSystem& s = system_;
  const int nc = s.num_contacts_;
  const std::size_t quads = 12 * static_cast<std::size_t>(s.num_quads());
  lambda_.assign(quads, 0.0);
  x_.assign(quads, 0.0);
  extra_.assign(quads, 0.0);
  row_lambda_.resize(problem_->num_rows());
  for (int i = 0; i < nc; ++i) {
    for (int r = 0; r < 3; ++r) lambda_[CondPlace(i) + 4 * r] = lambda[3 * i + r];
  }
  for (int r = 0; r < problem_->num_rows(); ++r) row_lambda_[r] = lambda[3 * nc + r];
  s.Gather(v, &v_);
  previous_ = v_;
  for (int r = 0; r < s.num_rows(); ++r) {
    std::copy_n(v_.data() + 3 * static_cast<std::size_t>(s.row_node_[r]), 3,
                star_.data() + 3 * static_cast<std::size_t>(r));
  }
  q_.assign(4 * static_cast<std::size_t>(s.num_touched()), 0.0);
  force_.assign(3 * static_cast<std::size_t>(s.num_touched()), 0.0);
  for (int t = 0; t < s.num_touched(); ++t) CalcForce(t, force_.data() + 3 * static_cast<std::size_t>(t));
  z_.resize(s.copy_size_);
  z_body_.resize(s.copy_size_);
  for (const CondCopy& copy : s.copies_) {
    const double* values = s.copy_values_.data() + copy.values;
    const int dof = problem_->mass().subsystem(copy.subsystem).dof;
    const bool chain = s.chain_of_[copy.subsystem] >= 0;
    for (int r = 0; r < copy.dim; ++r) {
      double y = 0;
      for (int q = copy.columns_begin; q < copy.columns_end; ++q) {
        const int column = s.copy_columns_[q];
        y += *values++ * v[dof + (chain ? CondChain::LocalDof(column) : column)];
      }
      z_[copy.place + r] = y;
    }
  }
  z_previous_ = z_;
  z_star_ = z_;
  multiplier_.assign(s.copy_size_, 0.0);
  if (settings_->virtual_nodes == CondVirtualNodes::Exact) UpdateMultipliers();
  has_last_gradient_ = false;
  iteration_ = 0;
}

void CondEngine::CopyVelocity(VectorX* v) {
  const CondSystem& s = system_;
  answer_.resize(v_.size());
  for (std::size_t d = 0; d < 3 * static_cast<std::size_t>(s.num_rows()); ++d) {
    answer_[3 * static_cast<std::size_t>(s.row_node_[d / 3]) + d % 3] = star_[d];
  }
  if (uses_schur_) schur_.Solve(true, &answer_);
  s.Scatter(answer_, v);
}

void CondEngine::PushNode(int t, const double* force) {
  for (int a = 0; a < 3; ++a) {
    q_[4 * static_cast<std::size_t>(t) + a] +=
        scale_ * system_.w_[3 * static_cast<std::size_t>(system_.touched_row_[t]) + a] * force[a];
  }
}

void CondEngine::SweepRow(int row, double gamma) {
  const CondSystem& s = system_;
  const double next = SolveRow(row, gamma), change = next - row_lambda_[row];
  row_lambda_[row] = next;
  for (int k = s.row_entry_start_[row]; k < s.row_entry_start_[row + 1]; ++k) {
    const CondRowEntry& entry = s.row_entries_[k];
    const double f[3] = {entry.values[0] * change, entry.values[1] * change, entry.values[2] * change};
    PushNode(entry.touched, f);
  }
}

void CondEngine::SweepContact(int i, double gamma) {
  const CondSystem& s = system_;
  const auto block = [&](int k) {
    return Eigen::Map<const Matrix3>(s.contact_blocks_.data() + 9 * static_cast<std::size_t>(k));
  };
  const int at = CondPlace(i);
  Vector3 sigma, lambda, next;
  for (int r = 0; r < 3; ++r) {
    lambda[r] = lambda_[at + 4 * r];
    sigma[r] = extra_[at + 4 * r] + s.contact_e_[at + 4 * r] + settings_->omega * lambda[r];
  }
  for (int k = s.contact_start_[i]; k < s.contact_start_[i + 1]; ++k) {
    sigma += block(k) * Eigen::Map<const Vector3>(q_.data() + 4 * static_cast<std::size_t>(s.contact_nodes_[k]));
  }
  const Vector3 x = lambda - sigma / (gamma + settings_->omega);
  if (settings_->law == CondOperator::Strict) {
    StrictEllipseProjection(x.data(), problem_->friction(i).mu1, problem_->friction(i).mu2, next.data());
  } else {
    ConeProjection(x.data(), problem_->friction(i).mu1, next.data());
  }
  for (int r = 0; r < 3; ++r) {
    lambda_[at + 4 * r] = next[r];
    extra_[at + 4 * r] += s.gamma_ties_[i] * (next[r] - lambda[r]);
  }
  for (int k = s.contact_start_[i]; k < s.contact_start_[i + 1]; ++k) {
    const Vector3 f = block(k).transpose() * (next - lambda);
    PushNode(s.contact_nodes_[k], f.data());
  }
}

// Contacts that share nodes, one after the other, before all are solved at once.
void CondEngine::SweepShared() {
  constexpr int kSweeps = 2;
  CalcExtra(0, system_.num_quads());
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (const int i : system_.shared_) {
      const double gamma = scale_ * system_.gamma_alone_[i] + system_.gamma_ties_[i];
      if (i < system_.num_contacts_) {
        SweepContact(i, gamma);
      } else {
        SweepRow(i - system_.num_contacts_, gamma);
      }
    }
  }
}

// alpha from the last two gradients, where A was seen to be positive along the step; then v* again.
void CondEngine::UpdateBarzilaiBorwein() {
  const CondSystem& s = system_;
  double ss = 0, sy = 0, yy = 0;
  for (int r = 0; r < s.num_rows() && has_last_gradient_; ++r) {
    for (int a = 0; a < 3; ++a) {
      const std::size_t node = 3 * static_cast<std::size_t>(s.row_node_[r]) + a;
      const std::size_t at = 3 * static_cast<std::size_t>(r) + a;
      const double step = v_[node] - previous_[node], y = gradient_[at] - last_gradient_[at];
      ss += step * step;
      sy += step * y;
      yy += y * y;
    }
  }
  if (sy > 0) {
    const bool first = settings_->weights == CondWeights::BB1 ||
                       (settings_->weights == CondWeights::BBAlternate && iteration_ % 2 == 1);
    scale_ = first ? ss / sy : sy / yy;
    UpdateSteps();
  }
  for (int r = 0; r < s.num_rows(); ++r) {
    for (int a = 0; a < 3; ++a) {
      const std::size_t at = 3 * static_cast<std::size_t>(r) + a;
      star_[at] = v_[3 * static_cast<std::size_t>(s.row_node_[r]) + a] - scale_ * s.w_[at] * gradient_[at];
    }
  }
  PushTouched(0, s.num_touched());
  last_gradient_ = gradient_;
  has_last_gradient_ = true;
}

}  // namespace tactus
