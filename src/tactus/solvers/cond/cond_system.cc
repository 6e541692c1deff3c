#include "tactus/solvers/cond/cond_system.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace tactus {

namespace {

using RowMap = Eigen::Map<const RowMatrixX>;

}  // namespace

bool IsCondChain(const SparseMatrix& A) {
  if (!BlockTridiagonal::Fits(A)) return false;
  for (int r = 0; r < A.rows(); ++r) {
    for (SparseMatrix::InnerIterator it(A, r); it; ++it) {
      if (it.col() / 3 != r / 3) return true;
    }
  }
  return false;
}

// Sparse subsystems one after the other, each filled up to whole nodes.
void CondSystem::MapNodes(const ContactProblem& p, const CondSettings& settings, bool dense) {
  const MassMatrix& A = p.mass();
  is_eliminated_.assign(A.num_subsystems(), 0);
  chain_of_.assign(A.num_subsystems(), -1);
  num_chains_ = 0;
  node_of_dof_.assign(p.num_dofs(), -1);
  num_nodes_ = 0;
  for (int j = 0; j < A.num_subsystems(); ++j) {
    const Subsystem& s = A.subsystem(j);
    is_eliminated_[j] = s.kind != SubsystemKind::Sparse || dense;
    if (is_eliminated_[j]) continue;
    if (settings.eliminate_chains && IsCondChain(A.sparse_block(j))) {
      is_eliminated_[j] = 1;
      chain_of_[j] = num_chains_++;
      continue;
    }
    for (int k = 0; k < s.size; ++k) node_of_dof_[s.dof + k] = 3 * num_nodes_ + k;
    num_nodes_ += (s.size + 2) / 3;
  }
}

void CondSystem::Gather(const VectorX& global, std::vector<double>* nodes) const {
  nodes->assign(3 * static_cast<std::size_t>(num_nodes_) + 1, 0.0);
  for (Eigen::Index d = 0; d < global.size(); ++d) {
    if (node_of_dof_[d] >= 0) (*nodes)[node_of_dof_[d]] = global[d];
  }
}

void CondSystem::Scatter(const std::vector<double>& nodes, VectorX* global) const {
  for (Eigen::Index d = 0; d < global->size(); ++d) {
    if (node_of_dof_[d] >= 0) (*global)[d] = nodes[node_of_dof_[d]];
  }
}

// The three rows of a node at once, where all have the same columns and these come in threes: what assembly by nodes
// makes. False, with nothing done, where it is not so.
bool CondSystem::AppendRegularRow(const SparseMatrix& M, int row, int first_node) {
  const int* start = M.outerIndexPtr() + row;
  const int count = start[1] - start[0];
  if (!M.isCompressed() || start[2] - start[1] != count || start[3] - start[2] != count || count % 3 != 0) return false;
  const int* columns = M.innerIndexPtr() + start[0];
  for (int k = 0; k < count; k += 3) {
    const bool aligned = columns[k] % 3 == 0 && columns[k + 1] == columns[k] + 1 && columns[k + 2] == columns[k] + 2;
    if (!aligned || columns[k + count] != columns[k] || columns[k + 2 * count] != columns[k]) return false;
    if (columns[k + count + 2] != columns[k] + 2 || columns[k + 2 * count + 2] != columns[k] + 2) return false;
  }
  const double* values = M.valuePtr() + start[0];
  const std::size_t end = blocks_.size();
  blocks_.resize(end + 3 * static_cast<std::size_t>(count));
  double* block = blocks_.data() + end;
  for (int k = 0; k < count; k += 3, block += 9) {
    columns_.push_back(first_node + columns[k] / 3);
    for (int a = 0; a < 3; ++a) {
      for (int c = 0; c < 3; ++c) block[3 * c + a] = values[a * count + k + c];
    }
  }
  row_start_.push_back(static_cast<int>(columns_.size()));
  return true;
}

