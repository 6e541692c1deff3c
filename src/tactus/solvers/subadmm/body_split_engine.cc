#include "tactus/solvers/subadmm/body_split_engine.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "tactus/contact/constraint_law.h"
#include "tactus/core/simd.h"

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

namespace {

// Arrays over contacts.
enum { kN = 0, kE = 3, kMu = 6, kBeta = 7, kWeight = 8, kHasB = 9, kLambda = 10, kZa = 13, kZb = 16, kArrays = 19 };

int RoundUp(int n) { return (n + 3) & ~3; }

}  // namespace

bool BodySplitEngine::Supports(const ContactProblem& problem) {
  if (!problem.has_geometry()) return false;
  for (const Subsystem& subsystem : problem.mass().subsystems()) {
    if (subsystem.kind == SubsystemKind::Sparse || subsystem.size > kLargestTree) return false;
  }
  return std::none_of(problem.bodies().begin(), problem.bodies().end(),
                      [](const ContactBody& body) { return body.kind == ContactBody::Kind::Node; });
}

SplitCopies BodySplitEngine::Copies() {
  SplitCopies c;
  for (int k = 0; k < 3; ++k) {
    c.r[k] = copy_data_.data() + static_cast<std::size_t>(k) * slots_;
    c.p[k] = copy_data_.data() + static_cast<std::size_t>(3 + k) * slots_;
    c.c[k] = copy_data_.data() + static_cast<std::size_t>(6 + k) * slots_;
  }
  return c;
}

SplitContacts BodySplitEngine::Contacts() {
  SplitContacts c;
  c.slot_a = slot_a_.data();
  c.slot_b = slot_b_.data();
  for (int k = 0; k < 3; ++k) {
    c.n[k] = contact_array(kN + k);
    c.e[k] = contact_array(kE + k);
    c.lambda[k] = contact_array(kLambda + k);
    c.za[k] = contact_array(kZa + k);
    c.zb[k] = contact_array(kZb + k);
  }
  c.mu = contact_array(kMu);
  c.beta = contact_array(kBeta);
  c.weight = contact_array(kWeight);
  c.has_b = contact_array(kHasB);
  return c;
}

void BodySplitEngine::Build(const ContactProblem& problem) {
  problem_ = &problem;
  num_contacts_ = problem.num_contacts();
  padded_ = RoundUp(num_contacts_);
  copy_count_.assign(problem.num_constraints(), 0);
  SortCopies();
  FillContacts();
  FillRows();
  pull_.resize(problem.num_dofs());
  v_.setZero(problem.num_dofs());
}

