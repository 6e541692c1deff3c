// What an iteration of SubADMM needs of a problem: copies sorted by body, shares of threads, effective masses.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "tactus/contact/constraint_law.h"
#include "tactus/contact/delassus_matrix.h"
#include "tactus/contact/ncp_residual.h"
#include "tactus/solvers/subadmm/body_split_arrays.h"
#include "tactus/solvers/subadmm/body_split_engine.h"

namespace tactus {

bool BodySplitEngine::Supports(const ContactProblem& problem, const ArticulatedPlan* plan) {
  if (!problem.has_geometry()) return false;
  for (int j = 0; j < problem.mass().num_subsystems(); ++j) {
    const Subsystem& subsystem = problem.mass().subsystem(j);
    const bool along = plan != nullptr && plan->articulated(j);
    if (subsystem.kind == SubsystemKind::Sparse || (subsystem.size > kSplitLargestTree && !along)) return false;
  }
  return std::all_of(problem.bodies().begin(), problem.bodies().end(), [&](const ContactBody& body) {
    const bool free = problem.mass().subsystem(body.subsystem).kind == SubsystemKind::Free;
    return body.kind == ContactBody::Kind::Free || (body.kind == ContactBody::Kind::Link && !free);
  });
}

void BodySplitEngine::Build(const ContactProblem& problem, int threads, const ArticulatedPlan* plan,
                            const VectorX* lambda, const VectorX* velocity) {
  problem_ = &problem;
  plan_ = plan;
  num_contacts_ = problem.num_contacts();
  ChooseIdle(lambda, velocity);
  pull_ = problem.b();
  v_.setZero(problem.num_dofs());
  SortParts();
  PlaceContacts();
  FillRows();
  FindReach();
  FindNeighbours();
  SplitWork(threads);
  FillContacts();
  ForShares([&](const Share& share) { InvertMass(share); });
  CalcRho();
  CalcFreeScale();
}

void BodySplitEngine::AddTree(int subsystem, Range bodies) {
  const ContactProblem& p = *problem_;
  SplitTree tree;
  tree.dof = p.mass().subsystem(subsystem).dof;
  tree.size = p.mass().subsystem(subsystem).size;
  tree.stride = RoundUp(tree.size);
  if (!trees_.empty()) {
    tree.matrix = trees_.back().matrix + static_cast<long>(trees_.back().stride) * trees_.back().size;
  }
  tree.first_link = tree.last_link = static_cast<int>(links_.size());
  if (GoesByPoints(tree, bodies)) {
    AddTreePoints(subsystem, bodies, &tree);
    return;
  }
  for (int k = bodies.begin; k < bodies.end; ++k) {
    const int b = body_order_[k];
    if (count_of_body_[b] == 0) continue;
    const Matrix6X& J = p.bodies()[b].jacobian;
    SplitLink link;
    link.begin = begin_of_body_[b] = slots_;
    link.end = link.begin + count_of_body_[b];
    link.padded = slots_ = RoundUp(link.end);
    link.columns = static_cast<int>(link_columns_.size());
    for (int c = 0; c < tree.size; ++c) {
      if (!J.col(c).isZero(0)) link_columns_.push_back(c);
    }
    link.count = static_cast<int>(link_columns_.size()) - link.columns;
    link.stride = RoundUp(link.count);
    link.jacobian = static_cast<long>(link_jacobians_.size());
    link_jacobians_.resize(link_jacobians_.size() + 6 * static_cast<std::size_t>(link.stride), 0.0);
    for (int row = 0; row < 6; ++row) {
      double* out = link_jacobians_.data() + link.jacobian + static_cast<std::size_t>(row) * link.stride;
      for (int c = 0; c < link.count; ++c) out[c] = J(row, link_columns_[link.columns + c]);
      std::fill(out + link.count, out + link.stride, 0.0);
    }
    links_.push_back(link);
  }
  tree.last_link = static_cast<int>(links_.size());
  trees_.push_back(tree);
  tree_subsystem_.push_back(subsystem);
}

// Its links have copies side by side as others have, but no Jacobians: their twists come along the joints.
void BodySplitEngine::AddArticulatedTree(int subsystem, Range bodies) {
  const MassMatrix& mass = problem_->mass();
  SplitTree tree;
  tree.dof = mass.subsystem(subsystem).dof;
  tree.size = mass.subsystem(subsystem).size;
  if (!trees_.empty()) {
    tree.matrix = trees_.back().matrix + static_cast<long>(trees_.back().stride) * trees_.back().size;
  }
  tree.first_link = static_cast<int>(links_.size());
  const std::size_t index = trees_.size() - num_dense_;
  if (articulated_.size() <= index) articulated_.emplace_back();
  ArticulatedTree& joints = articulated_[index];
  joints.ResetLinks(tree.first_link);
  for (int k = bodies.begin; k < bodies.end; ++k) {
    const int b = body_order_[k];
    if (count_of_body_[b] == 0) continue;
    SplitLink link;
    link.begin = begin_of_body_[b] = slots_;
    link.end = link.begin + count_of_body_[b];
    link.padded = slots_ = RoundUp(link.end);
    links_.push_back(link);
    joints.AddLink(plan_->body_dof(b));
  }
  tree.last_link = static_cast<int>(links_.size());
  trees_.push_back(tree);
  tree_subsystem_.push_back(subsystem);
}

const Vector3& BodySplitEngine::FindReference(BodyIndex b) const {
  const ContactBody& body = problem_->bodies()[b];
  const bool joints = plan_ != nullptr && plan_->articulated(body.subsystem);
  return joints ? problem_->mass().mechanism(body.subsystem)->origin : body.reference;
}

// Points cost three columns each, links six and a sum, but only of the dofs that move them.
bool BodySplitEngine::GoesByPoints(const SplitTree& tree, Range bodies) const {
  constexpr int kLinkCost = 60;
  int points = 0, links = 0;
  for (int k = bodies.begin; k < bodies.end; ++k) {
    const int count = count_of_body_[body_order_[k]];
    points += count;
    if (count > 0) links += kLinkCost + 3 * tree.stride / 2;
  }
  if (tree.size < 4) return false;  // no run of four dofs
  return points > 0 && RoundUp(points) * 3 * tree.stride / 2 < 2 * links;
}

// Its copies find their places with their contacts.
void BodySplitEngine::AddTreePoints(int subsystem, Range bodies, SplitTree* tree) {
  const ContactProblem& p = *problem_;
  tree->by_points = true;
  tree->common_dofs = ~std::uint64_t{0};
  for (int k = bodies.begin; k < bodies.end; ++k) {
    const int b = body_order_[k];
    if (count_of_body_[b] == 0) continue;
    std::uint64_t& dofs = dofs_of_body_[b];
    dofs = 0;
    for (int c = 0; c < tree->size; ++c) {
      if (!p.bodies()[b].jacobian.col(c).isZero(0)) dofs |= std::uint64_t{1} << c;
    }
    tree->common_dofs &= dofs;
  }
  tree->columns = static_cast<int>(link_columns_.size());
  for (int c = 0; c < tree->size; ++c) {
    if ((tree->common_dofs >> c & 1u) != 0) link_columns_.push_back(c);
  }
  tree->common = static_cast<int>(link_columns_.size()) - tree->columns;
  trees_.push_back(*tree);
  tree_subsystem_.push_back(subsystem);
}

namespace {

// job(run, first dof, those of the run that are the point's own) for each run of four dofs of a point.
template <typename Job>
void ForRuns(const SplitTree& tree, std::uint64_t dofs, const Job& job) {
  std::uint64_t left = dofs & ~tree.common_dofs;
  for (int run = 0; left != 0; ++run) {
    const int first = std::min(std::countr_zero(left), tree.size - 4);
    const std::uint64_t own = left & (std::uint64_t{15} << first);
    job(run, first, own);
    left &= ~own;
  }
}

}  // namespace

// Four copies from `slot` on.
void BodySplitEngine::AddGroup(const SplitTree& tree, int slot) {
  SplitGroup group;
  group.slot = slot;
  group.jacobian = static_cast<long>(point_jacobians_.size());
  group.columns = static_cast<int>(link_columns_.size());
  for (int l = 0; l < 4; ++l) {
    ForRuns(tree, slot_dofs_[slot + l], [&](int run, int first, std::uint64_t) {
      if (run == group.runs) {
        link_columns_.resize(link_columns_.size() + 4, 0);
        ++group.runs;
      }
      link_columns_[group.columns + 4 * run + l] = first;
    });
  }
  groups_.push_back(group);
  point_jacobians_.resize(point_jacobians_.size() + 12 * static_cast<std::size_t>(tree.common + 4 * group.runs), 0.0);
}

// What moves a point, for trees by points.
void BodySplitEngine::FillPoint(BodyIndex b, int slot, const Vector3& r) {
  if (rank_of_body_[b] >= 0) return;
  const ContactBody& body = problem_->bodies()[b];
  const int part = part_of_subsystem_[body.subsystem];
  if (!trees_[part].by_points) return;
  const SplitTree& tree = trees_[part];
  const SplitGroup& group = groups_[tree.first_group + (slot - groups_[tree.first_group].slot) / 4];
  double* to = point_jacobians_.data() + group.jacobian + (slot & 3);
  const auto fill = [&](int c, int place) {
    const double* V = body.jacobian.data() + 6 * static_cast<std::size_t>(c);
    double* J = to + 12 * static_cast<std::ptrdiff_t>(place);
    J[0] = V[0] + V[4] * r[2] - V[5] * r[1];
    J[4] = V[1] + V[5] * r[0] - V[3] * r[2];
    J[8] = V[2] + V[3] * r[1] - V[4] * r[0];
  };
  for (int k = 0; k < tree.common; ++k) fill(link_columns_[tree.columns + k], k);
  ForRuns(tree, slot_dofs_[slot], [&](int run, int first, std::uint64_t own) {
    for (int k = 0; k < 4; ++k) {
      if ((own >> (first + k) & 1u) != 0) fill(first + k, tree.common + 4 * run + k);
    }
  });
}

namespace {

// How many contacts or units ahead what lies scattered is asked for.
constexpr int kAhead = 12, kUnitsAhead = 4;

template <typename T>
void Prefetch(const T* from) {
  for (std::size_t k = 0; k < sizeof(T); k += 64) __builtin_prefetch(reinterpret_cast<const char*>(from) + k);
}

}  // namespace

void BodySplitEngine::FillContacts() {
  copy_data_.resize(6 * static_cast<std::size_t>(slots_));
  slot_beta_.assign(slots_, 0.0);
  contact_data_.resize(static_cast<std::size_t>(kSplitArrays) * padded_);
  contact_weights_.resize(static_cast<std::size_t>(kSplitWeights) * padded_);
  // Copies that fill up vectors must not pull; what else was there is of other problems. All of them before the first
  // contact is filled in: contacts have copies in other shares, too.
  ForShares([&](const Share& share) {
    for (int u = share.units.begin; u < share.units.end; ++u) {
      const std::size_t begin = 3 * static_cast<std::size_t>(units_[u].begin), size = 12 * units_[u].quads();
      std::fill_n(copy_data_.begin() + begin, size, 0.0);
      std::fill_n(copy_data_.begin() + begin + 3 * static_cast<std::size_t>(slots_), size, 0.0);
    }
  });
  ForShares([&](const Share& share) {
    ForContacts(share, [&](int begin, int end) {
      for (int at = begin; at < end; ++at) {
        // The problem's contacts come in another order.
        const int later = order_[std::min(at + kAhead, padded_ - 1)];
        if (later >= 0) {
          Prefetch(&problem_->geometry()[later]);
          Prefetch(problem_->e().data() + 3 * static_cast<std::size_t>(later));
        }
        FillContact(at);
      }
    });
  });
}

void BodySplitEngine::FillContact(int at) {
  const ContactProblem& p = *problem_;
  const int i = order_[at];
  double* q = contact_data_.data() + SplitIndex(0, at);
  if (i < 0) {
    for (int k = 0; k < kSplitArrays; ++k) q[4 * k] = 0;
    weight(kRho, at) = weight(kInverse, at) = 1;
    return;
  }
  const ContactGeometry& g = p.geometry()[i];
  const double sign = sign_[at];
  const BodyIndex first = sign < 0 ? g.b : g.a, second = sign < 0 ? g.a : g.b;
  const double* e = p.e().data() + 3 * static_cast<std::size_t>(i);
  for (int k = 0; k < 3; ++k) {
    q[4 * (kN + k)] = sign * g.frame(2, k);
    q[4 * (kE + k)] = sign * (g.frame(0, k) * e[0] + g.frame(1, k) * e[1] + g.frame(2, k) * e[2]);
    q[4 * (kLambda + k)] = q[4 * (kZa + k)] = q[4 * (kZb + k)] = 0;
  }
  q[4 * kMu] = p.friction(i).mu1;
  q[4 * kBeta] = 1;
  q[4 * kHasB] = second == kWorld ? 0 : 1;
  weight(kInverse, at) = first == kWorld ? 0 : 1;  // for now: whether something moves
  const auto fill = [&](BodyIndex body, int slot) {
    if (body == kWorld) return;
    const Vector3 r = g.point - reference_of_body_[body];
    double* out = copy_data_.data() + SplitPlace(slot);
    for (int k = 0; k < 3; ++k) out[4 * k] = r[k];
    FillPoint(body, slot, r);
  };
  fill(first, slot_a_[at]);
  fill(second, slot_b_[at]);
}

void BodySplitEngine::LoadMass(const SplitUnit& unit, double* M) const {
  for (int l = 0; l < unit.size(); ++l) {
    const auto A = problem_->mass().dense_block(body_subsystem_[unit.first_body + l]);
    for (int c = 0; c < 6; ++c) {
      const double* column = A.data() + 6 * static_cast<std::size_t>(c);
      if (!unit.four) {
        std::copy_n(column, 6, M + 8 * c);
        M[8 * c + 6] = M[8 * c + 7] = 0;
        continue;
      }
      for (int r = c; r < 6; ++r) M[4 * SplitTriangle(r, c) + l] = column[r];
    }
  }
}

// Of bodies elsewhere in the problem's list.
void BodySplitEngine::PrefetchMass(int u) const {
  if (u >= static_cast<int>(units_.size())) return;
  for (int l = 0; l < units_[u].size(); ++l) {
    const auto A = problem_->mass().dense_block(body_subsystem_[units_[u].first_body + l]);
    Prefetch(reinterpret_cast<const Matrix6*>(A.data()));
  }
}

void BodySplitEngine::InvertMass(const Share& share) {
  const MassMatrix& mass = problem_->mass();
  for (int k = share.trees.begin; k < share.trees.end; ++k) {
    const SplitTree& tree = trees_[k];
    if (goes_along(k)) {
      const int j = tree_subsystem_[k];
      (void)along(k).Reset(*mass.mechanism(j), mass.tree_parent(j));  // A is positive definite: it was built so
      along(k).CalcCompliances();
      continue;
    }
    const auto A = mass.dense_block(tree_subsystem_[k]);
    double* M = tree_mass_.data() + tree.matrix;
    for (int c = 0; c < tree.size; ++c) {
      std::copy_n(A.data() + static_cast<std::size_t>(c) * tree.size, tree.size,
                  M + static_cast<std::size_t>(c) * tree.stride);
    }
    (void)kernels_->invert(M, tree.size, tree.stride);  // A is positive definite: it was built so
  }
  for (int u = share.units.begin; u < share.units.end; ++u) {
    double* M = unit_mass_.data() + units_[u].matrix;
    PrefetchMass(u + kUnitsAhead);
    LoadMass(units_[u], M);
    (void)kernels_->invert_unit(units_[u], M);
  }
}

void BodySplitEngine::CalcRho() {
  const ContactProblem& p = *problem_;
  rho_.resize(p.num_constraints());
  const SplitCopies copies = Copies();
  const SplitTrees trees = Trees();
  ForShares([&](const Share& share) {
    for (int k = std::max(share.trees.begin, num_dense_); k < share.trees.end; ++k) {
      for (int l = trees_[k].first_link; l < trees_[k].last_link; ++l) {
        double C[48] = {};
        const Matrix6& compliance = along(k).compliance(along(k).link_dof(l - trees_[k].first_link));
        for (int c = 0; c < 6; ++c) std::copy_n(compliance.data() + 6 * static_cast<std::ptrdiff_t>(c), 6, C + 8 * c);
        kernels_->trace_points(copies, links_[l].begin, links_[l].padded, C);
      }
    }
    for (int k = share.trees.begin; k < std::min(share.trees.end, num_dense_); ++k) {
      if (trees_[k].by_points) kernels_->trace_tree_points(trees, k, tree_mass_.data() + trees_[k].matrix, copies);
      for (int l = trees_[k].first_link; l < trees_[k].last_link; ++l) {
        double C[48];
        kernels_->link_compliance(trees, l, tree_mass_.data() + trees_[k].matrix, trees_[k].stride, C);
        kernels_->trace_points(copies, links_[l].begin, links_[l].padded, C);
      }
    }
    for (int u = share.units.begin; u < share.units.end; ++u) {
      kernels_->trace_unit(units_[u], copies, unit_mass_.data() + units_[u].matrix);
    }
  });
  ForShares([&](const Share& share) {
    ForContacts(share, [&](int begin, int end) {
      for (int at = begin; at < end; ++at) {
        const int i = order_[at];
        if (i < 0) continue;
        const double b = contact(kHasB, at) != 0 ? *x_of(place_b_[at]) : 0;
        const bool moves = weight(kInverse, at) != 0;
        rho_[i] = weight(kRho, at) = 3 / ((moves ? *x_of(place_a_[at]) : 0) + b);
      }
    });
  });
  const auto entry = [&](int dof, int other) {
    const int part = part_of_subsystem_[p.mass().subsystem_of_dof(dof)];
    const int first = part_dof(part), num_trees = static_cast<int>(trees_.size());
    if (part < num_trees && goes_along(part)) return along(part).inverse_diagonal(dof - first);  // one dof only
    if (part < num_trees) {
      return tree_mass_[trees_[part].matrix + static_cast<std::size_t>(dof - first) * trees_[part].stride + other -
                        first];
    }
    const int rank = rank_[body_subsystem_[part - num_trees]], lane = lane_of_rank_[rank];
    const SplitUnit& unit = units_[unit_of_rank_[rank]];
    const double* M = unit_mass_.data() + unit.matrix;
    return unit.four ? M[4 * SplitTriangle(dof - first, other - first) + lane] : M[8 * (dof - first) + other - first];
  };
  // The tree that a dof is of if it goes along its joints, or null.
  const auto joints = [&](int dof) -> ArticulatedTree* {
    const int part = part_of_subsystem_[p.mass().subsystem_of_dof(dof)];
    return part < num_trees() && goes_along(part) ? &along(part) : nullptr;
  };
  // Of two links of one tree: what moves one moves the other.
  for (int i = 0; i < num_contacts_; ++i) {
    const ContactGeometry& g = p.geometry()[i];
    if (g.a == kWorld || g.b == kWorld || p.bodies()[g.a].subsystem != p.bodies()[g.b].subsystem) continue;
    const BlockRows& J = p.jacobian();
    const int count = J.count(i);
    double trace = 0;
    ArticulatedTree* const tree = count > 0 ? joints(J.cols(i)[0]) : nullptr;
    for (int r = 0; r < 3 && tree != nullptr; ++r) {
      const int first = p.mass().subsystem(p.bodies()[g.a].subsystem).dof;
      trace += tree->CalcQuadratic(J.cols(i), J.block(i) + static_cast<std::ptrdiff_t>(r) * count, count, first);
    }
    for (int k = 0; k < count && tree == nullptr; ++k) {
      for (int l = 0; l < count; ++l) {
        double product = 0;
        for (int r = 0; r < 3; ++r) product += J.block(i)[r * count + k] * J.block(i)[r * count + l];
        trace += product * entry(J.cols(i)[k], J.cols(i)[l]);
      }
    }
    rho_[i] = weight(kRho, place_of_contact_[i]) = 3 / trace;
  }
  for (int at = 0; at < joint_padded_; ++at) {
    if (joint_row_[at] < 0) continue;
    const double value = joint_data_[static_cast<std::size_t>(kValue) * joint_padded_ + at];
    rho_[num_contacts_ + joint_row_[at]] = 1 / (value * value * entry(joint_dof_[at], joint_dof_[at]));
  }
  for (std::size_t o = 0; o < other_row_.size(); ++o) {
    double W = 0;
    for (int c = other_first_[o]; c < other_first_[o + 1]; ++c) {
      const RowCopy& copy = row_copies_[c];
      if (ArticulatedTree* const tree = joints(copy.dof)) {
        W += tree->CalcQuadratic(row_columns_.data() + copy.begin, row_values_.data() + copy.begin,
                                 copy.end - copy.begin, copy.dof);
        continue;
      }
      for (int k = copy.begin; k < copy.end; ++k) {
        for (int l = copy.begin; l < copy.end; ++l) {
          W += row_values_[k] * row_values_[l] * entry(row_columns_[k], row_columns_[l]);
        }
      }
    }
    rho_[num_contacts_ + other_row_[o]] = 1 / W;
  }
  // A constraint without compliance: the judge gives it a rho from the others.
  if (std::any_of(rho_.begin(), rho_.end(), [](double rho) { return !(rho > 0 && rho < kInfinity); })) {
    rho_ = CalcEffectiveMass(p);
    for (int i = 0; i < num_contacts_; ++i) weight(kRho, place_of_contact_[i]) = rho_[i];
  }
}

// Sums of a chunk of contacts: `lambda` of rho |sigma_free|^2, `violation` its largest component.
SplitScore BodySplitEngine::ScaleContacts(int begin, int end) {
  SplitScore out;
  for (int at = begin; at < end; ++at) {
    if (order_[at] < 0) continue;
    double square = 0, normal = 0;
    for (int k = 0; k < 3; ++k) {
      const double s = x_of(place_a_[at])[4 * k] - contact(kHasB, at) * x_of(place_b_[at])[4 * k] + contact(kE + k, at);
      square += s * s;
      normal += s * contact(kN + k, at);
    }
    out.lambda += weight(kRho, at) * square;
    contact_free_[at] = std::sqrt(square / 3);
    // The larger of two tangential components is at least this much.
    const double tangential = std::sqrt(std::max(0.0, square - normal * normal) / 2);
    out.violation = std::max({out.violation, std::abs(normal), tangential});
  }
  return out;
}

void BodySplitEngine::CalcFreeScale() {
  const ContactProblem& p = *problem_;
  contact_free_.resize(padded_);
  row_free_.resize(p.num_rows());
  v_ = p.free_velocity();
  SpreadVelocities();
  ForShares([&](const Share& share) {
    for (int k = share.chunks.begin; k < share.chunks.end; ++k) {
      chunks_[k] = ScaleContacts(k * kScoreChunk, std::min((k + 1) * kScoreChunk, padded_));
    }
  });
  free_sum_ = velocity_scale_ = 0;
  for (const SplitScore& chunk : chunks_) {
    free_sum_ += chunk.lambda;
    velocity_scale_ = std::max(velocity_scale_, chunk.violation);
  }
  for (int row = 0; row < p.num_rows(); ++row) {
    const int i = num_contacts_ + row;
    const double e = p.row_offset(row), y = RowVelocity(row), s = RowFreeSigma(p.law(row), y, e, rho_[i]);
    free_sum_ += rho_[i] * s * s;
    row_free_[row] = std::abs(y + e);
    velocity_scale_ = std::max(velocity_scale_, row_free_[row]);
  }
  free_sum_ = std::max(free_sum_, CalcEnergyFloor(p));
}

}  // namespace tactus