// A by 3 x 3 blocks. What fills up a subsystem has a diagonal of one and rests.
void CondSystem::AssembleRows(const ContactProblem& p) {
  const MassMatrix& A = p.mass();
  row_start_.assign(1, 0);
  columns_.clear();
  blocks_.clear();
  slot_.assign(num_nodes_, -1);
  int node = 0;
  for (int j = 0; j < A.num_subsystems(); ++j) {
    if (is_eliminated_[j]) continue;
    const Subsystem& s = A.subsystem(j);
    const SparseMatrix& M = A.sparse_block(j);
    const int first = node;
    for (int r = 0; r < s.size; r += 3, ++node) {
      if (r + 3 <= s.size && AppendRegularRow(M, r, first)) continue;
      const int begin = row_start_.back();
      for (int a = 0; a < 3; ++a) {
        if (r + a >= s.size) {  // fills up; the diagonal block is there already
          blocks_[9 * static_cast<std::size_t>(slot_[node]) + 4 * a] = 1;
          continue;
        }
        for (SparseMatrix::InnerIterator it(M, r + a); it; ++it) {
          const int column = first + static_cast<int>(it.col()) / 3, c = static_cast<int>(it.col()) % 3;
          if (slot_[column] < begin) {
            slot_[column] = static_cast<int>(columns_.size());
            columns_.push_back(column);
            blocks_.resize(blocks_.size() + 9, 0.0);
          }
          blocks_[9 * static_cast<std::size_t>(slot_[column]) + 3 * c + a] = it.value();
        }
      }
      row_start_.push_back(static_cast<int>(columns_.size()));
    }
  }
  blocks_.push_back(0);
  row_node_.resize(num_nodes_);
  for (int r = 0; r < num_nodes_; ++r) row_node_[r] = r;
  Gather(p.b(), &b_);
  p.mass().CalcInertia(&global_);
  Gather(global_, &inertia_);
  for (double& m : inertia_) m = m > 0 ? m : 1;
}

// Columns of constraints on nodes, node by node.
void CondSystem::AddConstraints(const ContactProblem& p) {
  const BlockRows& J = p.jacobian();
  num_contacts_ = p.num_contacts();
  const int padded = 4 * num_quads();
  contact_start_.assign(1, 0);
  contact_nodes_.clear();
  contact_blocks_.clear();
  contact_e_.assign(12 * static_cast<std::size_t>(num_quads()), 0.0);
  contact_mu_.assign(padded, 0.0);
  row_entry_start_.assign(1, 0);
  row_entries_.clear();
  elliptic_.clear();
  for (int i = 0; i < p.num_constraints(); ++i) {
    const int n = J.count(i), dim = p.dim(i);
    int last = -1;
    for (int c = 0; c < n; ++c) {
      const int at = node_of_dof_[J.cols(i)[c]];
      if (at < 0) continue;
      const int node = at / 3, axis = at % 3;
      if (node != last && dim == 3) {
        contact_nodes_.push_back(node);
        contact_blocks_.resize(contact_blocks_.size() + 9, 0.0);
      } else if (node != last) {
        row_entries_.push_back({node, {0, 0, 0}});
      }
      last = node;
      if (dim == 3) {
        double* block = contact_blocks_.data() + contact_blocks_.size() - 9;
        for (int r = 0; r < 3; ++r) block[3 * axis + r] = J.block(i)[static_cast<std::size_t>(r) * n + c];
      } else {
        row_entries_.back().values[axis] = J.block(i)[c];
      }
    }
    if (dim == 3) {
      contact_start_.push_back(static_cast<int>(contact_nodes_.size()));
      for (int r = 0; r < 3; ++r) contact_e_[CondPlace(i) + 4 * r] = p.e()[3 * i + r];
      contact_mu_[i] = p.friction(i).mu1;
      if (!p.friction(i).isotropic()) elliptic_.push_back(i);
    } else {
      row_entry_start_.push_back(static_cast<int>(row_entries_.size()));
    }
  }
  contact_blocks_.push_back(0);
  contact_start_.resize(padded + 1, contact_start_.back());
}

