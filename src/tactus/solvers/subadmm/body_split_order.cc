// Where everything of an iteration of SubADMM lies: parts, units of bodies, copies and contacts.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tactus/solvers/subadmm/body_split_arrays.h"
#include "tactus/solvers/subadmm/body_split_engine.h"

namespace tactus {

namespace {

// Bodies whose velocities and contacts are found in one go: small enough for the first cache.
constexpr int kBlock = 32;

}  // namespace

// Copies of trees come first, those of each link side by side; then those of free bodies, unit by unit.
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
  links_.clear();
  link_columns_.clear();
  link_jacobians_.clear();
  point_jacobians_.clear();
  groups_.clear();
  dofs_of_body_.resize(num_bodies);
  tree_subsystem_.clear();
  body_subsystem_.clear();
  for (int j = 0; j < num_subsystems; ++j) {
    if (p.mass().subsystem(j).kind == SubsystemKind::Free) {
      body_subsystem_.push_back(j);
    } else if (plan_ == nullptr || !plan_->articulated(j)) {
      AddTree(j, {body_start_[j], body_start_[j + 1]});
    }
  }
  num_dense_ = num_trees();
  for (int j = 0; plan_ != nullptr && j < num_subsystems; ++j) {
    if (plan_->articulated(j)) AddArticulatedTree(j, {body_start_[j], body_start_[j + 1]});
  }
  const std::size_t matrices =
      trees_.empty() ? 0 : trees_.back().matrix + static_cast<std::size_t>(trees_.back().stride) * trees_.back().size;
  tree_mass_.assign(matrices, 0.0);
  tree_inverse_.resize(matrices);
  SortBodies();
  CountCopies();
  MakeUnits();
  part_of_subsystem_.resize(num_subsystems);
  for (std::size_t k = 0; k < trees_.size(); ++k) part_of_subsystem_[tree_subsystem_[k]] = static_cast<int>(k);
  for (std::size_t k = 0; k < body_subsystem_.size(); ++k) {
    part_of_subsystem_[body_subsystem_[k]] = static_cast<int>(trees_.size() + k);
  }
}

// Along the longest side of the box that holds them all, so that the shares of threads have little to do with each
// other; those that nothing can touch come first. (Cells of a block's bodies each make one thread no faster.)
void BodySplitEngine::SortBodies() {
  const ContactProblem& p = *problem_;
  const int count = static_cast<int>(body_subsystem_.size());
  const auto touchable = [&](int j) { return body_start_[j] < body_start_[j + 1]; };
  const auto reference = [&](int j) -> const Vector3& { return p.bodies()[body_order_[body_start_[j]]].reference; };
  Vector3 low = Vector3::Constant(kInfinity), high = -low;
  for (const int j : body_subsystem_) {
    if (!touchable(j)) continue;
    low = low.cwiseMin(reference(j));
    high = high.cwiseMax(reference(j));
  }
  int axis = 0;
  const double length = (high - low).maxCoeff(&axis);
  if (length > 0 && length < kInfinity) {
    const auto cell = [&](int j) {
      if (!touchable(j)) return 0;
      return std::min(count - 1, static_cast<int>((reference(j)[axis] - low[axis]) / length * count));
    };
    cells_.assign(count + 1, 0);
    for (const int j : body_subsystem_) ++cells_[cell(j) + 1];
    std::partial_sum(cells_.begin(), cells_.end(), cells_.begin());
    next_slot_.resize(count);
    for (const int j : body_subsystem_) next_slot_[cells_[cell(j)]++] = j;
    body_subsystem_.assign(next_slot_.begin(), next_slot_.end());
  }
  rank_.assign(p.mass().num_subsystems(), -1);  // of trees: before all others
  for (int k = 0; k < count; ++k) rank_[body_subsystem_[k]] = k;
  // Side by side for those who look at bodies in no order.
  rank_of_body_.resize(p.bodies().size());
  reference_of_body_.resize(p.bodies().size());
  for (std::size_t b = 0; b < p.bodies().size(); ++b) {
    rank_of_body_[b] = rank_[p.bodies()[b].subsystem];
    reference_of_body_[b] = FindReference(static_cast<BodyIndex>(b));
  }
}