// Places of copies: those of each body side by side, then those of the world and of what only fills up vectors.
void BodySplitEngine::SortCopies() {
  const ContactProblem& p = *problem_;
  const int num_bodies = static_cast<int>(p.bodies().size());
  count_of_body_.assign(num_bodies, 0);
  begin_of_body_.assign(num_bodies, 0);
  for (const ContactGeometry& g : p.geometry()) {
    for (const BodyIndex b : {g.a, g.b}) {
      if (b != kWorld) ++count_of_body_[b];
    }
  }
  slots_ = 0;
  for (int b = 0; b < num_bodies; ++b) {
    begin_of_body_[b] = slots_;
    slots_ += RoundUp(count_of_body_[b]);
  }
  bodies_.clear();
  links_.clear();
  link_columns_.clear();
  link_jacobians_.clear();
  trees_.clear();
  // Subsystems without contacts may have rows, and all have velocities.
  std::vector<int> body_of(p.mass().num_subsystems(), -1);
  for (int b = 0; b < num_bodies; ++b) {
    if (p.bodies()[b].kind == ContactBody::Kind::Free) body_of[p.bodies()[b].subsystem] = b;
  }
  std::vector<std::vector<int>> links_of(p.mass().num_subsystems());
  for (int b = 0; b < num_bodies; ++b) {
    if (p.bodies()[b].kind == ContactBody::Kind::Link && count_of_body_[b] > 0) {
      links_of[p.bodies()[b].subsystem].push_back(b);
    }
  }
  std::size_t inverses = 0;
  for (int j = 0; j < p.mass().num_subsystems(); ++j) {
    const Subsystem& subsystem = p.mass().subsystem(j);
    if (subsystem.kind == SubsystemKind::Free && links_of[j].empty()) {
      SplitBody body;
      body.dof = subsystem.dof;
      if (body_of[j] >= 0) {
        body.begin = begin_of_body_[body_of[j]];
        body.end = body.begin + RoundUp(count_of_body_[body_of[j]]);
      }
      bodies_.push_back(body);
      continue;
    }
    Tree tree;
    tree.subsystem = j;
    tree.stride = RoundUp(subsystem.size);
    tree.inverse = inverses;
    inverses += static_cast<std::size_t>(tree.stride) * subsystem.size;
    tree.first_link = static_cast<int>(links_.size());
    for (const int b : links_of[j]) {
      const Matrix6X& J = p.bodies()[b].jacobian;
      Link link;
      link.begin = begin_of_body_[b];
      link.end = link.begin + RoundUp(count_of_body_[b]);
      link.subsystem = j;
      link.columns = static_cast<int>(link_columns_.size());
      for (int k = 0; k < subsystem.size; ++k) {
        if (!J.col(k).isZero(0)) link_columns_.push_back(k);
      }
      link.count = static_cast<int>(link_columns_.size()) - link.columns;
      link.stride = RoundUp(link.count);
      link.jacobian = link_jacobians_.size();
      link_jacobians_.resize(link_jacobians_.size() + 6 * static_cast<std::size_t>(link.stride), 0.0);
      for (int row = 0; row < 6; ++row) {
        for (int k = 0; k < link.count; ++k) {
          link_jacobians_[link.jacobian + static_cast<std::size_t>(row) * link.stride + k] =
              J(row, link_columns_[link.columns + k]);
        }
      }
      links_.push_back(link);
    }
    tree.last_link = static_cast<int>(links_.size());
    trees_.push_back(tree);
  }
  inverses_.assign(48 * bodies_.size(), 0.0);
  tree_inverses_.assign(inverses, 0.0);
}

void BodySplitEngine::FillContacts() {
  const ContactProblem& p = *problem_;
  slot_a_.resize(padded_);
  slot_b_.resize(padded_);
  sign_.resize(num_contacts_);
  std::vector<int> next = begin_of_body_;
  int spare = slots_;
  for (int i = 0; i < padded_; ++i) {
    if (i >= num_contacts_) {
      slot_a_[i] = spare++;
      slot_b_[i] = spare++;
      continue;
    }
    const ContactGeometry& g = p.geometry()[i];
    const BodyIndex first = g.a == kWorld ? g.b : g.a, second = g.a == kWorld ? kWorld : g.b;
    slot_a_[i] = first == kWorld ? spare++ : next[first]++;
    slot_b_[i] = second == kWorld ? spare++ : next[second]++;
  }
  slots_ = spare;
  copy_data_.assign(9 * static_cast<std::size_t>(slots_), 0.0);
  contact_data_.assign(static_cast<std::size_t>(kArrays) * padded_, 0.0);
  for (int i = num_contacts_; i < padded_; ++i) contact_array(kBeta)[i] = 1;
  for (int i = 0; i < num_contacts_; ++i) {
    const ContactGeometry& g = p.geometry()[i];
    const BodyIndex first = g.a == kWorld ? g.b : g.a, second = g.a == kWorld ? kWorld : g.b;
    sign_[i] = g.a == kWorld ? -1 : 1;
    copy_count_[i] = (first == kWorld ? 0 : 1) + (second == kWorld ? 0 : 1);
    const Vector3 n = sign_[i] * g.frame.row(2).transpose();
    const Vector3 e = sign_[i] * (g.frame.transpose() * p.e().segment<3>(3 * i));
    for (int k = 0; k < 3; ++k) {
      contact_array(kN + k)[i] = n[k];
      contact_array(kE + k)[i] = e[k];
      if (first != kWorld) {
        copy_data_[static_cast<std::size_t>(k) * slots_ + slot_a_[i]] = (g.point - p.bodies()[first].reference)[k];
      }
      if (second != kWorld) {
        copy_data_[static_cast<std::size_t>(k) * slots_ + slot_b_[i]] = (g.point - p.bodies()[second].reference)[k];
      }
    }
    contact_array(kMu)[i] = p.friction(i).mu1;
    contact_array(kHasB)[i] = second == kWorld ? 0 : 1;
  }
}

