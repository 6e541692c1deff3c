// What an iteration of SubADMM needs of a problem: copies sorted by body, shares of threads, effective masses.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tactus/contact/constraint_law.h"
#include "tactus/contact/delassus_matrix.h"
#include "tactus/solvers/subadmm/body_split_arrays.h"
#include "tactus/solvers/subadmm/body_split_engine.h"

namespace tactus {

namespace {

// Rough costs, in cycles.
constexpr int kBodyCost = 60, kCopyCost = 4, kTreeCost = 80, kContactCost = 20, kRowCost = 4, kOtherCost = 20;
// Sharing a round out takes a few hundred cycles: with less work than this in an iteration one thread is faster.
constexpr double kWorkForThreads = 25000;

}  // namespace

bool BodySplitEngine::Supports(const ContactProblem& problem) {
  if (!problem.has_geometry()) return false;
  for (const Subsystem& subsystem : problem.mass().subsystems()) {
    if (subsystem.kind == SubsystemKind::Sparse || subsystem.size > kSplitLargestTree) return false;
  }
  return std::all_of(problem.bodies().begin(), problem.bodies().end(), [&](const ContactBody& body) {
    const bool free = problem.mass().subsystem(body.subsystem).kind == SubsystemKind::Free;
    return body.kind == ContactBody::Kind::Free || (body.kind == ContactBody::Kind::Link && !free);
  });
}

void BodySplitEngine::Build(const ContactProblem& problem, int threads) {
  problem_ = &problem;
  num_contacts_ = problem.num_contacts();
  padded_ = RoundUp(num_contacts_);
  pull_ = problem.b();
  v_.setZero(problem.num_dofs());
  SortParts();
  SortContacts();
  SplitWork(threads);
  FillContacts();
  FillRows();
  SplitWork(threads);
  ForShares([&](const Share& share) { InvertMass(share); });
  CalcRho();
  CalcFreeScale();
}

// Places of copies: those of each body side by side, then those of the world and of what only fills up vectors.
void BodySplitEngine::SortParts() {
  const ContactProblem& p = *problem_;
  const int num_bodies = static_cast<int>(p.bodies().size()), num_subsystems = p.mass().num_subsystems();
  count_of_body_.assign(num_bodies, 0);
  begin_of_body_.assign(num_bodies, 0);
  for (const ContactGeometry& g : p.geometry()) {
    for (const BodyIndex b : {g.a, g.b}) {
      if (b != kWorld) ++count_of_body_[b];
    }
  }
  slots_ = 0;
  // Bodies by subsystem.
  body_start_.assign(num_subsystems + 1, 0);
  for (const ContactBody& body : p.bodies()) ++body_start_[body.subsystem + 1];
  std::partial_sum(body_start_.begin(), body_start_.end(), body_start_.begin());
  next_slot_.assign(body_start_.begin(), body_start_.end());
  body_order_.resize(num_bodies);
  for (int b = 0; b < num_bodies; ++b) body_order_[next_slot_[p.bodies()[b].subsystem]++] = b;

  // Of the problem before.
  rowed_parts_.clear();
  other_row_.clear();
  joint_padded_ = 0;

  trees_.clear();
  bodies_.clear();
  links_.clear();
  link_columns_.clear();
  link_jacobians_.clear();
  point_jacobians_.clear();
  tree_subsystem_.clear();
  body_subsystem_.clear();
  for (int j = 0; j < num_subsystems; ++j) {
    if (p.mass().subsystem(j).kind == SubsystemKind::Free) {
      body_subsystem_.push_back(j);
    } else {
      AddTree(j, {body_start_[j], body_start_[j + 1]});
    }
  }
  SortBodies();
  for (const int j : body_subsystem_) {
    SplitBody body;
    body.dof = p.mass().subsystem(j).dof;
    if (body_start_[j] < body_start_[j + 1]) {
      const int b = body_order_[body_start_[j]];
      body.begin = slots_;
      body.end = slots_ + count_of_body_[b];
      body.padded = RoundUp(body.end);
      begin_of_body_[b] = slots_;
      slots_ = body.padded;
    }
    bodies_.push_back(body);
  }
  part_of_subsystem_.resize(num_subsystems);
  for (std::size_t k = 0; k < trees_.size(); ++k) part_of_subsystem_[tree_subsystem_[k]] = static_cast<int>(k);
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    part_of_subsystem_[body_subsystem_[k]] = static_cast<int>(trees_.size() + k);
  }
  body_mass_.assign(48 * bodies_.size(), 0.0);
  body_inverse_.resize(body_mass_.size());
  const std::size_t matrices =
      trees_.empty() ? 0 : trees_.back().matrix + static_cast<std::size_t>(trees_.back().stride) * trees_.back().size;
  tree_mass_.assign(matrices, 0.0);
  tree_inverse_.resize(matrices);
}