// Of every free body, by its rank: copies of contacts that it owns, being the last of their bodies, and others.
void BodySplitEngine::CountCopies() {
  const ContactProblem& p = *problem_;
  for (auto* counts : {&owned_count_, &other_count_, &busy_owned_, &busy_other_})
    counts->assign(body_subsystem_.size(), 0);
  for (int i = 0; i < num_contacts_; ++i) {
    const ContactGeometry& g = p.geometry()[i];
    const int a = g.a == kWorld ? -1 : rank_of_body_[g.a];
    const int b = g.b == kWorld ? -1 : rank_of_body_[g.b];
    const int busy = idle_[i] == 0 ? 1 : 0;
    if (std::max(a, b) >= 0) {
      ++owned_count_[std::max(a, b)];
      busy_owned_[std::max(a, b)] += busy;
    }
    if (std::min(a, b) >= 0) {
      ++other_count_[std::min(a, b)];
      busy_other_[std::min(a, b)] += busy;
    }
  }
}

namespace {

int Quads(int n) { return (n + 3) / 4; }

}  // namespace

// Four bodies side by side where they have about as many copies each, else one with its copies side by side.
void BodySplitEngine::MakeUnits() {
  const int count = static_cast<int>(body_subsystem_.size());
  units_.clear();
  blocks_.clear();
  block_of_unit_.clear();
  unit_of_rank_.resize(count);
  lane_of_rank_.resize(count);
  unit_b_.clear();
  owned_ = matrices_ = 0;
  by_unit_.clear();
  for (int begin = 0; begin < count; begin += kBlock) {
    const int end = std::min(begin + kBlock, count);
    cells_.resize(end - begin);
    std::iota(cells_.begin(), cells_.end(), begin);  // ranks, of many copies first
    std::sort(cells_.begin(), cells_.end(), [&](int a, int b) {
      if (busy_owned_[a] != busy_owned_[b]) return busy_owned_[a] > busy_owned_[b];
      if (busy_other_[a] != busy_other_[b]) return busy_other_[a] > busy_other_[b];
      return a < b;
    });
    Block block;
    block.units.begin = static_cast<int>(units_.size());
    for (int at = 0; at < end - begin;) {
      const bool four = at + 4 <= end - begin && FitTogether(cells_.data() + at);
      AddUnit(cells_.data() + at, four);
      block_of_unit_.push_back(static_cast<int>(blocks_.size()));
      at += four ? 4 : 1;
    }
    block.units.end = static_cast<int>(units_.size());
    blocks_.push_back(block);
  }
  unit_mass_.assign(matrices_, 0.0);
  unit_inverse_.resize(matrices_);
  // From ranks to the order of units.
  next_slot_.resize(count);
  for (int k = 0; k < count; ++k) next_slot_[k] = body_subsystem_[by_unit_[k]];
  body_subsystem_.assign(next_slot_.begin(), next_slot_.begin() + count);
}

bool BodySplitEngine::FitTogether(const int* ranks) const {
  int apart = 0, owned = 0, others = 0;
  for (int k = 0; k < 4; ++k) {
    const int o = busy_owned_[ranks[k]], n = busy_other_[ranks[k]];
    owned = std::max(owned, o);
    others = std::max(others, n);
    apart += kOneCost + kCopiesCost * (Quads(o) + Quads(n)) + kContactsCost * Quads(o);
  }
  return kFourCost + kCopiesCost * (owned + others) + kContactsCost * owned <= apart;
}

void BodySplitEngine::AddUnit(const int* ranks, bool four) {
  const ContactProblem& p = *problem_;
  SplitUnit unit;
  unit.four = four;
  unit.begin = slots_;
  unit.contact = owned_;
  unit.first_body = static_cast<int>(by_unit_.size());
  unit.matrix = matrices_;
  unit.pull = static_cast<int>(unit_b_.size());
  matrices_ += four ? 4 * kSplitTriangle : 48;
  for (int l = 0; l < unit.size(); ++l) {
    const int rank = ranks[l], o = owned_count_[rank], n = other_count_[rank];
    unit.owned = std::max(unit.owned, four ? o : Quads(o));
    unit.other_quads = std::max(unit.other_quads, four ? n : Quads(n));
    unit.others[l] = n;
    unit.dof[l] = p.mass().subsystem(body_subsystem_[rank]).dof;
    unit_of_rank_[rank] = static_cast<int>(units_.size());
    lane_of_rank_[rank] = l;
    by_unit_.push_back(rank);
  }
  unit.others_at = unit.owned;
  slots_ += 4 * unit.quads();
  owned_ += 4 * unit.owned;
  const int stride = four ? 4 : 1;
  unit_b_.resize(unit_b_.size() + static_cast<std::size_t>(four ? 24 : 8), 0.0);
  for (int l = 0; l < unit.size(); ++l) {
    for (int k = 0; k < 6; ++k) unit_b_[unit.pull + stride * k + l] = p.b()[unit.dof[l] + k];
  }
  units_.push_back(unit);
}