void BodySplitEngine::FillRows() {
  row_copies_.clear();
  row_columns_.clear();
  row_values_.clear();
  row_first_.assign(1, 0);
  for (int row = 0; row < problem_->num_rows(); ++row) {
    AddRowCopies(row);
    row_first_.push_back(static_cast<int>(row_copies_.size()));
    copy_count_[num_contacts_ + row] = row_first_[row + 1] - row_first_[row];
  }
  row_z_.assign(row_copies_.size(), 0.0);
  row_y_.assign(row_copies_.size(), 0.0);
  row_lambda_.assign(problem_->num_rows(), 0.0);
}

// One a subsystem: inverses are dense here, so that rows cost nothing by the columns they join.
void BodySplitEngine::AddRowCopies(int row) {
  const BlockRows& J = problem_->jacobian();
  const int i = num_contacts_ + row, count = J.count(i);
  const int* dofs = J.cols(i);
  for (int begin = 0, end = 0; begin < count; begin = end) {
    const int j = problem_->mass().subsystem_of_dof(dofs[begin]);
    RowCopy copy;
    copy.row = row;
    copy.dof = problem_->mass().subsystem(j).dof;
    copy.begin = static_cast<int>(row_columns_.size());
    for (; end < count && problem_->mass().subsystem_of_dof(dofs[end]) == j; ++end) {
      row_columns_.push_back(dofs[end]);
      row_values_.push_back(J.block(i)[end]);
    }
    copy.end = static_cast<int>(row_columns_.size());
    row_copies_.push_back(copy);
  }
}

void BodySplitEngine::Start(const VectorX& lambda, const VectorX& v) {
  const ContactProblem& p = *problem_;
  v_ = v;
  SplitCopies copies = Copies();
  for (const SplitBody& body : bodies_) kernels_->spread_twist(copies, body.begin, body.end, v.data() + body.dof);
  double x[kLargestTree] = {}, twist[6];
  for (const Link& link : links_) {
    const int dof = p.mass().subsystem(link.subsystem).dof;
    for (int k = 0; k < link.stride; ++k) x[k] = k < link.count ? v[dof + link_columns_[link.columns + k]] : 0;
    kernels_->multiply_transposed(link_jacobians_.data() + link.jacobian, link.stride, 6, x, twist);
    kernels_->spread_twist(copies, link.begin, link.end, twist);
  }
  for (int i = 0; i < num_contacts_; ++i) {
    const Vector3 l = sign_[i] * (p.geometry()[i].frame.transpose() * lambda.segment<3>(3 * i));
    for (int k = 0; k < 3; ++k) {
      contact_array(kLambda + k)[i] = l[k];
      contact_array(kZa + k)[i] = copies.p[k][slot_a_[i]];
      contact_array(kZb + k)[i] = contact_array(kHasB)[i] * copies.p[k][slot_b_[i]];
    }
  }
  for (int row = 0; row < p.num_rows(); ++row) row_lambda_[row] = lambda[3 * num_contacts_ + row];
  for (std::size_t c = 0; c < row_copies_.size(); ++c) {
    double sum = 0;
    for (int k = row_copies_[c].begin; k < row_copies_[c].end; ++k) sum += row_values_[k] * v[row_columns_[k]];
    row_z_[c] = sum;
  }
}

// What pulls at the bodies, for the beta there is.
void BodySplitEngine::SetPulls() {
  SplitCopies copies = Copies();
  for (int i = 0; i < num_contacts_; ++i) {
    const double beta = contact_array(kBeta)[i];
    for (int k = 0; k < 3; ++k) {
      const double l = contact_array(kLambda + k)[i];
      copies.c[k][slot_a_[i]] = beta * contact_array(kZa + k)[i] + l;
      copies.c[k][slot_b_[i]] = beta * contact_array(kZb + k)[i] - l;
    }
  }
}

bool BodySplitEngine::InvertH(double* out, int stride) {
  const int n = static_cast<int>(H_.rows());
  const Eigen::LLT<Eigen::Ref<MatrixX>> llt(H_);
  if (llt.info() != Eigen::Success) return false;
  inverse_.setIdentity(n, n);
  llt.solveInPlace(inverse_);
  for (int c = 0; c < n; ++c) {
    for (int r = 0; r < n; ++r) out[static_cast<std::size_t>(c) * stride + r] = inverse_(r, c);
  }
  return true;
}

