// Scalar rows in an iteration of SubADMM: those on one dof in vectors, sorted by part, and all others with their
// copies.
#include <numeric>

#include "tactus/contact/constraint_law.h"
#include "tactus/solvers/subadmm/body_split_arrays.h"
#include "tactus/solvers/subadmm/body_split_engine.h"

namespace tactus {

void BodySplitEngine::FillRows() {
  const ContactProblem& p = *problem_;
  const BlockRows& J = p.jacobian();
  const int num_parts = static_cast<int>(trees_.size() + body_subsystem_.size());
  joint_start_.assign(num_parts + 1, 0);
  other_row_.clear();
  for (int row = 0; row < p.num_rows(); ++row) {
    const int i = num_contacts_ + row;
    if (J.count(i) == 1) {
      ++joint_start_[part_of_subsystem_[p.mass().subsystem_of_dof(J.cols(i)[0])] + 1];
    } else {
      other_row_.push_back(row);
    }
  }
  FillJointRows();
  FillOtherRows();
  rowed_parts_.clear();
  for (int k = 0; k < num_parts; ++k) {
    if (joint_start_[k] < joint_start_[k + 1] || copy_start_[k] < copy_start_[k + 1]) rowed_parts_.push_back(k);
  }
  for (const int part : rowed_parts_) {
    if (part < static_cast<int>(trees_.size())) continue;
    units_[unit_of_rank_[rank_[body_subsystem_[part - trees_.size()]]]].has_rows = true;
  }
}

void BodySplitEngine::FillJointRows() {
  const ContactProblem& p = *problem_;
  const BlockRows& J = p.jacobian();
  // Each part's are whole vectors: threads do not share them.
  for (int& count : joint_start_) count = RoundUp(count);
  std::partial_sum(joint_start_.begin(), joint_start_.end(), joint_start_.begin());
  joint_padded_ = joint_start_.back();
  joint_row_.assign(joint_padded_, -1);
  joint_dof_.assign(joint_padded_, 0);
  place_of_row_.resize(p.num_rows());
  joint_data_.assign(static_cast<std::size_t>(kJointArrays) * joint_padded_, 0.0);
  joint_lambda_.assign(joint_padded_, 0.0);
  next_slot_.assign(joint_start_.begin(), joint_start_.end());
  for (int row = 0; row < p.num_rows(); ++row) {
    const int i = num_contacts_ + row;
    if (J.count(i) != 1) continue;
    const int at = next_slot_[part_of_subsystem_[p.mass().subsystem_of_dof(J.cols(i)[0])]]++;
    joint_row_[at] = row;
    joint_dof_[at] = J.cols(i)[0];
    place_of_row_[row] = at;
    joint_data_[static_cast<std::size_t>(kValue) * joint_padded_ + at] = J.block(i)[0];
    joint_data_[static_cast<std::size_t>(kLow) * joint_padded_ + at] = p.law(row).lo;
    joint_data_[static_cast<std::size_t>(kHigh) * joint_padded_ + at] = p.law(row).hi;
  }
  for (std::size_t part = 0; part + 1 < joint_start_.size(); ++part) {
    for (int at = next_slot_[part]; at < joint_start_[part + 1]; ++at) {
      joint_dof_[at] = part_dof(static_cast<int>(part));
      joint_data_[static_cast<std::size_t>(kJointBeta) * joint_padded_ + at] = 1;
      joint_data_[static_cast<std::size_t>(kJointInverse) * joint_padded_ + at] = 1;
    }
  }
}

// One copy a subsystem: inverses are dense here, so that rows cost nothing by the columns they join.
void BodySplitEngine::FillOtherRows() {
  const ContactProblem& p = *problem_;
  const BlockRows& J = p.jacobian();
  row_copies_.clear();
  row_columns_.clear();
  row_values_.clear();
  other_first_.assign(1, 0);
  copy_start_.assign(trees_.size() + body_subsystem_.size() + 1, 0);
  for (std::size_t o = 0; o < other_row_.size(); ++o) {
    const int i = num_contacts_ + other_row_[o], count = J.count(i);
    place_of_row_[other_row_[o]] = -1 - static_cast<int>(o);
    const int* dofs = J.cols(i);
    for (int begin = 0, end = 0; begin < count; begin = end) {
      const int j = p.mass().subsystem_of_dof(dofs[begin]);
      RowCopy copy;
      copy.dof = p.mass().subsystem(j).dof;
      copy.other = static_cast<int>(o);
      copy.share = static_cast<int>(row_copies_.size());  // the plan counts as this does
      copy.begin = static_cast<int>(row_columns_.size());
      for (; end < count && p.mass().subsystem_of_dof(dofs[end]) == j; ++end) {
        row_columns_.push_back(dofs[end]);
        row_values_.push_back(J.block(i)[end]);
      }
      copy.end = static_cast<int>(row_columns_.size());
      row_copies_.push_back(copy);
      ++copy_start_[part_of_subsystem_[j] + 1];
    }
    other_first_.push_back(static_cast<int>(row_copies_.size()));
  }
  std::partial_sum(copy_start_.begin(), copy_start_.end(), copy_start_.begin());
  next_slot_.assign(copy_start_.begin(), copy_start_.end());
  copy_order_.resize(row_copies_.size());
  for (std::size_t c = 0; c < row_copies_.size(); ++c) {
    const int part = part_of_subsystem_[p.mass().subsystem_of_dof(row_copies_[c].dof)];
    copy_order_[next_slot_[part]++] = static_cast<int>(c);
  }
  row_z_.assign(row_copies_.size(), 0.0);
  row_pull_.assign(row_copies_.size(), 0.0);
  other_lambda_.assign(other_row_.size(), 0.0);
}

double BodySplitEngine::RowVelocity(int row) const {
  const BlockRows& J = problem_->jacobian();
  const int i = num_contacts_ + row;
  double sum = 0;
  for (int k = 0; k < J.count(i); ++k) sum += J.block(i)[k] * v_[J.cols(i)[k]];
  return sum;
}

void BodySplitEngine::CollectPulls(Range rowed, bool impulses_only) {
  const double* value = joint_data_.data() + static_cast<std::size_t>(kValue) * joint_padded_;
  const double* pull = joint_data_.data() + static_cast<std::size_t>(kJointPull) * joint_padded_;
  const double* b = problem_->b().data();
  double* out = pull_.data();
  for (int k = rowed.begin; k < rowed.end; ++k) {
    const int part = rowed_parts_[k], dof = part_dof(part), size = part_size(part);
    for (int d = dof; d < dof + size; ++d) out[d] = b[d];
    if (impulses_only) {
      for (int at = joint_start_[part]; at < joint_start_[part + 1]; ++at) {
        out[joint_dof_[at]] += value[at] * joint_lambda_[at];
      }
    } else {
      for (int at = joint_start_[part]; at < joint_start_[part + 1]; ++at) out[joint_dof_[at]] += pull[at];
    }
    for (int at = copy_start_[part]; at < copy_start_[part + 1]; ++at) {
      const RowCopy& copy = row_copies_[copy_order_[at]];
      const double f = row_pull_[copy_order_[at]];
      for (int c = copy.begin; c < copy.end; ++c) out[row_columns_[c]] += row_values_[c] * f;
    }
  }
}

void BodySplitEngine::LoadOtherPulls() {
  for (std::size_t c = 0; c < row_copies_.size(); ++c) {
    const int other = row_copies_[c].other;
    row_pull_[c] = beta_[num_contacts_ + other_row_[other]] * row_z_[c] + other_lambda_[other];
  }
}

// lambda = T(lambda - beta/|Z| (sum_j z_ij + e)) with over-relaxed copies, then z_ij += (lambda - lambda_before)/beta.
void BodySplitEngine::ProjectOthers(const Share& share, double alpha) {
  for (int o = share.others.begin; o < share.others.end; ++o) {
    const int begin = other_first_[o], end = other_first_[o + 1], row = other_row_[o];
    if (begin == end) continue;
    double sum = 0;
    for (int c = begin; c < end; ++c) {
      double y = 0;
      for (int k = row_copies_[c].begin; k < row_copies_[c].end; ++k) y += row_values_[k] * v_[row_columns_[k]];
      row_z_[c] = alpha * y + (1 - alpha) * row_z_[c];
      sum += row_z_[c];
    }
    const double beta = beta_[num_contacts_ + row], weight = beta / (end - begin);
    const double next =
        ProjectRow(problem_->law(row), other_lambda_[o] - weight * sum, weight, problem_->row_offset(row));
    for (int c = begin; c < end; ++c) {
      row_z_[c] += (next - other_lambda_[o]) / beta;
      row_pull_[c] = beta * row_z_[c] + next;
    }
    other_lambda_[o] = next;
  }
}

}  // namespace tactus
