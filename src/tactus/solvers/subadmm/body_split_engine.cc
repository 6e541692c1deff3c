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

SplitContacts BodySplitEngine::Contacts() { return {place_a_.data(), place_b_.data(), contact_data_.data()}; }

SplitRows BodySplitEngine::JointRows() {
  const auto array = [&](int which) { return joint_data_.data() + static_cast<std::size_t>(which) * joint_padded_; };
  return {joint_dof_.data(), array(kValue), array(kJointBeta),    array(kSlope),  array(kShift),
          array(kLow),       array(kHigh),  joint_lambda_.data(), array(kJointZ), array(kJointPull)};
}

int BodySplitEngine::part_dof(int part) const {
  const int num_trees = static_cast<int>(trees_.size());
  return part < num_trees ? trees_[part].dof : bodies_[part - num_trees].dof;
}

int BodySplitEngine::part_size(int part) const {
  return part < static_cast<int>(trees_.size()) ? trees_[part].size : 6;
}

void BodySplitEngine::Finish() {
  if (team_) team_->End();
}

void BodySplitEngine::SolveParts(const Share& share, const std::vector<double>& bodies,
                                 const std::vector<double>& trees) {
  const SplitCopies copies = Copies();
  kernels_->solve_trees(Trees(), share.trees.begin, share.trees.end, trees.data(), copies, pull_.data(), v_.data());
  kernels_->solve_bodies(bodies_.data(), share.bodies.begin, share.bodies.end, bodies.data(), copies, pull_.data(),
                         v_.data());
}

// Of v_ to the copies.
void BodySplitEngine::SpreadVelocities() {
  ForShares([&](const Share& share) {
    kernels_->spread_trees(Trees(), share.trees.begin, share.trees.end, Copies(), v_.data());
    kernels_->spread_bodies(bodies_.data(), share.bodies.begin, share.bodies.end, Copies(), v_.data());
  });
}

// Velocities that impulses make, in v_ and the copies. Pulls are lost.
void BodySplitEngine::MoveByImpulses() {
  ForShares([&](const Share& share) {
    kernels_->load_impulses(Contacts(), Copies(), share.contacts.begin, share.contacts.end);
    for (int o = share.others.begin; o < share.others.end; ++o) {
      for (int c = other_first_[o]; c < other_first_[o + 1]; ++c) row_pull_[c] = other_lambda_[o];
    }
  });
  ForShares([&](const Share& share) {
    CollectPulls(share, /*impulses_only=*/true);
    SolveParts(share, body_mass_, tree_mass_);
  });
}

void BodySplitEngine::Start(const VectorX& lambda, const VectorX* velocity) {
  const ContactProblem& p = *problem_;
  for (int at = 0; at < num_contacts_; ++at) {
    const Matrix3& frame = p.geometry()[order_[at]].frame;
    const double* l = lambda.data() + 3 * static_cast<std::size_t>(order_[at]);
    for (int k = 0; k < 3; ++k) {
      contact(kLambda + k, at) = sign_[at] * (frame(0, k) * l[0] + frame(1, k) * l[1] + frame(2, k) * l[2]);
    }
  }
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
    kernels_->store_copies(Contacts(), Copies(), share.contacts.begin, share.contacts.end);
  });
  double* z = joint_data_.data() + static_cast<std::size_t>(kJointZ) * joint_padded_;
  const double* value = joint_data_.data() + static_cast<std::size_t>(kValue) * joint_padded_;
  for (int at = 0; at < num_joints_; ++at) z[at] = value[at] * v_[joint_dof_[at]];
  for (std::size_t c = 0; c < row_copies_.size(); ++c) {
    double sum = 0;
    for (int k = row_copies_[c].begin; k < row_copies_[c].end; ++k) sum += row_values_[k] * v_[row_columns_[k]];
    row_z_[c] = sum;
  }
}

