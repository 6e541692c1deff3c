// Who does what in an iteration of SubADMM.
#include <algorithm>

#include "tactus/solvers/subadmm/body_split_arrays.h"
#include "tactus/solvers/subadmm/body_split_engine.h"

namespace tactus {

namespace {

// Rough costs, in cycles, of trees and rows, and of four contacts of trees only.
constexpr int kTreeCost = 80, kLinkCost = 60, kLinkCopyCost = 4, kJointCost = 60, kRowCost = 4, kOtherCost = 20,
              kGatheredCost = 90;
// Sharing a round out takes a few hundred cycles: with less work than this in an iteration one thread is faster.
constexpr double kWorkForThreads = 12000;

}  // namespace

BodySplitEngine::BlockCost BodySplitEngine::CalcBlockCost(const Block& block) const {
  BlockCost cost;
  for (int u = block.units.begin; u < block.units.end; ++u) {
    const SplitUnit& unit = busy_units_[u];
    cost.bodies += (unit.four ? kFourCost : kOneCost) + kCopiesCost * (unit.owned + unit.other_quads);
    cost.contacts += kContactsCost * unit.owned;
  }
  return cost;
}

double BodySplitEngine::TreeCost(const SplitTree& tree) const {
  double cost = kTreeCost + static_cast<double>(tree.stride * tree.size) / 3;
  if (tree.stride == 0) cost += kJointCost * tree.size;  // along its joints
  for (int g = tree.first_group; g < tree.last_group; ++g) cost += 5 * tree.common + 32 * groups_[g].runs;
  for (int l = tree.first_link; l < tree.last_link; ++l) {
    cost += kLinkCost + 5 * links_[l].stride + kLinkCopyCost * (links_[l].padded - links_[l].begin);
  }
  return cost;
}

double BodySplitEngine::CalcCost() const {
  double total = kRowCost * joint_padded_ + kOtherCost * static_cast<double>(other_row_.size()) +
                 kGatheredCost * static_cast<double>(padded_ - owned_) / 4;
  for (const SplitTree& tree : trees_) total += TreeCost(tree);
  for (const Block& block : blocks_) {
    const BlockCost cost = CalcBlockCost(block);
    total += cost.bodies + cost.contacts;
  }
  return total;
}

// Shares of about the same cost in either round, each a range of every list.
void BodySplitEngine::SplitWork(int threads) {
  const int num_others = static_cast<int>(other_row_.size()), chunks = (padded_ + kScoreChunk - 1) / kScoreChunk;
  int num_shares = 1;
  if (threads > 1 && CalcCost() >= kWorkForThreads) {
    if (!team_ || team_->size() != threads) team_ = std::make_unique<ThreadTeam>(threads);
    team_->Begin();
    num_shares = threads;
  }
  chunks_.resize(chunks);
  balances_.resize(chunks);
  shares_.assign(num_shares, {});
  const auto cut = [&](int count, int t) { return static_cast<int>(static_cast<long>(count) * t / num_shares); };
  for (int t = 0; t < num_shares; ++t) {
    Share& share = shares_[t];
    const int rest = (padded_ - owned_) / 4;
    share.gathered = {owned_ + 4 * cut(rest, t), owned_ + 4 * cut(rest, t + 1)};
    share.others = {cut(num_others, t), cut(num_others, t + 1)};
    share.chunks = {cut(chunks, t), cut(chunks, t + 1)};
    share.listed = {cut(num_contacts_, t), cut(num_contacts_, t + 1)};
  }
  SplitParts();
  SplitLateBlocks();
  SplitGathered();
}

// Trees first, then blocks: a share is a range of this list. Contacts of special blocks wait for the second round.
void BodySplitEngine::SplitParts() {
  const int num_trees = static_cast<int>(trees_.size()), num_blocks = static_cast<int>(blocks_.size());
  const auto cost_of = [&](int part) {
    if (part < num_trees) {
      return TreeCost(trees_[part]) + kRowCost * (joint_start_[part + 1] - joint_start_[part]) + gathered_cost_[part];
    }
    const Block& block = blocks_[part - num_trees];
    const BlockCost cost = CalcBlockCost(block);
    return block.special ? cost.bodies : cost.bodies + cost.contacts;
  };
  gathered_cost_.assign(trees_.size(), 0.0);
  for (int at = owned_; at < padded_; at += 4) {
    const Range trees = FindTrees(at);
    if (trees.end > 0) gathered_cost_[trees.end - 1] += kGatheredCost;
  }
  double total = 0, sum = 0;
  for (int part = 0; part < num_trees + num_blocks; ++part) total += cost_of(part);
  const auto rowed = [&](int part) {
    return static_cast<int>(std::lower_bound(rowed_parts_.begin(), rowed_parts_.end(), part) - rowed_parts_.begin());
  };
  const int num_units = static_cast<int>(units_.size()), num_shares = static_cast<int>(shares_.size());
  const auto first_unit = [&](int b) { return b < num_blocks ? blocks_[b].units.begin : num_units; };
  const auto first_body = [&](int u) {
    return num_trees + (u < num_units ? units_[u].first_body : static_cast<int>(body_subsystem_.size()));
  };
  const auto first_contact = [&](int u) { return u < num_units ? units_[u].contact : owned_; };
  int part = 0;
  for (int t = 0; t < num_shares; ++t) {
    Share& share = shares_[t];
    const int begin = part;
    for (; part < num_trees + num_blocks; ++part) {
      const double cost = cost_of(part);
      if (t + 1 < num_shares && sum + 0.5 * cost >= total * (t + 1) / num_shares) break;
      sum += cost;
    }
    share.trees = {std::min(begin, num_trees), std::min(part, num_trees)};
    share.blocks = {std::max(begin - num_trees, 0), std::max(part - num_trees, 0)};
    share.units = {first_unit(share.blocks.begin), first_unit(share.blocks.end)};
    const Range bodies = {first_body(share.units.begin), first_body(share.units.end)};
    share.rowed_trees = {rowed(share.trees.begin), rowed(share.trees.end)};
    share.rowed_bodies = {rowed(bodies.begin), rowed(bodies.end)};
    share.tree_joints = {joint_start_[share.trees.begin], joint_start_[share.trees.end]};
    share.body_joints = {joint_start_[bodies.begin], joint_start_[bodies.end]};
    share.contacts = {first_contact(share.units.begin), first_contact(share.units.end)};
    for (int b = share.blocks.begin; b < share.blocks.end; ++b) {
      blocks_[b].inner = num_shares == 1 || (blocks_[b].first_unit >= share.units.begin && !blocks_[b].special);
    }
  }
}

// Blocks whose contacts wait for the second round, whoever solved their bodies.
void BodySplitEngine::SplitLateBlocks() {
  late_blocks_.clear();
  double total = 0, sum = 0;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (blocks_[b].inner) continue;
    late_blocks_.push_back(static_cast<int>(b));
    total += CalcBlockCost(blocks_[b]).contacts;
  }
  const int num_shares = static_cast<int>(shares_.size()), count = static_cast<int>(late_blocks_.size());
  int at = 0;
  for (int t = 0; t < num_shares; ++t) {
    shares_[t].late.begin = at;
    for (; at < count; ++at) {
      const double cost = CalcBlockCost(blocks_[late_blocks_[at]]).contacts;
      if (t + 1 < num_shares && sum + 0.5 * cost >= total * (t + 1) / num_shares) break;
      sum += cost;
    }
    shares_[t].late.end = at;
  }
}