// Which nodes are touched, by what.
void CondSystem::TransposeConstraints() {
  slot_.assign(num_nodes_, 0);
  for (const int node : contact_nodes_) slot_[node] = 1;
  for (const CondRowEntry& entry : row_entries_) slot_[entry.touched] = 1;
  touched_.clear();
  for (int node = 0; node < num_nodes_; ++node) {
    if (slot_[node] == 0) continue;
    slot_[node] = static_cast<int>(touched_.size());
    touched_.push_back(node);
  }
  touched_row_ = touched_;
  const int count = num_touched();
  by_node_start_.assign(count + 1, 0);
  by_node_row_start_.assign(count + 1, 0);
  for (int& node : contact_nodes_) ++by_node_start_[(node = slot_[node]) + 1];
  for (CondRowEntry& entry : row_entries_) ++by_node_row_start_[(entry.touched = slot_[entry.touched]) + 1];
  count_.resize(count);
  for (int t = 0; t < count; ++t) {
    count_[t] = by_node_start_[t + 1] + by_node_row_start_[t + 1];
    by_node_start_[t + 1] += by_node_start_[t];
    by_node_row_start_[t + 1] += by_node_row_start_[t];
  }
  by_node_contact_.resize(contact_nodes_.size());
  by_node_entry_.resize(contact_nodes_.size());
  by_node_row_.resize(row_entries_.size());
  by_node_row_entry_.resize(row_entries_.size());
  slot_.assign(by_node_start_.begin(), by_node_start_.end());
  for (int i = 0; i < num_contacts_; ++i) {
    for (int k = contact_start_[i]; k < contact_start_[i + 1]; ++k) {
      const int at = slot_[contact_nodes_[k]]++;
      by_node_contact_[at] = i;
      by_node_entry_[at] = k;
    }
  }
  slot_.assign(by_node_row_start_.begin(), by_node_row_start_.end());
  for (std::size_t r = 0; r + 1 < row_entry_start_.size(); ++r) {
    for (int k = row_entry_start_[r]; k < row_entry_start_[r + 1]; ++k) {
      const int at = slot_[row_entries_[k].touched]++;
      by_node_row_[at] = static_cast<int>(r);
      by_node_row_entry_[at] = k;
    }
  }
}

// Copies on eliminated subsystems, sorted by these.
void CondSystem::AddCopies(const ContactProblem& p) {
  const BlockRows& J = p.jacobian();
  copies_.clear();
  copy_columns_.clear();
  copy_values_.clear();
  for (int i = 0; i < p.num_constraints(); ++i) {
    const int n = J.count(i), dim = p.dim(i);
    const int* cols = J.cols(i);
    for (int c = 0; c < n;) {
      const int j = p.mass().subsystem_of_dof(cols[c]);
      const Subsystem& s = p.mass().subsystem(j);
      const bool chain = chain_of_[j] >= 0;
      const auto block = [&](int column) { return (column - s.dof) / BlockTridiagonal::kSize; };
      int end = c;
      while (end < n && cols[end] < s.dof + s.size && (!chain || block(cols[end]) == block(cols[c]))) ++end;
      if (is_eliminated_[j]) {
        CondCopy copy;
        copy.constraint = i;
        copy.subsystem = j;
        copy.dim = dim;
        copy.columns_begin = static_cast<int>(copy_columns_.size());
        copy.values = copy_values_.size();
        for (int k = c; k < end; ++k) {
          copy_columns_.push_back(chain ? CondChain::Place(cols[k] - s.dof) : cols[k] - s.dof);
        }
        copy.columns_end = static_cast<int>(copy_columns_.size());
        for (int r = 0; r < dim; ++r) {
          const double* row = J.block(i) + static_cast<std::size_t>(r) * n;
          copy_values_.insert(copy_values_.end(), row + c, row + end);
        }
        copies_.push_back(copy);
      }
      c = end;
    }
  }
  std::sort(copies_.begin(), copies_.end(), [](const CondCopy& a, const CondCopy& b) {
    if (a.subsystem != b.subsystem) return a.subsystem < b.subsystem;
    return a.constraint != b.constraint ? a.constraint < b.constraint : a.columns_begin < b.columns_begin;
  });
  copy_size_ = 0;
  copy_start_.assign(p.num_constraints() + 1, 0);
  for (CondCopy& copy : copies_) {
    copy.place = copy_size_;
    copy_size_ += copy.dim;
    ++copy_start_[copy.constraint + 1];
  }
  for (int i = 0; i < p.num_constraints(); ++i) copy_start_[i + 1] += copy_start_[i];
  copy_of_.resize(copies_.size());
  slot_.assign(copy_start_.begin(), copy_start_.end());
  for (std::size_t k = 0; k < copies_.size(); ++k) copy_of_[slot_[copies_[k].constraint]++] = static_cast<int>(k);
}