// Contacts of free bodies lie beside their copies; those of trees and the world only come after them.
// Contacts of trees only: by the last of their trees, and of a tree those with the world first, as four of them are
// projected for less. A tree that goes by points begins with a vector of its own, so that the copies of its own
// contacts can lie in the same order; its other copies follow.
void BodySplitEngine::OrderGathered() {
  const ContactProblem& p = *problem_;
  const std::size_t count = trees_.size();
  next_gathered_.assign(2 * count + 3, 0);
  tree_copies_.assign(count, 0);
  for (const ContactGeometry& g : p.geometry()) {
    for (const BodyIndex b : {g.a, g.b}) {
      if (b != kWorld && rank_of_body_[b] < 0) ++tree_copies_[FindTree(b)];
    }
    if (const int key = FindGathered(g); key >= 0) ++next_gathered_[key];
  }
  int at = owned_;
  const auto place = [&](int key) {
    const int size = next_gathered_[key];
    next_gathered_[key] = at;
    at += size;
  };
  place(0);
  place(1);
  first_gathered_.resize(count);
  first_copy_.resize(count);
  next_copy_.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    SplitTree& tree = trees_[k];
    if (tree.by_points) at = RoundUp(at);
    first_gathered_[k] = at;
    place(static_cast<int>(2 * k) + 2);
    place(static_cast<int>(2 * k) + 3);
    if (!tree.by_points) continue;
    const int own = at - first_gathered_[k];
    at = RoundUp(at);
    first_copy_[k] = slots_;
    next_copy_[k] = slots_ + RoundUp(own);
    slots_ = next_copy_[k] + RoundUp(tree_copies_[k] - own);
  }
  padded_ = RoundUp(at);
  slot_dofs_.assign(slots_, 0);
}

// Where next_gathered_ counts a contact of trees only; -1: a free body's.
int BodySplitEngine::FindGathered(const ContactGeometry& g) const {
  int last = -1;
  for (const BodyIndex b : {g.a, g.b}) {
    if (b == kWorld) continue;
    if (rank_of_body_[b] >= 0) return -1;
    last = std::max(last, FindTree(b));
  }
  return 2 * (last + 1) + (g.a == kWorld || g.b == kWorld ? 0 : 1);
}

