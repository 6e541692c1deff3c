#include "tactus/control/contact_memory.h"

#include <algorithm>
#include <numeric>

#include "tactus/core/error.h"

namespace tactus {

namespace {

constexpr const char *kSnapshot = "snapshot", *kExpected = "one of this scene";

std::size_t ReadCount(const std::vector<double>& state, std::size_t* at) {
  const double n = ReadSnapshotNumber(state, at);
  Require(n >= 0 && n <= static_cast<double>(state.size()), kSnapshot, "a controller's part is broken", kExpected);
  return static_cast<std::size_t>(n);
}

}  // namespace

double ReadSnapshotNumber(const std::vector<double>& state, std::size_t* at) {
  Require(*at < state.size(), kSnapshot, "a controller's part is too short", kExpected);
  return state[(*at)++];
}

void ContactMemory::Begin(const std::vector<ContactState>& contacts) {
  std::swap(keys_, last_);
  keys_.clear();
  for (const ContactState& c : contacts) keys_.push_back({c.object_a, c.object_b, c.geometry.feature});
}

void ContactMemory::MakeWarmStart(const QpccSolution& last, QpccSolution* warm) {
  warm->actuation = last.actuation;
  warm->y_actuation = last.y_actuation;
  const auto m = static_cast<Eigen::Index>(3 * keys_.size());
  for (VectorX* v : {&warm->contact, &warm->sigma, &warm->y_contact, &warm->y_sigma}) v->setZero(m);
  warm->modes.assign(keys_.size(), ContactMode::Open);
  order_.resize(last_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::sort(order_.begin(), order_.end(),
            [&](std::size_t x, std::size_t y) { return last_[x] != last_[y] ? last_[x] < last_[y] : x < y; });
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const auto known = std::lower_bound(order_.begin(), order_.end(), keys_[i],
                                        [&](std::size_t k, const Key& key) { return last_[k] < key; });
    if (known == order_.end() || last_[*known] != keys_[i]) continue;
    const auto to = static_cast<Eigen::Index>(3 * i), from = static_cast<Eigen::Index>(3 * *known);
    warm->contact.segment<3>(to) = last.contact.segment<3>(from);
    warm->sigma.segment<3>(to) = last.sigma.segment<3>(from);
    warm->y_contact.segment<3>(to) = last.y_contact.segment<3>(from);
    warm->y_sigma.segment<3>(to) = last.y_sigma.segment<3>(from);
    warm->modes[i] = last.modes[*known];
  }
}

void ContactMemory::Save(const QpccSolution& solution, std::vector<double>* state) const {
  state->push_back(static_cast<double>(keys_.size()));
  for (const Key& key : keys_) {
    // A number of 64 bits in two halves, each exact as a double.
    for (const double x : {static_cast<double>(key.a), static_cast<double>(key.b),
                           static_cast<double>(key.feature >> 32), static_cast<double>(key.feature & 0xffffffffu)}) {
      state->push_back(x);
    }
  }
  for (const VectorX* v : {&solution.actuation, &solution.contact, &solution.sigma, &solution.y_actuation,
                           &solution.y_contact, &solution.y_sigma}) {
    state->push_back(static_cast<double>(v->size()));
    state->insert(state->end(), v->data(), v->data() + v->size());
  }
  for (const ContactMode mode : solution.modes) state->push_back(static_cast<double>(mode));
}

std::size_t ContactMemory::Load(const std::vector<double>& state, std::size_t at, QpccSolution* solution) {
  const auto next = [&] { return ReadSnapshotNumber(state, &at); };
  keys_.resize(ReadCount(state, &at));
  for (Key& key : keys_) {
    key.a = static_cast<int>(next());
    key.b = static_cast<int>(next());
    key.feature = static_cast<std::uint64_t>(next()) << 32;
    key.feature |= static_cast<std::uint64_t>(next());
  }
  for (VectorX* v : {&solution->actuation, &solution->contact, &solution->sigma, &solution->y_actuation,
                     &solution->y_contact, &solution->y_sigma}) {
    v->resize(static_cast<Eigen::Index>(ReadCount(state, &at)));
    for (double& x : *v) x = next();
  }
  const auto m = static_cast<Eigen::Index>(3 * keys_.size());
  for (const VectorX* v : {&solution->contact, &solution->sigma, &solution->y_contact, &solution->y_sigma}) {
    Require(v->size() == m || solution->actuation.size() == 0, kSnapshot, "a controller's part does not fit",
            kExpected);
  }
  solution->modes.resize(keys_.size());
  for (ContactMode& mode : solution->modes) mode = static_cast<ContactMode>(std::clamp(next(), 0.0, 2.0));
  return at;
}

}  // namespace tactus