bool BodySplitEngine::Factorize(const VectorX& beta) {
  const ContactProblem& p = *problem_;
  beta_ = beta;
  for (int i = 0; i < num_contacts_; ++i) {
    contact_array(kBeta)[i] = beta[i];
    contact_array(kWeight)[i] = beta[i] / std::max(1, copy_count_[i]);
  }
  // Point masses at the contacts of each body: beta [I, -[r]x; [r]x, |r|^2 I - r r^T].
  std::vector<Matrix6> masses(p.bodies().size(), Matrix6::Zero());
  for (int i = 0; i < num_contacts_; ++i) {
    const ContactGeometry& g = p.geometry()[i];
    for (const BodyIndex b : {g.a, g.b}) {
      if (b == kWorld) continue;
      const Vector3 r = g.point - p.bodies()[b].reference;
      Matrix3 X;
      X << 0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0;
      masses[b].topLeftCorner<3, 3>() += beta[i] * Matrix3::Identity();
      masses[b].topRightCorner<3, 3>() -= beta[i] * X;
      masses[b].bottomLeftCorner<3, 3>() += beta[i] * X;
      masses[b].bottomRightCorner<3, 3>() -= beta[i] * X * X;
    }
  }
  std::vector<std::vector<int>> rows_of(p.mass().num_subsystems()), bodies_of(p.mass().num_subsystems());
  for (std::size_t c = 0; c < row_copies_.size(); ++c) {
    rows_of[p.mass().subsystem_of_dof(row_copies_[c].dof)].push_back(static_cast<int>(c));
  }
  for (std::size_t b = 0; b < p.bodies().size(); ++b) {
    if (count_of_body_[b] > 0) bodies_of[p.bodies()[b].subsystem].push_back(static_cast<int>(b));
  }
  std::size_t free = 0, tree = 0;
  for (int j = 0; j < p.mass().num_subsystems(); ++j) {
    H_ = p.mass().dense_block(j);
    for (const int b : bodies_of[j]) {
      if (p.bodies()[b].kind == ContactBody::Kind::Free) {
        H_ += masses[b];
      } else {
        H_.noalias() += p.bodies()[b].jacobian.transpose() * masses[b] * p.bodies()[b].jacobian;
      }
    }
    for (const int c : rows_of[j]) {
      const RowCopy& copy = row_copies_[c];
      for (int k = copy.begin; k < copy.end; ++k) {
        for (int l = copy.begin; l < copy.end; ++l) {
          H_(row_columns_[k] - copy.dof, row_columns_[l] - copy.dof) +=
              beta[num_contacts_ + copy.row] * row_values_[k] * row_values_[l];
        }
      }
    }
    const bool is_tree = tree < trees_.size() && trees_[tree].subsystem == j;
    double* out = is_tree ? tree_inverses_.data() + trees_[tree].inverse : inverses_.data() + 48 * free;
    if (!InvertH(out, is_tree ? trees_[tree].stride : 8)) return false;
    ++(is_tree ? tree : free);
  }
  SetPulls();
  return true;
}

void BodySplitEngine::CollectPull() {
  pull_ = problem_->b();
  for (std::size_t c = 0; c < row_copies_.size(); ++c) {
    const RowCopy& copy = row_copies_[c];
    const double f = beta_[num_contacts_ + copy.row] * row_z_[c] + row_lambda_[copy.row];
    for (int k = copy.begin; k < copy.end; ++k) pull_[row_columns_[k]] += row_values_[k] * f;
  }
}

