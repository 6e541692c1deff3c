#include "tactus/collision/broad_phase.h"

#include <algorithm>
#include <string>

#include <utility>
#include "tactus/core/error.h"

namespace tactus {

namespace {

// Boxes in the tree are larger by this part of their size, so that what moves a little stays where it is.
constexpr double kPadding = 0.1;

std::uint64_t Key(int a, int b) {
  if (a > b) std::swap(a, b);
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32) | static_cast<std::uint32_t>(b);
}

void InsertSorted(std::uint64_t key, std::vector<std::uint64_t>* keys) {
  const auto place = std::lower_bound(keys->begin(), keys->end(), key);
  if (place == keys->end() || *place != key) keys->insert(place, key);
}

}  // namespace

int BroadPhase::Add(const BroadPhaseObject& object, const Aabb& box) {
  const int number = count();
  entries_.push_back({object, box, -1, false});
  Place(number);
  return number;
}

void BroadPhase::Remove(int object) {
  if (at(object).removed) return;
  Leave(object);
  at(object).removed = true;
}

void BroadPhase::SetBox(int object, const Aabb& box) {
  Entry& entry = at(object);
  if (entry.removed) return;
  entry.box = box;
  if (entry.leaf >= 0 && tree_.box(entry.leaf).Contains(box)) {
    // Still where it was; but a box that has become much smaller than its place is put anew.
    const Vector3 room = tree_.box(entry.leaf).high - tree_.box(entry.leaf).low, size = box.high - box.low;
    if (room.maxCoeff() <= (1 + 4 * kPadding) * size.maxCoeff()) return;
  }
  Leave(object);
  Place(object);
}

void BroadPhase::Place(int object) {
  Entry& entry = at(object);
  if (!entry.box.bounded()) {
    unbounded_.insert(std::lower_bound(unbounded_.begin(), unbounded_.end(), object), object);
    return;
  }
  entry.leaf = tree_.Insert(entry.box.Padded(kPadding * (entry.box.high - entry.box.low).maxCoeff()), object);
}

void BroadPhase::Leave(int object) {
  Entry& entry = at(object);
  if (entry.leaf >= 0) {
    tree_.Remove(entry.leaf);
    entry.leaf = -1;
  } else {
    unbounded_.erase(std::remove(unbounded_.begin(), unbounded_.end(), object), unbounded_.end());
  }
}

void BroadPhase::ExcludeBodies(int a, int b) { InsertSorted(Key(a, b), &excluded_); }
void BroadPhase::AddPair(int a, int b) { InsertSorted(Key(a, b), &explicit_); }

bool BroadPhase::MayTouch(const Entry& a, const Entry& b) const {
  if (a.object.body == b.object.body) return false;
  if ((a.object.contact_type & b.object.contact_affinity) == 0 &&
      (b.object.contact_type & a.object.contact_affinity) == 0) {
    return false;
  }
  return excluded_.empty() ||
         !std::binary_search(excluded_.begin(), excluded_.end(), Key(a.object.body, b.object.body));
}

void BroadPhase::Consider(int a, int b) {
  const Entry &first = at(a), &second = at(b);
  if (!first.box.Overlaps(second.box) || !MayTouch(first, second)) return;
  if (keys_.size() >= max_pairs_) {
    throw InputError("contacts", "more than " + std::to_string(max_pairs_) + " pairs of shapes are close to each other",
                     "bodies that are not all in one place, or a greater max_contacts");
  }
  keys_.push_back(Key(a, b));
}

const std::vector<ObjectPair>& BroadPhase::FindPairs() {
  keys_.clear();
  tree_.FindPairs(&stack_, [&](int i, int j) {
    if (!at(i).object.fixed || !at(j).object.fixed) Consider(i, j);
  });
  for (const int i : unbounded_) {
    for (int j = 0; j < count(); ++j) {
      const bool once = at(j).leaf >= 0 || (j > i && !at(j).removed);
      if (j == i || !once || (at(i).object.fixed && at(j).object.fixed)) continue;
      Consider(i, j);
    }
  }
  for (const std::uint64_t key : explicit_) {
    const Entry& first = at(static_cast<int>(key >> 32));
    const Entry& second = at(static_cast<int>(key & 0xffffffffu));
    if (!first.removed && !second.removed && first.box.Overlaps(second.box)) keys_.push_back(key);
  }
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  pairs_.clear();
  for (const std::uint64_t key : keys_) {
    pairs_.push_back({static_cast<int>(key >> 32), static_cast<int>(key & 0xffffffffu)});
  }
  return pairs_;
}

}  // namespace tactus