// Contacts of trees only, in fours: those of a share's own trees follow right after them, others wait for the second
// round.
void BodySplitEngine::SplitGathered() {
  const int num_shares = static_cast<int>(shares_.size());
  early_.clear();
  late_.clear();
  const auto append = [](int at, int first, std::vector<Range>* runs) {
    if (static_cast<int>(runs->size()) > first && runs->back().end == at) {
      runs->back().end = at + 4;
    } else {
      runs->push_back({at, at + 4});
    }
  };
  int at = owned_;
  for (int t = 0; t < num_shares; ++t) {
    Share& share = shares_[t];
    share.early.begin = static_cast<int>(early_.size());
    for (; at < padded_; at += 4) {
      const Range trees = FindTrees(at);
      if (t + 1 < num_shares && trees.end > share.trees.end) break;  // the next share's
      const bool inner = num_shares == 1 || trees.begin >= share.trees.begin;
      append(at, inner ? share.early.begin : 0, inner ? &early_ : &late_);
    }
    share.early.end = static_cast<int>(early_.size());
  }
  const int count = static_cast<int>(late_.size());
  for (int t = 0; t < num_shares; ++t) shares_[t].late_runs = {count * t / num_shares, count * (t + 1) / num_shares};
}

// Trees that four contacts touch.
BodySplitEngine::Range BodySplitEngine::FindTrees(int at) const {
  const ContactProblem& p = *problem_;
  Range out = {static_cast<int>(trees_.size()), 0};
  for (int k = at; k < at + 4; ++k) {
    if (order_[k] < 0) continue;
    const ContactGeometry& g = p.geometry()[order_[k]];
    for (const BodyIndex b : {g.a, g.b}) {
      if (b == kWorld) continue;
      const int tree = part_of_subsystem_[p.bodies()[b].subsystem];
      out = {std::min(out.begin, tree), std::max(out.end, tree + 1)};
    }
  }
  return out;
}

}  // namespace tactus