// Along the longest side of the box that holds them all.
void BodySplitEngine::SortBodies() {
  const ContactProblem& p = *problem_;
  const int count = static_cast<int>(body_subsystem_.size());
  if (count < 2) return;
  const auto reference = [&](int j) -> const Vector3& { return p.bodies()[body_order_[body_start_[j]]].reference; };
  Vector3 low = Vector3::Constant(kInfinity), high = -low;
  for (const int j : body_subsystem_) {
    if (body_start_[j] == body_start_[j + 1]) return;  // a body that nothing can touch
    low = low.cwiseMin(reference(j));
    high = high.cwiseMax(reference(j));
  }
  int axis = 0;
  const double length = (high - low).maxCoeff(&axis);
  if (!(length > 0)) return;
  const auto cell = [&](int j) {
    return std::min(count - 1, static_cast<int>((reference(j)[axis] - low[axis]) / length * count));
  };
  cells_.assign(count + 1, 0);
  for (const int j : body_subsystem_) ++cells_[cell(j) + 1];
  std::partial_sum(cells_.begin(), cells_.end(), cells_.begin());
  next_slot_.resize(count);
  for (const int j : body_subsystem_) next_slot_[cells_[cell(j)]++] = j;
  body_subsystem_.assign(next_slot_.begin(), next_slot_.end());
}

