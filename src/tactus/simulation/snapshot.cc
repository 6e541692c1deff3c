#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "tactus/core/error.h"
#include "tactus/core/hash.h"
#include "tactus/simulation/simulator.h"

namespace tactus {

namespace {

constexpr std::array<char, 8> kMagic = {'T', 'A', 'C', 'T', 'S', 'N', 'P', '2'};

// Every part in one order, for writing, reading and hashing.
template <typename Archive, typename SnapshotRef>
void Visit(Archive& archive, SnapshotRef& s) {
  archive.Number(s.world);
  archive.Number(s.time_step);
  archive.Number(s.state.time);
  archive.Vector(s.state.q);
  archive.Vector(s.state.v);
  archive.Items(s.warm.contacts, [](Archive& a, auto& c) {
    a.Number(c.a);
    a.Number(c.b);
    a.Number(c.feature);
    for (int k = 0; k < 3; ++k) a.Number(c.impulse[k]);
  });
  archive.Items(s.warm.rows, [](Archive& a, auto& r) {
    a.Number(r.key);
    a.Number(r.impulse);
  });
  archive.Vector(s.activation);
  archive.Vector(s.control.force);
  archive.Items(s.control.drives, [](Archive& a, auto& d) {
    a.Number(d.position);
    a.Number(d.velocity);
    a.Number(d.feedforward);
  });
  archive.Vector(s.control.actuators);
  archive.Items(s.control.wrenches, [](Archive& a, auto& w) {
    for (int k = 0; k < 6; ++k) a.Number(w[k]);
  });
  archive.Items(s.controllers,
                [](Archive& a, auto& c) { a.Items(c, [](Archive& b, auto& number) { b.Number(number); }); });
  archive.Items(s.next_update, [](Archive& a, auto& n) { a.Number(n); });
  archive.Number(s.steps);
  archive.Number(s.first_step);
  archive.Number(s.first_time);
}

// At the end, and only where there are any: snapshots of rigid worlds stay as they were.
template <typename Archive, typename SnapshotRef>
void VisitDeformables(Archive& archive, SnapshotRef& s) {
  archive.Items(s.state.deformables, [](Archive& a, auto& d) {
    a.Vector(d.q);
    a.Vector(d.v);
    a.Vector(d.held_velocity);
  });
}

// Likewise, after those.
template <typename Archive, typename SnapshotRef>
void VisitSoft(Archive& archive, SnapshotRef& s) {
  archive.Vector(s.control.soft);
}

class Writer {
 public:
  template <typename T>
  void Number(const T& x) {
    static_assert(std::is_arithmetic_v<T>);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&x);
    out.insert(out.end(), bytes, bytes + sizeof x);
  }
  void Vector(const VectorX& v) {
    Number(static_cast<std::uint64_t>(v.size()));
    for (Eigen::Index k = 0; k < v.size(); ++k) Number(v[k]);
  }
  template <typename List, typename Each>
  void Items(const List& items, const Each& each) {
    Number(static_cast<std::uint64_t>(items.size()));
    for (const auto& item : items) each(*this, item);
  }
  std::vector<std::uint8_t> out;
};

class Reader {
 public:
  explicit Reader(const std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}
  template <typename T>
  void Number(T& x) {
    Need(sizeof x);
    std::memcpy(&x, bytes_.data() + at, sizeof x);
    at += sizeof x;
  }
  void Vector(VectorX& v) {
    v.resize(static_cast<Eigen::Index>(Count(sizeof(double))));
    for (Eigen::Index k = 0; k < v.size(); ++k) Number(v[k]);
  }
  template <typename List, typename Each>
  void Items(List& items, const Each& each) {
    items.resize(Count(1));
    for (auto& item : items) each(*this, item);
  }
  std::size_t at = 0;

 private:
  void Need(std::size_t size) const {
    if (size > bytes_.size() - at) throw InputError("snapshot", "ends too early", "all bytes of a snapshot");
  }
  std::size_t Count(std::size_t size) {
    std::uint64_t count = 0;
    Number(count);
    if (count > (bytes_.size() - at) / size) throw InputError("snapshot", "ends too early", "all bytes of a snapshot");
    return count;
  }
  const std::vector<std::uint8_t>& bytes_;
};

}  // namespace

std::vector<std::uint8_t> Snapshot::Serialize() const {
  Writer writer;
  writer.out.assign(kMagic.begin(), kMagic.end());
  Visit(writer, *this);
  if (!state.deformables.empty()) VisitDeformables(writer, *this);
  if (control.soft.size() > 0) VisitSoft(writer, *this);
  writer.Number(HashBytes(kHashStart, writer.out.data(), writer.out.size()));
  return writer.out;
}

