// Eliminated chains of CondSystem: their factors, and vectors in the layout of these.
#include <algorithm>

#include "tactus/solvers/cond/cond_system.h"

namespace tactus {

void CondSystem::GatherPart(bool chain, const ConstVectorRef& local, double* x) {
  constexpr int kSize = BlockTridiagonal::kSize;
  const int size = static_cast<int>(local.size());
  if (!chain) {
    std::copy_n(local.data(), size, x);
    return;
  }
  for (int first = 0; first < size; first += kSize, x += BlockTridiagonal::kStride) {
    std::fill_n(x, BlockTridiagonal::kStride, 0.0);
    std::copy_n(local.data() + first, std::min(kSize, size - first), x);
  }
}

void CondSystem::SolveChain(int chain, Eigen::Ref<VectorX> x) {
  work_.resize(chains_[chain].A.work_size());
  GatherPart(true, x, work_.data());
  chains_[chain].A.Solve(work_.data());
  for (Eigen::Index d = 0; d < x.size(); ++d) x[d] = work_[CondChain::Place(static_cast<int>(d))];
}

bool CondSystem::FactorizeChains(const ContactProblem& p) {
  if (chains_.size() < static_cast<std::size_t>(num_chains_)) chains_.resize(num_chains_);
  for (int j = 0; j < p.mass().num_subsystems(); ++j) {
    if (chain_of_[j] < 0) continue;
    CondChain& chain = chains_[chain_of_[j]];
    chain.subsystem = j;
    chain.A.Assign(p.mass().sparse_block(j));
    if (!chain.A.Factorize()) return false;
    chain.A.CalcInverseBlocks(&chain.inverse_blocks);
  }
  return true;
}

// A + sum k J^T J of a chain, block by block.
bool CondSystem::TieChain(const ContactProblem& p, const CondPart& part) {
  CondChain& chain = chains_[part.chain];
  chain.tied.Assign(p.mass().sparse_block(part.subsystem));
  for (int c = part.begin; c < part.end; ++c) {
    const CondCopy& copy = copies_[c];
    const int count = copy.columns_end - copy.columns_begin;
    const int* at = copy_columns_.data() + copy.columns_begin;
    const Eigen::Map<const RowMatrixX> J(copy_values_.data() + copy.values, copy.dim, count);
    Matrix6 H = Matrix6::Zero();
    for (int a = 0; a < count; ++a) {
      for (int b = 0; b < count; ++b) {
        H(at[a] % BlockTridiagonal::kStride, at[b] % BlockTridiagonal::kStride) = copy.k * J.col(a).dot(J.col(b));
      }
    }
    chain.tied.AddToBlock(at[0] / BlockTridiagonal::kStride, H);
  }
  return chain.tied.Factorize();
}

bool CondSystem::ScaleTies(const ContactProblem& p, bool of_chains, double factor) {
  if (!of_chains) inverses_.clear();
  for (CondPart& part : parts_) {
    if ((part.chain >= 0) != of_chains) continue;
    for (int c = part.begin; c < part.end; ++c) {
      copies_[c].k *= factor;
      copies_[c].w /= factor;
    }
    if (!(of_chains ? TieChain(p, part) : InvertPart(p, &part))) return false;
  }
  return true;
}

}  // namespace tactus