void BodySplitEngine::PlaceContacts() {
  const ContactProblem& p = *problem_;
  const auto rank = [&](BodyIndex b) { return b == kWorld ? -1 : rank_of_body_[b]; };
  const auto tree = [&](BodyIndex b) { return b == kWorld || rank_of_body_[b] >= 0 ? -1 : FindTree(b); };
  OrderGathered();
  order_.assign(padded_, -1);
  place_of_contact_.resize(num_contacts_);
  slot_a_.assign(padded_, -1);
  slot_b_.assign(padded_, -1);
  unit_of_a_.assign(padded_, -1);
  unit_of_b_.assign(padded_, -1);
  sign_.assign(padded_, 1.0);
  next_slot_.assign(begin_of_body_.begin(), begin_of_body_.end());
  next_owned_.assign(owned_count_.size(), 0);
  next_other_.assign(owned_count_.size(), 0);
  int spare = slots_;
  const auto body_slot = [&](int at, bool owned) {
    const SplitUnit& unit = units_[unit_of_rank_[at]];
    const int k = owned ? next_owned_[at]++ : next_other_[at]++;
    return unit.begin + (owned ? 0 : 4 * unit.owned) + (unit.four ? 4 * k + lane_of_rank_[at] : k);
  };
  // `gathered`: the place of a contact whose first copy this is, of trees only; else -1.
  const auto tree_slot = [&](BodyIndex b, int gathered) {
    const int t = FindTree(b);
    if (!trees_[t].by_points) return next_slot_[b]++;
    const int slot = gathered < 0 ? next_copy_[t]++ : first_copy_[t] + gathered - first_gathered_[t];
    slot_dofs_[slot] = dofs_of_body_[b];
    return slot;
  };
  const auto place = [&](int i) {
    const ContactGeometry& g = p.geometry()[i];
    const int rank_a = rank(g.a), rank_b = rank(g.b), owner = std::max(rank_a, rank_b);
    const bool swap = g.a == kWorld || rank_b > rank_a || (owner < 0 && tree(g.b) > tree(g.a));
    const BodyIndex a = swap ? g.b : g.a, b = swap ? g.a : g.b;
    int at = 0, first = 0;
    if (owner >= 0) {
      const SplitUnit& unit = units_[unit_of_rank_[owner]];
      first = body_slot(owner, true);
      at = unit.contact + first - unit.begin;
      unit_of_a_[at] = unit_of_rank_[owner];
      if (rank(b) >= 0) unit_of_b_[at] = unit_of_rank_[rank(b)];
    } else {
      at = next_gathered_[FindGathered(g)]++;
      first = a == kWorld ? spare++ : tree_slot(a, at);
    }
    order_[at] = i;
    place_of_contact_[i] = at;
    sign_[at] = swap ? -1 : 1;
    slot_a_[at] = first;
    slot_b_[at] = b == kWorld ? spare++ : rank(b) >= 0 ? body_slot(rank(b), false) : tree_slot(b, -1);
  };
  // Of each body those that take part in iterations come first.
  for (int i = 0; i < num_contacts_; ++i) {
    if (idle_[i] == 0) place(i);
  }
  for (int i = 0; i < num_contacts_; ++i) {
    if (idle_[i] != 0) place(i);
  }
  // What fills up vectors lies beside the copies of its unit or tree too; its other copy is nobody's.
  for (const SplitUnit& unit : units_) {
    for (int k = 0; k < 4 * unit.owned; ++k) {
      if (order_[unit.contact + k] >= 0) continue;
      slot_a_[unit.contact + k] = unit.begin + k;
      slot_b_[unit.contact + k] = spare++;
    }
  }
  for (int k = 0; k < num_trees(); ++k) {
    if (!trees_[k].by_points) continue;
    const int end = next_gathered_[2 * k + 3];
    for (int at = end; at < RoundUp(end); ++at) slot_a_[at] = first_copy_[k] + at - first_gathered_[k];
    trees_[k].first_group = static_cast<int>(groups_.size());
    for (int slot = first_copy_[k]; slot < RoundUp(next_copy_[k]); slot += 4) AddGroup(trees_[k], slot);
    trees_[k].last_group = static_cast<int>(groups_.size());
  }
  for (int at = owned_; at < padded_; ++at) {
    if (order_[at] >= 0) continue;
    if (slot_a_[at] < 0) slot_a_[at] = spare++;
    slot_b_[at] = spare++;
  }
  slots_ = RoundUp(spare);
  place_a_.resize(padded_);
  place_b_.resize(padded_);
  for (int at = 0; at < padded_; ++at) {
    place_a_[at] = SplitPlace(slot_a_[at]);
    place_b_[at] = SplitPlace(slot_b_[at]);
  }
}

// Which units and trees a block's contacts touch.
void BodySplitEngine::FindNeighbours() {
  const ContactProblem& p = *problem_;
  for (Block& block : blocks_) {
    block.first_unit = block.units.begin;
    for (int u = block.units.begin; u < block.units.end; ++u) block.special = block.special || units_[u].has_rows;
  }
  for (const ContactGeometry& g : p.geometry()) {
    if (g.a == kWorld || g.b == kWorld) continue;
    const int a = rank_of_body_[g.a], b = rank_of_body_[g.b];
    const int first = std::min(a, b), last = std::max(a, b);
    if (last < 0) continue;
    Block& block = blocks_[block_of_unit_[unit_of_rank_[last]]];
    if (first < 0) {
      block.special = true;
    } else {
      block.first_unit = std::min(block.first_unit, unit_of_rank_[first]);
    }
  }
}

}  // namespace tactus