// A contact is with the first of its free bodies, if it has one, else with the first of its trees.
void BodySplitEngine::SortContacts() {
  const ContactProblem& p = *problem_;
  const int num_trees = static_cast<int>(trees_.size()), num_parts = num_trees + static_cast<int>(bodies_.size());
  const auto owner = [&](const ContactGeometry& g) {
    int first = num_parts;
    for (const BodyIndex b : {g.a, g.b}) {
      if (b == kWorld) continue;
      const int part = part_of_subsystem_[p.bodies()[b].subsystem];
      const bool better =
          (part >= num_trees) != (first >= num_trees && first < num_parts) ? part >= num_trees : part < first;
      if (first == num_parts || better) first = part;
    }
    return first;
  };
  contact_start_.assign(num_parts + 2, 0);
  cells_.resize(num_contacts_);
  for (int i = 0; i < num_contacts_; ++i) ++contact_start_[(cells_[i] = owner(p.geometry()[i])) + 1];
  std::partial_sum(contact_start_.begin(), contact_start_.end(), contact_start_.begin());
  next_slot_.assign(contact_start_.begin(), contact_start_.end());
  order_.resize(num_contacts_);
  for (int i = 0; i < num_contacts_; ++i) order_[next_slot_[cells_[i]]++] = i;
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

// Points cost three columns each, links six and a sum, but only of the dofs that move them.
bool BodySplitEngine::GoesByPoints(const SplitTree& tree, Range bodies) const {
  constexpr int kLinkCost = 60;
  int points = 0, links = 0;
  for (int k = bodies.begin; k < bodies.end; ++k) {
    const int count = count_of_body_[body_order_[k]];
    points += count;
    if (count > 0) links += kLinkCost + 3 * tree.stride / 2;
  }
  return points > 0 && RoundUp(points) * 3 * tree.stride / 2 < 2 * links;
}

void BodySplitEngine::AddTreePoints(int subsystem, Range bodies, SplitTree* tree) {
  tree->first_slot = slots_;
  for (int k = bodies.begin; k < bodies.end; ++k) {
    const int b = body_order_[k];
    begin_of_body_[b] = slots_;
    slots_ += count_of_body_[b];
  }
  slots_ = RoundUp(slots_);
  tree->points = slots_ - tree->first_slot;
  tree->point_jacobian = static_cast<long>(point_jacobians_.size());
  point_jacobians_.resize(point_jacobians_.size() + 3 * static_cast<std::size_t>(tree->points) * tree->stride, 0.0);
  std::fill(point_jacobians_.begin() + tree->point_jacobian, point_jacobians_.end(), 0.0);
  trees_.push_back(*tree);
  tree_subsystem_.push_back(subsystem);
}

// The columns of a copy of a tree that goes by points.
void BodySplitEngine::FillPoint(BodyIndex b, int slot, const Vector3& r) {
  const ContactBody& body = problem_->bodies()[b];
  const int part = part_of_subsystem_[body.subsystem];
  if (part >= static_cast<int>(trees_.size()) || trees_[part].points == 0) return;
  const SplitTree& tree = trees_[part];
  double* J = point_jacobians_.data() + tree.point_jacobian +
              static_cast<std::size_t>(SplitPlace(slot - tree.first_slot)) * tree.stride;
  for (int c = 0; c < tree.size; ++c) {
    const double* V = body.jacobian.data() + 6 * static_cast<std::size_t>(c);
    J[c] = V[0] + V[4] * r[2] - V[5] * r[1];
    J[4 * tree.stride + c] = V[1] + V[5] * r[0] - V[3] * r[2];
    J[8 * tree.stride + c] = V[2] + V[3] * r[1] - V[4] * r[0];
  }
}

void BodySplitEngine::FillContacts() {
  const ContactProblem& p = *problem_;
  slot_a_.resize(padded_);
  slot_b_.resize(padded_);
  sign_.resize(num_contacts_);
  next_slot_.assign(begin_of_body_.begin(), begin_of_body_.end());
  int spare = slots_;
  for (int at = 0; at < padded_; ++at) {
    if (at >= num_contacts_) {
      slot_a_[at] = spare++;
      slot_b_[at] = spare++;
      continue;
    }
    const ContactGeometry& g = p.geometry()[order_[at]];
    const BodyIndex first = g.a == kWorld ? g.b : g.a, second = g.a == kWorld ? kWorld : g.b;
    slot_a_[at] = first == kWorld ? spare++ : next_slot_[first]++;
    slot_b_[at] = second == kWorld ? spare++ : next_slot_[second]++;
  }
  slots_ = RoundUp(spare);
  place_a_.resize(padded_);
  place_b_.resize(padded_);
  for (int at = 0; at < padded_; ++at) {
    place_a_[at] = SplitPlace(slot_a_[at]);
    place_b_[at] = SplitPlace(slot_b_[at]);
  }
  // What only fills up vectors may hold finite numbers of problems before: it never pulls and has no mass.
  copy_data_.resize(6 * static_cast<std::size_t>(slots_));
  slot_beta_.assign(slots_, 0.0);
  contact_data_.resize(static_cast<std::size_t>(kSplitArrays) * padded_);
  if (padded_ > 0)
    std::fill(contact_data_.end() - 4 * static_cast<std::ptrdiff_t>(kSplitArrays), contact_data_.end(), 0.0);
  for (int i = num_contacts_; i < padded_; ++i) contact(kBeta, i) = contact(kRho, i) = 1;
  ForShares([&](const Share& share) {
    const int end = std::min(share.contacts.end, num_contacts_);
    for (int at = share.contacts.begin; at < end; ++at) {
      const int i = order_[at];
      const ContactGeometry& g = p.geometry()[i];
      const BodyIndex first = g.a == kWorld ? g.b : g.a, second = g.a == kWorld ? kWorld : g.b;
      const double sign = g.a == kWorld ? -1 : 1;
      sign_[at] = sign;
      const double* e = p.e().data() + 3 * static_cast<std::size_t>(i);
      for (int k = 0; k < 3; ++k) {
        contact(kN + k, at) = sign * g.frame(2, k);
        contact(kE + k, at) = sign * (g.frame(0, k) * e[0] + g.frame(1, k) * e[1] + g.frame(2, k) * e[2]);
        if (first != kWorld) copy_data_[place_a_[at] + 4 * k] = g.point[k] - p.bodies()[first].reference[k];
        if (second != kWorld) copy_data_[place_b_[at] + 4 * k] = g.point[k] - p.bodies()[second].reference[k];
      }
      if (first != kWorld) FillPoint(first, slot_a_[at], g.point - p.bodies()[first].reference);
      if (second != kWorld) FillPoint(second, slot_b_[at], g.point - p.bodies()[second].reference);
      contact(kMu, at) = p.friction(i).mu1;
      contact(kHasB, at) = second == kWorld ? 0 : 1;
    }
  });
}

// With its contacts.
double BodySplitEngine::PartCost(int part) const {
  const int num_trees = static_cast<int>(trees_.size());
  double cost = kContactCost * (contact_start_[part + 1] - contact_start_[part]);
  if (part >= num_trees) {
    const SplitBody& body = bodies_[part - num_trees];
    return cost + kBodyCost + kCopyCost * (body.padded - body.begin);
  }
  const SplitTree& tree = trees_[part];
  cost += kTreeCost + static_cast<double>(tree.stride * tree.size) / 3 + 1.5 * tree.points * tree.stride;
  for (int l = tree.first_link; l < tree.last_link; ++l) {
    cost += kBodyCost + 5 * links_[l].stride + kCopyCost * (links_[l].padded - links_[l].begin);
  }
  return cost;
}

double BodySplitEngine::CalcCost() const {
  double total = kRowCost * joint_padded_ + kOtherCost * static_cast<double>(other_row_.size());
  for (int k = 0; k < static_cast<int>(trees_.size() + bodies_.size()); ++k) total += PartCost(k);
  return total;
}

// Shares of about the same cost, each a range of every list.
void BodySplitEngine::SplitWork(int threads) {
  const int num_trees = static_cast<int>(trees_.size()), num_parts = num_trees + static_cast<int>(bodies_.size());
  const double total = CalcCost();
  const int num_others = static_cast<int>(other_row_.size()), chunks = (padded_ + kScoreChunk - 1) / kScoreChunk;
  int num_shares = 1;
  if (threads > 1 && total >= kWorkForThreads) {
    if (!team_ || team_->size() != threads) team_ = std::make_unique<ThreadTeam>(threads);
    team_->Begin();
    num_shares = threads;
  }
  chunks_.resize(chunks);
  shares_.assign(num_shares, {});
  const auto cut = [&](int count, int t) { return static_cast<int>(static_cast<long>(count) * t / num_shares); };
  int part = 0, contact = 0;
  double sum = 0;
  for (int t = 0; t < num_shares; ++t) {
    Share& share = shares_[t];
    const bool last = t + 1 == num_shares;
    const int begin = part;
    const double bound = total * (t + 1) / num_shares;
    for (; part < num_parts && (last || sum + 0.5 * PartCost(part) < bound); ++part) sum += PartCost(part);
    share.trees = {std::min(begin, num_trees), std::min(part, num_trees)};
    share.bodies = {std::max(begin - num_trees, 0), std::max(part - num_trees, 0)};
    const auto rowed = [&](int bound_part) {
      return static_cast<int>(std::lower_bound(rowed_parts_.begin(), rowed_parts_.end(), bound_part) -
                              rowed_parts_.begin());
    };
    share.rowed = {rowed(begin), rowed(part)};
    const int next = last ? padded_ : std::min(RoundUp(contact_start_[part]), padded_);
    share.contacts = {contact, next};
    contact = next;
    share.joints = {cut(joint_padded_ / 4, t) * 4, cut(joint_padded_ / 4, t + 1) * 4};
    share.others = {cut(num_others, t), cut(num_others, t + 1)};
    share.chunks = {cut(chunks, t), cut(chunks, t + 1)};
  }
}

void BodySplitEngine::InvertMass(const Share& share) {
  const MassMatrix& mass = problem_->mass();
  for (int k = share.trees.begin; k < share.trees.end; ++k) {
    const SplitTree& tree = trees_[k];
    const auto A = mass.dense_block(tree_subsystem_[k]);
    double* M = tree_mass_.data() + tree.matrix;
    for (int c = 0; c < tree.size; ++c) {
      std::copy_n(A.data() + static_cast<std::size_t>(c) * tree.size, tree.size,
                  M + static_cast<std::size_t>(c) * tree.stride);
    }
    (void)kernels_->invert(M, tree.size, tree.stride);  // A is positive definite: it was built so
  }
  for (int k = share.bodies.begin; k < share.bodies.end; ++k) {
    const auto A = mass.dense_block(body_subsystem_[k]);
    double* M = body_mass_.data() + 48 * static_cast<std::size_t>(k);
    for (int c = 0; c < 6; ++c) std::copy_n(A.data() + 6 * static_cast<std::size_t>(c), 6, M + 8 * c);
    (void)kernels_->invert(M, 6, 8);
  }
}

void BodySplitEngine::CalcRho() {
  const ContactProblem& p = *problem_;
  rho_.resize(p.num_constraints());
  const SplitCopies copies = Copies();
  const SplitTrees trees = Trees();
  ForShares([&](const Share& share) {
    for (int k = share.trees.begin; k < share.trees.end; ++k) {
      if (trees_[k].points > 0) kernels_->trace_tree_points(trees, k, tree_mass_.data() + trees_[k].matrix, copies);
      for (int l = trees_[k].first_link; l < trees_[k].last_link; ++l) {
        double C[48];
        kernels_->link_compliance(trees, l, tree_mass_.data() + trees_[k].matrix, trees_[k].stride, C);
        kernels_->trace_points(copies, links_[l].begin, links_[l].padded, C);
      }
    }
    for (int k = share.bodies.begin; k < share.bodies.end; ++k) {
      kernels_->trace_points(copies, bodies_[k].begin, bodies_[k].padded,
                             body_mass_.data() + 48 * static_cast<std::size_t>(k));
    }
  });
  ForShares([&](const Share& share) {
    const int end = std::min(share.contacts.end, num_contacts_);
    for (int at = share.contacts.begin; at < end; ++at) {
      const int i = order_[at];
      const double b = contact(kHasB, at) != 0 ? *x_of(place_b_[at]) : 0;
      const bool moves = p.geometry()[i].a != kWorld || p.geometry()[i].b != kWorld;
      rho_[i] = 3 / ((moves ? *x_of(place_a_[at]) : 0) + b);
    }
  });
  const auto entry = [&](int dof, int other) {
    const int part = part_of_subsystem_[p.mass().subsystem_of_dof(dof)];
    const int first = part_dof(part), num_trees = static_cast<int>(trees_.size());
    if (part < num_trees) {
      return tree_mass_[trees_[part].matrix + static_cast<std::size_t>(dof - first) * trees_[part].stride + other -
                        first];
    }
    return body_mass_[48 * static_cast<std::size_t>(part - num_trees) + 8 * static_cast<std::size_t>(dof - first) +
                      other - first];
  };
  // Of two links of one tree: what moves one moves the other.
  for (int i = 0; i < num_contacts_; ++i) {
    const ContactGeometry& g = p.geometry()[i];
    if (g.a == kWorld || g.b == kWorld || p.bodies()[g.a].subsystem != p.bodies()[g.b].subsystem) continue;
    const BlockRows& J = p.jacobian();
    const int count = J.count(i);
    double trace = 0;
    for (int k = 0; k < count; ++k) {
      for (int l = 0; l < count; ++l) {
        double product = 0;
        for (int r = 0; r < 3; ++r) product += J.block(i)[r * count + k] * J.block(i)[r * count + l];
        trace += product * entry(J.cols(i)[k], J.cols(i)[l]);
      }
    }
    rho_[i] = 3 / trace;
  }
  for (int at = 0; at < num_joints_; ++at) {
    const double value = joint_data_[static_cast<std::size_t>(kValue) * joint_padded_ + at];
    rho_[num_contacts_ + joint_row_[at]] = 1 / (value * value * entry(joint_dof_[at], joint_dof_[at]));
  }
  for (std::size_t o = 0; o < other_row_.size(); ++o) {
    double W = 0;
    for (int c = other_first_[o]; c < other_first_[o + 1]; ++c) {
      const RowCopy& copy = row_copies_[c];
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
  }
  for (int at = 0; at < num_contacts_; ++at) contact(kRho, at) = rho_[order_[at]];
}

void BodySplitEngine::CalcFreeScale() {
  const ContactProblem& p = *problem_;
  free_.resize(p.num_constraints());
  v_ = p.free_velocity();
  SpreadVelocities();
  free_sum_ = velocity_scale_ = 0;
  for (int at = 0; at < num_contacts_; ++at) {
    const int i = order_[at];
    double square = 0, normal = 0;
    for (int k = 0; k < 3; ++k) {
      const double s = x_of(place_a_[at])[4 * k] - contact(kHasB, at) * x_of(place_b_[at])[4 * k] + contact(kE + k, at);
      square += s * s;
      normal += s * contact(kN + k, at);
    }
    free_sum_ += rho_[i] * square;
    free_[i] = std::sqrt(square / 3);
    // The larger of two tangential components is at least this much.
    const double tangential = std::sqrt(std::max(0.0, square - normal * normal) / 2);
    velocity_scale_ = std::max({velocity_scale_, std::abs(normal), tangential});
  }
  for (int row = 0; row < p.num_rows(); ++row) {
    const int i = num_contacts_ + row;
    const double e = p.row_offset(row), y = RowVelocity(row), s = RowFreeSigma(p.law(row), y, e, rho_[i]);
    free_sum_ += rho_[i] * s * s;
    free_[i] = std::abs(y + e);
    velocity_scale_ = std::max(velocity_scale_, free_[i]);
  }
}

}  // namespace tactus
