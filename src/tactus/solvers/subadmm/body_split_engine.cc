#include "tactus/solvers/subadmm/body_split_engine.h"

#include <algorithm>
#include <cmath>

#include "tactus/contact/constraint_law.h"
#include "tactus/core/simd.h"
#include "tactus/solvers/subadmm/body_split_arrays.h"

namespace tactus {

namespace baseline {
extern const SplitKernels kSplitKernels;
}
#if TACTUS_HAVE_V3_KERNELS
namespace v3 {
extern const SplitKernels kSplitKernels;
}
#endif

const SplitKernels& GetSplitKernels() {
#if TACTUS_HAVE_V3_KERNELS
  if (ActiveSimdLevel() == SimdLevel::V3) return v3::kSplitKernels;
#endif
  return baseline::kSplitKernels;
}

SplitCopies BodySplitEngine::Copies() {
  return {copy_data_.data(), copy_data_.data() + 3 * static_cast<std::size_t>(slots_)};
}

SplitContacts BodySplitEngine::Contacts() {
  return {place_a_.data(), place_b_.data(), contact_data_.data(), contact_weights_.data()};
}

SplitRows BodySplitEngine::JointRows() {
  const auto array = [&](int which) { return joint_data_.data() + static_cast<std::size_t>(which) * joint_padded_; };
  return {joint_dof_.data(), array(kValue), array(kJointBeta),    array(kJointInverse), array(kSlope),    array(kShift),
          array(kLow),       array(kHigh),  joint_lambda_.data(), array(kJointZ),       array(kJointPull)};
}

int BodySplitEngine::part_dof(int part) const {
  const int num_trees = static_cast<int>(trees_.size());
  return part < num_trees ? trees_[part].dof : problem_->mass().subsystem(body_subsystem_[part - num_trees]).dof;
}

int BodySplitEngine::part_size(int part) const {
  return part < static_cast<int>(trees_.size()) ? trees_[part].size : 6;
}

void BodySplitEngine::Finish() {
  if (team_) team_->End();
}

void BodySplitEngine::SolveTrees(Range trees, bool penalized) {
  const double* inverse = (penalized ? tree_inverse_ : tree_mass_).data();
  kernels_->solve_trees(Trees(), trees.begin, std::min(trees.end, num_dense_), inverse, Copies(), pull_.data(),
                        v_.data());
  for (int k = std::max(trees.begin, num_dense_); k < trees.end; ++k) {
    const int dof = trees_[k].dof;
    along(k).Solve(penalized, links_.data(), Copies(), pull_.data() + dof, v_.data() + dof);
  }
}

void BodySplitEngine::SpreadTrees(Range trees) {
  kernels_->spread_trees(Trees(), trees.begin, std::min(trees.end, num_dense_), Copies(), v_.data());
  for (int k = std::max(trees.begin, num_dense_); k < trees.end; ++k) {
    along(k).Spread(links_.data(), Copies(), v_.data() + trees_[k].dof);
  }
}

void BodySplitEngine::SolveUnits(const std::vector<SplitUnit>& list, Range units,
                                 const AlignedVector<double>& inverse) {
  kernels_->solve_units(list.data(), units.begin, units.end, inverse.data(), unit_b_.data(), Copies(), pull_.data(),
                        v_.data());
}

// Of v_ to the copies.
void BodySplitEngine::SpreadVelocities() {
  ForShares([&](const Share& share) {
    SpreadTrees(share.trees);
    kernels_->spread_units(units_.data(), share.units.begin, share.units.end, Copies(), v_.data());
  });
}

// Velocities that impulses make, in v_ and the copies. Pulls are lost.
void BodySplitEngine::MoveByImpulses() {
  ForShares([&](const Share& share) {
    ForContacts(share, [&](int begin, int end) { kernels_->load_impulses(Contacts(), Copies(), begin, end); });
    for (int o = share.others.begin; o < share.others.end; ++o) {
      for (int c = other_first_[o]; c < other_first_[o + 1]; ++c) row_pull_[c] = other_lambda_[o];
    }
  });
  ForShares([&](const Share& share) {
    CollectPulls(share.rowed_trees, /*impulses_only=*/true);
    CollectPulls(share.rowed_bodies, /*impulses_only=*/true);
    SolveTrees(share.trees, /*penalized=*/false);
    SolveUnits(units_, share.units, unit_mass_);
  });
}

void BodySplitEngine::Start(const VectorX& lambda, const VectorX* velocity) {
  const ContactProblem& p = *problem_;
  // Without impulses there is nothing to do: contacts were made so.
  const bool warm = num_contacts_ > 0 && (lambda.head(3 * num_contacts_).array() != 0).any();
  ForShares([&](const Share& share) {
    for (int i = share.listed.begin; warm && i < share.listed.end; ++i) {
      const int at = place_of_contact_[i];
      const Matrix3& frame = p.geometry()[i].frame;
      const double* l = lambda.data() + 3 * static_cast<std::size_t>(i);
      for (int k = 0; k < 3; ++k) {
        contact(kLambda + k, at) = sign_[at] * (frame(0, k) * l[0] + frame(1, k) * l[1] + frame(2, k) * l[2]);
      }
    }
  });
  for (int row = 0; row < p.num_rows(); ++row) {
    const int place = place_of_row_[row];
    (place >= 0 ? joint_lambda_[place] : other_lambda_[-1 - place]) = lambda[3 * num_contacts_ + row];
  }
  if (velocity != nullptr) {
    v_ = *velocity;
    SpreadVelocities();
  } else {
    MoveByImpulses();
  }
  ForShares([&](const Share& share) {
    ForContacts(share, [&](int begin, int end) { kernels_->store_copies(Contacts(), Copies(), begin, end); });
  });
  double* z = joint_data_.data() + static_cast<std::size_t>(kJointZ) * joint_padded_;
  const double* value = joint_data_.data() + static_cast<std::size_t>(kValue) * joint_padded_;
  for (int at = 0; at < joint_padded_; ++at) z[at] = value[at] * v_[joint_dof_[at]];
  for (std::size_t c = 0; c < row_copies_.size(); ++c) {
    double sum = 0;
    for (int k = row_copies_[c].begin; k < row_copies_[c].end; ++k) sum += row_values_[k] * v_[row_columns_[k]];
    row_z_[c] = sum;
  }
}

// A_j plus point masses beta at its contact points plus beta J^T J of its rows, inverted.
bool BodySplitEngine::FactorizeTree(int k) {
  const SplitTree& tree = trees_[k];
  const int n = tree.size, stride = tree.stride;
  const auto A = problem_->mass().dense_block(tree_subsystem_[k]);
  double* H = tree_inverse_.data() + tree.matrix;
  for (int c = 0; c < n; ++c) {
    double* column = H + static_cast<std::size_t>(c) * stride;
    std::copy_n(A.data() + static_cast<std::size_t>(c) * n, n, column);
    std::fill(column + n, column + stride, 0.0);
  }
  double sums[10];
  if (tree.by_points) kernels_->add_point_masses(Trees(), k, slot_beta_.data(), H);
  for (int l = tree.first_link; l < tree.last_link; ++l) {
    kernels_->sum_masses(Copies(), slot_beta_.data(), links_[l].begin, links_[l].padded, sums);
    kernels_->add_link_mass(Trees(), l, sums, H, stride);
  }
  AddRowMasses(k, [&](int r, int c) -> double& { return H[static_cast<std::size_t>(c) * stride + r]; });
  return kernels_->invert(H, n, stride);
}

// The same along its joints.
bool BodySplitEngine::FactorizeArticulated(int k) {
  const SplitTree& tree = trees_[k];
  ArticulatedTree& bodies = along(k);
  bodies.StartPenalties();
  double sums[10];
  for (int l = 0; l < bodies.num_links(); ++l) {
    const SplitLink& link = links_[tree.first_link + l];
    kernels_->sum_masses(Copies(), slot_beta_.data(), link.begin, link.padded, sums);
    bodies.AddPoints(bodies.link_dof(l), sums);
  }
  const double* value = joint_data_.data() + static_cast<std::size_t>(kValue) * joint_padded_;
  for (int at = joint_start_[k]; at < joint_start_[k + 1]; ++at) {
    bodies.AddDiagonal(joint_dof_[at] - tree.dof, beta_[num_contacts_ + joint_row_[at]] * value[at] * value[at]);
  }
  for (int at = copy_start_[k]; at < copy_start_[k + 1]; ++at) {
    const RowCopy& copy = row_copies_[copy_order_[at]];
    const ArticulatedPlan::Share& share = plan_->share(copy.share);
    const double beta = beta_[num_contacts_ + other_row_[copy.other]];
    if (share.single) {
      bodies.AddDiagonal(share.dof, beta * share.entry * share.entry);
    } else {
      bodies.AddWrench(share.dof, beta, share.wrench);
    }
  }
  return bodies.FactorizePenalties();
}

bool BodySplitEngine::FactorizeUnit(int u) {
  const SplitUnit& unit = units_[u];
  double* H = unit_inverse_.data() + unit.matrix;
  LoadMass(unit, H);
  kernels_->add_unit_mass(unit, Copies(), slot_beta_.data(), H);
  for (int l = 0; l < unit.size() && unit.has_rows; ++l) {
    AddRowMasses(
        static_cast<int>(trees_.size()) + unit.first_body + l,
        [&](int r, int c) -> double& { return unit.four ? H[4 * SplitTriangle(r, c) + l] : H[8 * c + r]; },
        /*lower_only=*/unit.four);
  }
  return kernels_->invert_unit(unit, H);
}

bool BodySplitEngine::Factorize(const VectorX& beta) {
  const ContactProblem& p = *problem_;
  beta_ = beta;
  for (int at = 0; at < joint_padded_; ++at) {
    if (joint_row_[at] < 0) continue;
    const RowLaw& law = p.law(joint_row_[at]);
    const double b = beta[num_contacts_ + joint_row_[at]], e = p.row_offset(joint_row_[at]);
    const auto put = [&](int which, double x) {
      joint_data_[static_cast<std::size_t>(which) * joint_padded_ + at] = x;
    };
    put(kJointBeta, b);
    put(kJointInverse, 1 / b);
    put(kSlope, law.rigid() ? 1 : law.d / (law.d + b));
    put(kShift, law.rigid() ? -b * e : -b * law.ke / (law.d + b));
    const double z = joint_data_[static_cast<std::size_t>(kJointZ) * joint_padded_ + at];
    const double value = joint_data_[static_cast<std::size_t>(kValue) * joint_padded_ + at];
    put(kJointPull, value * (b * z + joint_lambda_[at]));
  }
  LoadOtherPulls();
  part_ok_.assign(trees_.size() + units_.size(), 1);
  const std::size_t num_trees = trees_.size();
  ForShares([&](const Share& share) {
    ForContacts(share, [&](int begin, int end) {
      for (int at = begin; at < end; ++at) {
        if (order_[at] >= 0) SetBeta(at, beta[order_[at]] * (idle_[order_[at]] != 0 ? kIdleBeta : 1));
      }
      kernels_->load_pulls(Contacts(), Copies(), begin, end);
    });
  });
  ForShares([&](const Share& share) {
    for (int k = share.trees.begin; k < share.trees.end; ++k) {
      part_ok_[k] = goes_along(k) ? FactorizeArticulated(k) : FactorizeTree(k);
    }
    for (int u = share.units.begin; u < share.units.end; ++u) part_ok_[num_trees + u] = FactorizeUnit(u);
  });
  return std::all_of(part_ok_.begin(), part_ok_.end(), [](unsigned char ok) { return ok != 0; });
}

// What is kept times beta goes with it.
void BodySplitEngine::SetBeta(int at, double beta) {
  double* q = contact_data_.data() + SplitIndex(0, at);
  const double change = beta / q[4 * kBeta];
  for (int k = 0; k < 3; ++k) {
    q[4 * (kE + k)] *= change;
    q[4 * (kZa + k)] *= change;
    q[4 * (kZb + k)] *= change;
  }
  q[4 * kBeta] = beta;
  weight(kInverse, at) = 1 / beta;
  slot_beta_[slot_a_[at]] = slot_beta_[slot_b_[at]] = beta;
}

// What threads read is set up once for all iterations: written anew for each, it would come from another core's cache
// every time.
void BodySplitEngine::Iterate(int count, double alpha) {
  const SplitContacts contacts = Contacts();
  const SplitCopies copies = Copies();
  const SplitRows joints = JointRows();
  const auto project = [&](const Block& block) {
    kernels_->project_units(busy_units_.data(), block.units.begin, block.units.end, contacts, copies, alpha);
  };
  const auto project_runs = [&](const std::vector<Range>& runs, Range which) {
    for (int k = which.begin; k < which.end; ++k) {
      kernels_->project(contacts, copies, runs[k].begin, runs[k].end, alpha);
    }
  };
  const auto first = [&](const Share& share) {
    CollectPulls(share.rowed_trees, /*impulses_only=*/false);
    SolveTrees(share.trees, /*penalized=*/true);
    project_runs(early_, share.early);
    kernels_->project_rows(joints, share.tree_joints.begin, share.tree_joints.end, alpha, v_.data());
    CollectPulls(share.rowed_bodies, /*impulses_only=*/false);
    for (int b = share.blocks.begin; b < share.blocks.end; ++b) {
      SolveUnits(busy_units_, blocks_[b].units, unit_inverse_);
      if (blocks_[b].inner) project(blocks_[b]);
    }
    kernels_->project_rows(joints, share.body_joints.begin, share.body_joints.end, alpha, v_.data());
  };
  const auto second = [&](const Share& share) {
    for (int k = share.late.begin; k < share.late.end; ++k) project(blocks_[late_blocks_[k]]);
    project_runs(late_, share.late_runs);
    ProjectOthers(share, alpha);
  };
  const bool alone = shares_.size() == 1 && other_row_.empty();
  for (int k = 0; k < count; ++k) {
    ForShares(first);
    if (!alone) ForShares(second);
  }
}

ScoreResult BodySplitEngine::CalcScore() {
  const ContactProblem& p = *problem_;
  MoveByImpulses();
  contact_work_.resize(padded_);
  row_work_.resize(p.num_rows());
  ForShares([&](const Share& share) {
    const SplitContacts contacts = Contacts();
    for (int k = share.chunks.begin; k < share.chunks.end; ++k) {
      for (int at = k * kScoreChunk; at < std::min((k + 1) * kScoreChunk, padded_); ++at) {
        if (const int i = order_[at]; i >= 0 && idle_[i] != 0) closing_[i] = IsClosing(at) ? 1 : 0;
      }
      chunks_[k] = kernels_->score(contacts, Copies(), k * kScoreChunk, std::min((k + 1) * kScoreChunk, padded_),
                                   contact_work_.data());
    }
  });
  SplitScore sums;
  for (const SplitScore& chunk : chunks_) {
    sums.error += chunk.error;
    sums.lambda += chunk.lambda;
    sums.violation = std::max(sums.violation, chunk.violation);
  }
  for (int row = 0; row < p.num_rows(); ++row) {
    const RowLaw& law = p.law(row);
    const int place = place_of_row_[row];
    const double lambda = place >= 0 ? joint_lambda_[place] : other_lambda_[-1 - place];
    const double rho = rho_[num_contacts_ + row], e = p.row_offset(row), y = RowVelocity(row);
    const double error = lambda - ProjectRow(law, lambda - rho * y, rho, e);
    sums.error += error * error / rho;
    sums.lambda += lambda * lambda / rho;
    sums.violation = std::max(sums.violation, RowViolation(law, y + e));
    row_work_[row] = lambda * (y + e);
  }
  LoadOtherPulls();
  return {RelativeScore(sums.error, std::max(sums.lambda, free_sum_)), sums.violation};
}

void BodySplitEngine::CopyImpulses(std::vector<double>* out) const {
  out->resize(3 * static_cast<std::size_t>(padded_));
  for (int at = 0; at < padded_; at += 4) {
    std::copy_n(contact_data_.begin() + SplitIndex(kLambda, at), 12, out->begin() + 3 * static_cast<std::size_t>(at));
  }
}

void BodySplitEngine::KeepBest() {
  CopyImpulses(&best_contacts_);
  best_rows_ = joint_lambda_;
  best_other_ = other_lambda_;
  std::swap(best_contact_work_, contact_work_);
  std::swap(best_row_work_, row_work_);
}

void BodySplitEngine::ExportBestWork(VectorX* work) {
  work->resize(num_contacts_ + problem_->num_rows());
  ForShares([&](const Share& share) {
    for (int i = share.listed.begin; i < share.listed.end; ++i) (*work)[i] = best_contact_work_[place_of_contact_[i]];
  });
  std::copy(best_row_work_.begin(), best_row_work_.end(), work->data() + num_contacts_);
}

void BodySplitEngine::ExportImpulses(VectorX* lambda) {
  std::vector<double> contacts;
  CopyImpulses(&contacts);
  Export(contacts, joint_lambda_, other_lambda_, lambda);
}

void BodySplitEngine::Export(const std::vector<double>& contacts, const std::vector<double>& joints,
                             const std::vector<double>& others, VectorX* lambda) {
  const ContactProblem& p = *problem_;
  ForShares([&](const Share& share) {
    for (int i = share.listed.begin; i < share.listed.end; ++i) {
      const int at = place_of_contact_[i];
      const Matrix3& frame = p.geometry()[i].frame;
      const double* l = contacts.data() + SplitPlace(at);
      for (int k = 0; k < 3; ++k) {
        (*lambda)[3 * i + k] = sign_[at] * (frame(k, 0) * l[0] + frame(k, 1) * l[4] + frame(k, 2) * l[8]);
      }
    }
  });
  for (int row = 0; row < p.num_rows(); ++row) {
    const int place = place_of_row_[row];
    (*lambda)[3 * num_contacts_ + row] = place >= 0 ? joints[place] : others[-1 - place];
  }
}

void BodySplitEngine::KeepCopies() {
  constexpr int kKept = 4 * (kSplitArrays - kLambda);  // impulses and copies
  kept_.resize(static_cast<std::size_t>(kKept / 4) * padded_);
  ForShares([&](const Share& share) {
    ForContacts(share, [&](int begin, int end) {
      for (int at = begin; at < end; at += 4) {
        std::copy_n(contact_data_.begin() + SplitIndex(kLambda, at), kKept, kept_.begin() + kKept / 4 * at);
      }
    });
  });
  const double* z = joint_data_.data() + static_cast<std::size_t>(kJointZ) * joint_padded_;
  kept_joints_.assign(z, z + joint_padded_);
  kept_joint_lambda_ = joint_lambda_;
  kept_z_ = row_z_;
  kept_other_lambda_ = other_lambda_;
}

namespace {

// The velocity y = J v of a copy follows from z = alpha y + (1 - alpha) z_before + (lambda - lambda_before)/beta.
void AddCopy(double rho, double beta, double alpha, double z, double before, double lambda, double change, double free,
             AdmmBalance* sums) {
  const double y = (z - change / beta - (1 - alpha) * before) / alpha;
  sums->Add(rho, beta, y, z, before, free, lambda);
}

}  // namespace

AdmmBalance BodySplitEngine::BalanceContacts(int begin, int end, double alpha) const {
  AdmmBalance sums;
  constexpr int kKept = kSplitArrays - kLambda;
  for (int at = begin; at < end; ++at) {
    if (order_[at] < 0 || idle_[order_[at]] != 0) continue;
    const double* q = contact_data_.data() + SplitIndex(0, at);
    const double* before = kept_.data() + static_cast<std::ptrdiff_t>(kKept) * (at & ~3) + (at & 3) - 4 * kLambda;
    const double* w = contact_weights_.data() + SplitWeightIndex(0, at);
    const double rho = w[4 * kRho], beta = q[4 * kBeta], inverse = w[4 * kInverse], free = contact_free_[at];
    for (int k = 0; k < 3; ++k) {
      const int l = 4 * (kLambda + k), a = 4 * (kZa + k), b = 4 * (kZb + k);
      const double change = q[l] - before[l];
      AddCopy(rho, beta, alpha, inverse * q[a], inverse * before[a], q[l], change, free, &sums);
      if (q[4 * kHasB] == 0) continue;
      AddCopy(rho, beta, alpha, inverse * q[b], inverse * before[b], q[l], -change, free, &sums);
    }
  }
  return sums;
}

AdmmBalance BodySplitEngine::CalcBalance(double alpha) {
  ForShares([&](const Share& share) {
    for (int k = share.chunks.begin; k < share.chunks.end; ++k) {
      balances_[k] = BalanceContacts(k * kScoreChunk, std::min((k + 1) * kScoreChunk, padded_), alpha);
    }
  });
  AdmmBalance sums;
  for (const AdmmBalance& chunk : balances_) sums += chunk;
  const auto add = [&](int i, double z, double before, double lambda, double change, double free) {
    AddCopy(rho_[i], beta_[i], alpha, z, before, lambda, change, free, &sums);
  };
  const double* z = joint_data_.data() + static_cast<std::size_t>(kJointZ) * joint_padded_;
  for (int at = 0; at < joint_padded_; ++at) {
    if (joint_row_[at] < 0) continue;
    const int i = num_contacts_ + joint_row_[at];
    add(i, z[at], kept_joints_[at], joint_lambda_[at], joint_lambda_[at] - kept_joint_lambda_[at],
        row_free_[joint_row_[at]]);
  }
  for (std::size_t o = 0; o < other_row_.size(); ++o) {
    const int i = num_contacts_ + other_row_[o];
    for (int c = other_first_[o]; c < other_first_[o + 1]; ++c) {
      add(i, row_z_[c], kept_z_[c], other_lambda_[o], other_lambda_[o] - kept_other_lambda_[o],
          row_free_[other_row_[o]]);
    }
  }
  return sums;
}

}  // namespace tactus
