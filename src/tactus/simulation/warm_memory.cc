#include "tactus/simulation/warm_memory.h"

#include <algorithm>

namespace tactus {

namespace {

bool Before(const WarmMemory::Contact& x, const WarmMemory::Contact& y) {
  if (x.a != y.a) return x.a < y.a;
  if (x.b != y.b) return x.b < y.b;
  return x.feature < y.feature;
}

}  // namespace

void WarmMemory::Clear() {
  contacts.clear();
  rows.clear();
}

void WarmMemory::Store(const std::vector<ContactState>& states, const std::vector<std::uint64_t>& row_keys,
                       const VectorX& impulse) {
  Clear();
  for (const ContactState& state : states) {
    if (!state.active) continue;
    contacts.push_back({state.object_a, state.object_b, state.geometry.feature, state.impulse_W()});
  }
  std::sort(contacts.begin(), contacts.end(), Before);
  const Eigen::Index first = 3 * static_cast<Eigen::Index>(contacts.size());
  for (std::size_t k = 0; k < row_keys.size(); ++k) {
    rows.push_back({row_keys[k], impulse[first + static_cast<Eigen::Index>(k)]});
  }
  std::sort(rows.begin(), rows.end(), [](const Row& x, const Row& y) { return x.key < y.key; });
}

void WarmMemory::Recall(const std::vector<ContactState>& states, const std::vector<std::uint64_t>& row_keys,
                        VectorX* impulse) const {
  Eigen::Index at = 0;
  for (const ContactState& state : states) {
    if (!state.active) continue;
    const Contact key{state.object_a, state.object_b, state.geometry.feature, Vector3::Zero()};
    const auto found = std::lower_bound(contacts.begin(), contacts.end(), key, Before);
    const bool known = found != contacts.end() && !Before(key, *found);
    impulse->segment<3>(at) = known ? Vector3(state.frame * found->impulse) : Vector3::Zero();
    at += 3;
  }
  for (const std::uint64_t key : row_keys) {
    const auto found =
        std::lower_bound(rows.begin(), rows.end(), key, [](const Row& row, std::uint64_t k) { return row.key < k; });
    (*impulse)[at++] = found != rows.end() && found->key == key ? found->impulse : 0;
  }
}

}  // namespace tactus