Snapshot Snapshot::Deserialize(const std::vector<std::uint8_t>& bytes) {
  if (bytes.size() < kMagic.size() + 8 || !std::equal(kMagic.begin(), kMagic.end(), bytes.begin())) {
    const bool older = bytes.size() > kMagic.size() && std::equal(kMagic.begin(), kMagic.end() - 1, bytes.begin());
    if (older) throw InputError("snapshot", "is of another version of tactus", "one made by this version");
    throw InputError("snapshot", bytes.empty() ? "is empty" : "does not begin as a snapshot",
                     "what tactus run --save writes");
  }
  std::uint64_t sum = 0;
  std::memcpy(&sum, bytes.data() + bytes.size() - 8, 8);
  if (sum != HashBytes(kHashStart, bytes.data(), bytes.size() - 8)) {
    throw InputError("snapshot", "its checksum is wrong, it was changed or damaged", "all bytes as they were saved");
  }
  Reader reader(bytes);
  reader.at = kMagic.size();
  Snapshot out;
  Visit(reader, out);
  if (reader.at < bytes.size() - 8) VisitDeformables(reader, out);
  if (reader.at < bytes.size() - 8) VisitSoft(reader, out);
  if (reader.at != bytes.size() - 8) throw InputError("snapshot", "has bytes left over", "all bytes of a snapshot");
  return out;
}

Snapshot Simulator::MakeSnapshot() const {
  Snapshot out;
  out.world = CalcWorldHash();
  out.time_step = settings_.scheme.step;
  out.state = state_;
  out.warm = warm_;
  out.control = control_;
  out.activation = activation_;
  for (const std::unique_ptr<Controller>& controller : controllers_) {
    controller->Save(&out.controllers.emplace_back());
  }
  out.next_update = next_update_;
  out.steps = steps_;
  out.first_step = first_step_;
  out.first_time = first_time_;
  return out;
}

void Simulator::Restore(const Snapshot& s) {
  // Sizes alone would take a snapshot of other masses or shapes for one of this world.
  Require(s.world == CalcWorldHash(), "snapshot", "was made of another scene, or of this one before it was changed",
          "the scene it was saved from; solver, tolerance, threads and time step may differ");
  RestoreTrusted(s);
}

void Simulator::RestoreTrusted(const Snapshot& s) {
  const bool fits =
      s.state.q.size() == model_->nq() && s.state.v.size() == model_->nv() &&
      s.control.force.size() == control_.force.size() && s.control.drives.size() == control_.drives.size() &&
      s.control.actuators.size() == control_.actuators.size() && s.control.soft.size() == control_.soft.size() &&
      s.control.wrenches.size() == control_.wrenches.size() && s.activation.size() == activation_.size() &&
      s.controllers.size() == controllers_.size() && s.next_update.size() == next_update_.size();
  Require(fits, "snapshot", "does not fit the simulation", "a snapshot of the same scene");
  CheckDeformables(s.state);
  state_ = s.state;
  before_ = state_;
  kinematics_known_ = false;
  warm_ = s.warm;
  control_ = s.control;
  activation_ = s.activation;
  for (std::size_t k = 0; k < controllers_.size(); ++k) controllers_[k]->Load(s.controllers[k]);
  next_update_ = s.next_update;
  steps_ = s.steps;
  first_step_ = s.first_step;
  first_time_ = s.first_time;
  if (s.time_step != settings_.scheme.step) {
    // Steps of another length are counted from here.
    first_step_ = steps_;
    first_time_ = state_.time;
  }
}

std::uint64_t Simulator::CalcStateHash() const {
  std::uint64_t hash = kHashStart;
  const auto add = [&](const auto& x) { hash = HashBytes(hash, &x, sizeof x); };
  add(state_.time);
  hash = HashBytes(hash, state_.q.data(), sizeof(double) * static_cast<std::size_t>(state_.q.size()));
  hash = HashBytes(hash, state_.v.data(), sizeof(double) * static_cast<std::size_t>(state_.v.size()));
  for (const DeformableState& d : state_.deformables) {
    for (const VectorX* x : {&d.q, &d.v, &d.held_velocity}) {
      hash = HashBytes(hash, x->data(), sizeof(double) * static_cast<std::size_t>(x->size()));
    }
  }
  for (const WarmMemory::Contact& c : warm_.contacts) {
    add(c.a);
    add(c.b);
    add(c.feature);
    for (int k = 0; k < 3; ++k) add(c.impulse[k]);
  }
  for (const WarmMemory::Row& r : warm_.rows) {
    add(r.key);
    add(r.impulse);
  }
  return hash;
}

}  // namespace tactus