// A_j plus point masses beta at its contact points plus beta J^T J of its rows, inverted.
bool BodySplitEngine::FactorizePart(int part) {
  const MassMatrix& mass = problem_->mass();
  const int num_trees = static_cast<int>(trees_.size());
  const bool is_tree = part < num_trees;
  const int n = part_size(part), dof = part_dof(part), stride = is_tree ? trees_[part].stride : 8;
  const auto A = mass.dense_block(is_tree ? tree_subsystem_[part] : body_subsystem_[part - num_trees]);
  double* H = is_tree ? tree_inverse_.data() + trees_[part].matrix
                      : body_inverse_.data() + 48 * static_cast<std::size_t>(part - num_trees);
  for (int c = 0; c < n; ++c) {
    double* column = H + static_cast<std::size_t>(c) * stride;
    std::copy_n(A.data() + static_cast<std::size_t>(c) * n, n, column);
    std::fill(column + n, column + stride, 0.0);
  }
  const SplitCopies copies = Copies();
  double sums[10];
  if (is_tree) {
    if (trees_[part].points > 0) kernels_->add_point_masses(Trees(), part, slot_beta_.data(), H);
    for (int l = trees_[part].first_link; l < trees_[part].last_link; ++l) {
      kernels_->sum_masses(copies, slot_beta_.data(), links_[l].begin, links_[l].padded, sums);
      kernels_->add_link_mass(Trees(), l, sums, H, stride);
    }
  } else {
    const SplitBody& body = bodies_[part - num_trees];
    kernels_->sum_masses(copies, slot_beta_.data(), body.begin, body.padded, sums);
    kernels_->add_body_mass(sums, H);
  }
  const double* value = joint_data_.data() + static_cast<std::size_t>(kValue) * joint_padded_;
  for (int at = joint_start_[part]; at < joint_start_[part + 1]; ++at) {
    const int k = joint_dof_[at] - dof;
    H[static_cast<std::size_t>(k) * stride + k] += beta_[num_contacts_ + joint_row_[at]] * value[at] * value[at];
  }
  for (int at = copy_start_[part]; at < copy_start_[part + 1]; ++at) {
    const RowCopy& copy = row_copies_[copy_order_[at]];
    const double beta = beta_[num_contacts_ + other_row_[copy.other]];
    for (int k = copy.begin; k < copy.end; ++k) {
      for (int l = copy.begin; l < copy.end; ++l) {
        H[static_cast<std::size_t>(row_columns_[k] - dof) * stride + row_columns_[l] - dof] +=
            beta * row_values_[k] * row_values_[l];
      }
    }
  }
  return kernels_->invert(H, n, stride);
}

bool BodySplitEngine::Factorize(const VectorX& beta) {
  const ContactProblem& p = *problem_;
  beta_ = beta;
  for (int at = 0; at < num_joints_; ++at) {
    const RowLaw& law = p.law(joint_row_[at]);
    const double b = beta[num_contacts_ + joint_row_[at]], e = p.row_offset(joint_row_[at]);
    const auto put = [&](int which, double x) {
      joint_data_[static_cast<std::size_t>(which) * joint_padded_ + at] = x;
    };
    put(kJointBeta, b);
    put(kSlope, law.rigid() ? 1 : law.d / (law.d + b));
    put(kShift, law.rigid() ? -b * e : -b * law.ke / (law.d + b));
    const double z = joint_data_[static_cast<std::size_t>(kJointZ) * joint_padded_ + at];
    const double value = joint_data_[static_cast<std::size_t>(kValue) * joint_padded_ + at];
    put(kJointPull, value * (b * z + joint_lambda_[at]));
  }
  LoadOtherPulls();
  part_ok_.assign(trees_.size() + bodies_.size(), 1);
  const int num_trees = static_cast<int>(trees_.size());
  ForShares([&](const Share& share) {
    const int end = std::min(share.contacts.end, num_contacts_);
    for (int at = share.contacts.begin; at < end; ++at) {
      const double b = beta[order_[at]];
      contact(kBeta, at) = b;
      contact(kInverse, at) = 1 / b;
      slot_beta_[slot_a_[at]] = slot_beta_[slot_b_[at]] = b;
    }
    kernels_->load_pulls(Contacts(), Copies(), share.contacts.begin, share.contacts.end);
  });
  ForShares([&](const Share& share) {
    for (int k = share.trees.begin; k < share.trees.end; ++k) part_ok_[k] = FactorizePart(k);
    for (int k = share.bodies.begin; k < share.bodies.end; ++k) part_ok_[num_trees + k] = FactorizePart(num_trees + k);
  });
  return std::all_of(part_ok_.begin(), part_ok_.end(), [](unsigned char ok) { return ok != 0; });
}

void BodySplitEngine::Iterate(int count, double alpha) {
  const SplitContacts contacts = Contacts();
  const SplitCopies copies = Copies();
  const SplitRows joints = JointRows();
  const auto solve = [&](const Share& share) {
    CollectPulls(share, /*impulses_only=*/false);
    SolveParts(share, body_inverse_, tree_inverse_);
  };
  const auto project = [&](const Share& share) {
    kernels_->project(contacts, copies, share.contacts.begin, share.contacts.end, alpha);
    kernels_->project_rows(joints, share.joints.begin, share.joints.end, alpha, v_.data());
    ProjectOthers(share, alpha);
  };
  for (int k = 0; k < count; ++k) {
    ForShares(solve);
    ForShares(project);
  }
}

