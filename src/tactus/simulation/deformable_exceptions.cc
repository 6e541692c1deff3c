// Who does not touch though near: what is attached to the other, and pairs that are excluded.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "tactus/simulation/deformable_contacts.h"

namespace tactus {

int DeformableContacts::AddBond(int k, const std::vector<int>& items, int body, std::vector<bool> objects) {
  Part& part = parts_[static_cast<std::size_t>(k)];
  const int count = part.body->num_items();
  Bond bond;
  bond.part = k;
  bond.body = body;
  bond.items = items;
  bond.objects = std::move(objects);
  bond.beside.assign(static_cast<std::size_t>(count), false);
  const DeformableSurface& surface = part.body->surface();
  // Capsules reach a radius beyond the ends of their segments.
  const int reach =
      surface.capsules.empty() ? 0 : static_cast<int>(std::ceil(2 * surface.capsules.front().radius / part.edge));
  for (const int item : items) {
    for (int i = std::max(item - reach, 0); i <= std::min(item + reach, count - 1); ++i) {
      bond.beside[static_cast<std::size_t>(i)] = true;
    }
  }
  bonds_.push_back(std::move(bond));
  part.bonds.reserve(bonds_.size());
  return static_cast<int>(bonds_.size()) - 1;
}

void DeformableContacts::SetBond(int bond, bool holds) {
  if (bonds_[static_cast<std::size_t>(bond)].holds == holds) return;
  bonds_[static_cast<std::size_t>(bond)].holds = holds;
  const int k = bonds_[static_cast<std::size_t>(bond)].part;
  Part& part = parts_[static_cast<std::size_t>(k)];
  for (std::size_t i = 0; i < part.carriers.size(); ++i) {
    part.carriers[i] = part.body->first_dof(static_cast<int>(i)) < 0 ? -1 : kOwn;
  }
  part.bonds.clear();
  for (std::size_t n = 0; n < bonds_.size(); ++n) {
    if (bonds_[n].part != k || !bonds_[n].holds) continue;
    part.bonds.push_back(static_cast<int>(n));
    for (const int item : bonds_[n].items) part.carriers[static_cast<std::size_t>(item)] = bonds_[n].body;
  }
}

void DeformableContacts::SetPair(const DeformablePair& pair) {
  DeformablePair rule = pair;
  if (rule.a > rule.b) std::swap(rule.a, rule.b);
  const auto at = std::lower_bound(
      pairs_.begin(), pairs_.end(), rule,
      [](const DeformablePair& x, const DeformablePair& y) { return std::tie(x.a, x.b) < std::tie(y.a, y.b); });
  if (at == pairs_.end() || at->a != rule.a || at->b != rule.b) {
    pairs_.insert(at, rule);
  } else if (rule.friction) {
    at->friction = rule.friction;
  }
}

const DeformablePair* DeformableContacts::FindPair(int a, int b) const {
  const std::pair<int, int> key = std::minmax({a, b});
  const auto at =
      std::lower_bound(pairs_.begin(), pairs_.end(), key,
                       [](const DeformablePair& x, const std::pair<int, int>& y) { return std::pair(x.a, x.b) < y; });
  return at != pairs_.end() && at->a == key.first && at->b == key.second ? &*at : nullptr;
}

bool DeformableContacts::MayTouch(const Part& part, int object, unsigned type, unsigned affinity) const {
  if (const DeformablePair* pair = FindPair(part.object, object)) return pair->friction.has_value();
  return (part.contact_type & affinity) != 0 || (part.contact_affinity & type) != 0;
}

bool DeformableContacts::TouchesItself(const Part& part) const {
  const DeformablePair* pair = FindPair(part.object, part.object);
  return pair != nullptr ? pair->friction.has_value() : part.self_contact;
}

int DeformableContacts::FindCarrier(const Part& part, const DeformablePoint& point) const {
  const int first = part.carriers[static_cast<std::size_t>(point.items[0])];
  for (int k = 1; k < point.count; ++k) {
    const int item = point.items[static_cast<std::size_t>(k)];
    if (part.carriers[static_cast<std::size_t>(item)] != first) return kOwn;
  }
  return first;
}

// Points of triangles of which a corner is attached are left out too: beside an overlap that an attachment holds, they
// would be pushed out of it. Corners that are free stand for them.
bool DeformableContacts::IsBeside(const Side& soft, const Side& rigid) const {
  if (soft.part < 0 || rigid.part >= 0) return false;
  for (const int n : parts_[static_cast<std::size_t>(soft.part)].bonds) {
    const Bond& bond = bonds_[static_cast<std::size_t>(n)];
    if (!bond.objects[static_cast<std::size_t>(rigid.object)]) continue;
    for (int k = 0; k < soft.point.count; ++k) {
      if (bond.beside[static_cast<std::size_t>(soft.point.items[static_cast<std::size_t>(k)])]) return true;
    }
  }
  return false;
}

}  // namespace tactus