// The copy's k = kappa / lambda_max(J A^{-1} J^T), and its weight.
void CondSystem::SetTie(const ContactProblem& p, const CondSettings& settings, CondCopy* copy) {
  const int n = copy->columns_end - copy->columns_begin, chain = chain_of_[copy->subsystem];
  const RowMap J(copy_values_.data() + copy->values, copy->dim, n);
  const int* at = copy_columns_.data() + copy->columns_begin;
  Matrix3 W = Matrix3::Zero();
  if (chain >= 0) {
    const Matrix6& G = chains_[chain].inverse_blocks[at[0] / BlockTridiagonal::kStride];
    Eigen::Matrix<double, 3, 6> B = Eigen::Matrix<double, 3, 6>::Zero();
    for (int q = 0; q < n; ++q) B.col(at[q] % BlockTridiagonal::kStride).head(copy->dim) = J.col(q);
    W = B * G * B.transpose();
  } else {
    const int size = p.mass().subsystem(copy->subsystem).size;
    work_.assign(static_cast<std::size_t>(size) * copy->dim, 0.0);
    Eigen::Map<MatrixX> X(work_.data(), size, copy->dim);
    for (int q = 0; q < n; ++q) X.row(at[q]) = J.col(q).transpose();
    p.mass().SolveSubsystem(copy->subsystem, X);
    for (int r = 0; r < copy->dim; ++r) {
      for (int c = 0; c < copy->dim; ++c) {
        for (int q = 0; q < n; ++q) W(r, c) += J(r, q) * X(at[q], c);
      }
    }
  }
  const double largest =
      copy->dim == 1 ? W(0, 0) : Eigen::SelfAdjointEigenSolver<Matrix3>(W, Eigen::EigenvaluesOnly).eigenvalues()[2];
  const bool rigid_row = copy->constraint >= p.num_contacts() && p.law(copy->constraint - p.num_contacts()).rigid();
  const double kappa = chain >= 0 ? settings.chain_kappa : rigid_row ? settings.row_kappa : settings.kappa;
  copy->k = largest > 0 ? kappa / largest : 1;  // what nothing moves may be tied by anything
  if (settings.tie_damping > 0) copy->k = settings.tie_damping;
  copy->w = settings.tie_relaxation / copy->k;
}

// (A + sum k J^T J)^{-1} of a part, behind those there are.
bool CondSystem::InvertPart(const ContactProblem& p, CondPart* part) {
  const int n = part->size;
  const std::size_t square = static_cast<std::size_t>(n) * n;
  work_.resize(square);
  Eigen::Map<MatrixX> H(work_.data(), n, n);
  if (p.mass().subsystem(part->subsystem).kind == SubsystemKind::Sparse) {
    H = MatrixX(p.mass().sparse_block(part->subsystem));
  } else {
    H = p.mass().dense_block(part->subsystem);
  }
  for (int c = part->begin; c < part->end; ++c) {
    const CondCopy& copy = copies_[c];
    const int count = copy.columns_end - copy.columns_begin;
    const int* at = copy_columns_.data() + copy.columns_begin;
    const RowMap J(copy_values_.data() + copy.values, copy.dim, count);
    for (int a = 0; a < count; ++a) {
      for (int b = 0; b < count; ++b) H(at[a], at[b]) += copy.k * J.col(a).dot(J.col(b));
    }
  }
  Eigen::Ref<MatrixX> in_place(H);
  const Eigen::LLT<Eigen::Ref<MatrixX>> llt(in_place);
  if (llt.info() != Eigen::Success) return false;
  part->inverse = inverses_.size();
  inverses_.resize(inverses_.size() + square);
  Eigen::Map<MatrixX> inverse(inverses_.data() + part->inverse, n, n);
  inverse.setIdentity();
  H.triangularView<Eigen::Lower>().solveInPlace(inverse);
  H.transpose().triangularView<Eigen::Upper>().solveInPlace(inverse);
  return true;
}

bool CondSystem::FactorizeParts(const ContactProblem& p, const CondSettings& settings) {
  parts_.clear();
  inverses_.clear();
  if (!FactorizeChains(p)) return false;
  for (CondCopy& copy : copies_) SetTie(p, settings, &copy);
  for (int first = 0, count = static_cast<int>(copies_.size()); first < count;) {
    CondPart part;
    part.subsystem = copies_[first].subsystem;
    part.dof = p.mass().subsystem(part.subsystem).dof;
    part.size = p.mass().subsystem(part.subsystem).size;
    part.begin = first;
    while (first < count && copies_[first].subsystem == part.subsystem) ++first;
    part.end = first;
    part.chain = chain_of_[part.subsystem];
    part.work_size = part.chain >= 0 ? chains_[part.chain].A.work_size() : part.size;
    if (!(part.chain >= 0 ? TieChain(p, part) : InvertPart(p, &part))) return false;
    parts_.push_back(part);
  }
  return true;
}

bool CondSystem::Prepare(const ContactProblem& p, const CondSettings& settings, bool dense) {
  MapNodes(p, settings, dense);
  AssembleRows(p);
  AddConstraints(p);
  TransposeConstraints();
  AddCopies(p);
  return FactorizeParts(p, settings);
}

}  // namespace tactus