ScoreResult BodySplitEngine::CalcScore() {
  const ContactProblem& p = *problem_;
  MoveByImpulses();
  ForShares([&](const Share& share) {
    const SplitContacts contacts = Contacts();
    for (int k = share.chunks.begin; k < share.chunks.end; ++k) {
      chunks_[k] = kernels_->score(contacts, Copies(), k * kScoreChunk, std::min((k + 1) * kScoreChunk, padded_));
    }
  });
  SplitScore sums;
  for (const SplitScore& chunk : chunks_) {
    sums.error += chunk.error;
    sums.lambda += chunk.lambda;
    sums.power += chunk.power;
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
    if (law.rigid()) sums.power += lambda * (y + e);
    sums.violation = std::max(sums.violation, RowViolation(law, y + e));
  }
  LoadOtherPulls();
  power_ = sums.power;
  return {RelativeScore(sums.error, std::max(sums.lambda, free_sum_)), sums.violation};
}

void BodySplitEngine::KeepBest() {
  best_contacts_.resize(contact_data_.size());
  for (int at = 0; at < padded_; at += 4) {
    const int first = SplitIndex(kLambda, at);
    std::copy_n(contact_data_.begin() + first, 12, best_contacts_.begin() + first);
  }
  best_power_ = power_;
  best_rows_ = joint_lambda_;
  best_other_ = other_lambda_;
}

void BodySplitEngine::Export(const std::vector<double>& contacts, const std::vector<double>& joints,
                             const std::vector<double>& others, VectorX* lambda) const {
  const ContactProblem& p = *problem_;
  for (int at = 0; at < num_contacts_; ++at) {
    const int i = order_[at];
    const Matrix3& frame = p.geometry()[i].frame;
    const double l[3] = {contacts[SplitIndex(kLambda, at)], contacts[SplitIndex(kLambda + 1, at)],
                         contacts[SplitIndex(kLambda + 2, at)]};
    for (int k = 0; k < 3; ++k) {
      (*lambda)[3 * i + k] = sign_[at] * (frame(k, 0) * l[0] + frame(k, 1) * l[1] + frame(k, 2) * l[2]);
    }
  }
  for (int row = 0; row < p.num_rows(); ++row) {
    const int place = place_of_row_[row];
    (*lambda)[3 * num_contacts_ + row] = place >= 0 ? joints[place] : others[-1 - place];
  }
}

void BodySplitEngine::KeepCopies() {
  kept_ = contact_data_;
  const double* z = joint_data_.data() + static_cast<std::size_t>(kJointZ) * joint_padded_;
  kept_joints_.assign(z, z + joint_padded_);
  kept_joint_lambda_ = joint_lambda_;
  kept_z_ = row_z_;
  kept_other_lambda_ = other_lambda_;
}

// The velocity y = J v of a copy follows from z = alpha y + (1 - alpha) z_before + (lambda - lambda_before)/beta.
AdmmBalance BodySplitEngine::CalcBalance(double alpha) const {
  AdmmBalance sums;
  const auto add = [&](int i, double z, double before, double lambda, double change, double free) {
    const double y = (z - change / beta_[i] - (1 - alpha) * before) / alpha;
    sums.Add(rho_[i], beta_[i], y, z, before, free, lambda);
  };
  for (int at = 0; at < num_contacts_; ++at) {
    const int i = order_[at];
    for (int k = 0; k < 3; ++k) {
      const auto kept = [&](int which) { return kept_[SplitIndex(which, at)]; };
      const double lambda = contact(kLambda + k, at), change = lambda - kept(kLambda + k);
      add(i, contact(kZa + k, at), kept(kZa + k), lambda, change, free_[i]);
      if (contact(kHasB, at) == 0) continue;
      add(i, contact(kZb + k, at), kept(kZb + k), lambda, -change, free_[i]);
    }
  }
  const double* z = joint_data_.data() + static_cast<std::size_t>(kJointZ) * joint_padded_;
  for (int at = 0; at < num_joints_; ++at) {
    const int i = num_contacts_ + joint_row_[at];
    add(i, z[at], kept_joints_[at], joint_lambda_[at], joint_lambda_[at] - kept_joint_lambda_[at], free_[i]);
  }
  for (std::size_t o = 0; o < other_row_.size(); ++o) {
    const int i = num_contacts_ + other_row_[o];
    for (int c = other_first_[o]; c < other_first_[o + 1]; ++c) {
      add(i, row_z_[c], kept_z_[c], other_lambda_[o], other_lambda_[o] - kept_other_lambda_[o], free_[i]);
    }
  }
  return sums;
}

}  // namespace tactus