void BodySplitEngine::SolveTrees() {
  SplitCopies copies = Copies();
  double wrench[6], x[kLargestTree], y[kLargestTree], twist[6];
  for (const Tree& tree : trees_) {
    const Subsystem& subsystem = problem_->mass().subsystem(tree.subsystem);
    double* pull = pull_.data() + subsystem.dof;
    for (int l = tree.first_link; l < tree.last_link; ++l) {
      const Link& link = links_[l];
      kernels_->sum_copies(copies, link.begin, link.end, wrench);
      kernels_->multiply(link_jacobians_.data() + link.jacobian, link.stride, 6, wrench, y);
      for (int k = 0; k < link.count; ++k) pull[link_columns_[link.columns + k]] += y[k];
    }
    kernels_->multiply(tree_inverses_.data() + tree.inverse, tree.stride, subsystem.size, pull, y);
    std::copy_n(y, subsystem.size, v_.data() + subsystem.dof);
    for (int l = tree.first_link; l < tree.last_link; ++l) {
      const Link& link = links_[l];
      for (int k = 0; k < link.count; ++k) x[k] = y[link_columns_[link.columns + k]];
      for (int k = link.count; k < link.stride; ++k) x[k] = 0;
      kernels_->multiply_transposed(link_jacobians_.data() + link.jacobian, link.stride, 6, x, twist);
      kernels_->spread_twist(copies, link.begin, link.end, twist);
    }
  }
}

void BodySplitEngine::ProjectRows(double alpha) {
  for (int row = 0; row < problem_->num_rows(); ++row) {
    double sum = 0;
    const int begin = row_first_[row], end = row_first_[row + 1];
    if (begin == end) continue;
    for (int c = begin; c < end; ++c) {
      double y = 0;
      for (int k = row_copies_[c].begin; k < row_copies_[c].end; ++k) y += row_values_[k] * v_[row_columns_[k]];
      row_y_[c] = y;
      row_z_[c] = alpha * y + (1 - alpha) * row_z_[c];
      sum += row_z_[c];
    }
    const double beta = beta_[num_contacts_ + row], weight = beta / (end - begin);
    const double next =
        ProjectRow(problem_->law(row), row_lambda_[row] - weight * sum, weight, problem_->row_offset(row));
    for (int c = begin; c < end; ++c) row_z_[c] += (next - row_lambda_[row]) / beta;
    row_lambda_[row] = next;
  }
}

void BodySplitEngine::Iterate(double alpha) {
  CollectPull();
  const SplitCopies copies = Copies();
  kernels_->solve_bodies(bodies_.data(), 0, static_cast<int>(bodies_.size()), inverses_.data(), copies, pull_.data(),
                         v_.data());
  SolveTrees();
  kernels_->project(Contacts(), copies, 0, padded_, alpha);
  ProjectRows(alpha);
}

void BodySplitEngine::ExportImpulses(VectorX* lambda) const {
  for (int i = 0; i < num_contacts_; ++i) {
    Vector3 l;
    for (int k = 0; k < 3; ++k) l[k] = contact_array(kLambda + k)[i];
    lambda->segment<3>(3 * i) = sign_[i] * (problem_->geometry()[i].frame * l);
  }
  for (int row = 0; row < problem_->num_rows(); ++row) (*lambda)[3 * num_contacts_ + row] = row_lambda_[row];
}

AdmmBalance BodySplitEngine::CalcBalance(const std::vector<double>& rho, const VectorX& sigma_free) const {
  AdmmBalance sums;
  for (int i = 0; i < num_contacts_; ++i) {
    const double free = sigma_free.segment<3>(3 * i).norm() / std::sqrt(3.0);
    for (int k = 0; k < 3; ++k) {
      const double l = contact_array(kLambda + k)[i];
      const double* p = copy_data_.data() + static_cast<std::size_t>(3 + k) * slots_;
      const auto kept = [&](int which) { return kept_[static_cast<std::size_t>(which) * padded_ + i]; };
      sums.Add(rho[i], beta_[i], p[slot_a_[i]], contact_array(kZa + k)[i], kept(kZa + k), free, l);
      if (contact_array(kHasB)[i] != 0) {
        sums.Add(rho[i], beta_[i], p[slot_b_[i]], contact_array(kZb + k)[i], kept(kZb + k), free, l);
      }
    }
  }
  for (std::size_t c = 0; c < row_copies_.size(); ++c) {
    const int i = num_contacts_ + row_copies_[c].row;
    sums.Add(rho[i], beta_[i], row_y_[c], row_z_[c], kept_rows_[c], sigma_free[problem_->offset(i)],
             row_lambda_[row_copies_[c].row]);
  }
  return sums;
}

}  // namespace tactus
