#include "tactus/control/soft_controller.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "tactus/core/error.h"
#include "tactus/core/timer.h"

namespace tactus {

namespace {

constexpr const char* kSnapshot = "snapshot";

void Append(const VectorX& v, std::vector<double>* out) {
  out->push_back(static_cast<double>(v.size()));
  out->insert(out->end(), v.data(), v.data() + v.size());
}

// Reads what Append wrote.
struct Reader {
  const std::vector<double>& in;
  std::size_t at = 0;

  double Next() {
    Require(at < in.size(), kSnapshot, "a soft controller's part is too short", "one of this scene");
    return in[at++];
  }
  std::size_t Count() {
    const double n = Next();
    Require(n >= 0 && n <= static_cast<double>(in.size()), kSnapshot, "a soft controller's part is broken",
            "one of this scene");
    return static_cast<std::size_t>(n);
  }
  void Read(VectorX* out) {
    out->resize(static_cast<Eigen::Index>(Count()));
    for (double& x : *out) x = Next();
  }
};

}  // namespace

bool SoftController::ContactKey::operator<(const ContactKey& other) const {
  return std::tie(a, b, feature) < std::tie(other.a, other.b, other.feature);
}

QpccSettings SoftControllerSettings::MakeControlSolve() {
  QpccSettings out;
  out.starts = 1;
  // Soft problems like equal penalties.
  out.penalties[0] = {0.1, 0.1, 0.1};
  out.search_solves = 0;
  return out;
}

void SoftControllerSettings::Validate() const {
  inverse.Validate();
  solve.Validate();
  activation.Validate();
}

SoftController::SoftController(const Simulator& simulator, const SoftControllerSettings& settings)
    : settings_(settings), inverse_(simulator, settings.inverse, settings.tasks) {
  settings_.Validate();
  report_.inputs = VectorX::Zero(static_cast<Eigen::Index>(simulator.soft_actuators().size()));
  report_.places.assign(settings_.tasks.size(), Vector3::Zero());
  report_.expected = report_.places;
}

void SoftController::MakeWarmStart() {
  warm_.actuation = solution_.actuation;
  warm_.y_actuation = solution_.y_actuation;
  const auto m = static_cast<Eigen::Index>(3 * keys_.size());
  for (VectorX* v : {&warm_.contact, &warm_.sigma, &warm_.y_contact, &warm_.y_sigma}) v->setZero(m);
  warm_.modes.assign(keys_.size(), ContactMode::Open);
  order_.resize(last_keys_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::sort(order_.begin(), order_.end(), [&](std::size_t x, std::size_t y) { return last_keys_[x] < last_keys_[y]; });
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const auto known = std::lower_bound(order_.begin(), order_.end(), keys_[i],
                                        [&](std::size_t k, const ContactKey& key) { return last_keys_[k] < key; });
    if (known == order_.end() || !(last_keys_[*known] == keys_[i])) continue;
    const auto to = static_cast<Eigen::Index>(3 * i), from = static_cast<Eigen::Index>(3 * *known);
    warm_.contact.segment<3>(to) = solution_.contact.segment<3>(from);
    warm_.sigma.segment<3>(to) = solution_.sigma.segment<3>(from);
    warm_.y_contact.segment<3>(to) = solution_.y_contact.segment<3>(from);
    warm_.y_sigma.segment<3>(to) = solution_.y_sigma.segment<3>(from);
    warm_.modes[i] = solution_.modes[*known];
  }
}

void SoftController::Update(const Simulator& simulator, Control* control) {
  const ThreadCpuTimer timer;
  const bool assembled = inverse_.Assemble(simulator.state(), control->soft);
  report_.time = simulator.time();
  report_.solve = {};
  std::swap(keys_, last_keys_);
  keys_.clear();
  for (const ContactState& c : inverse_.contacts()) keys_.push_back({c.object_a, c.object_b, c.geometry.feature});
  report_.assembly_cpu_time = timer.seconds();
  ++updates_;
  if (assembled) {
    const bool known = solution_.actuation.size() == inverse_.problem().num_actuators();
    if (known) MakeWarmStart();
    report_.solve = SolveQpccByActivation(inverse_.problem(), settings_.solve, settings_.activation,
                                          known ? &warm_ : nullptr, &workspace_, &solution_);
  }
  const QpccStatus status = report_.solve.status;
  if (status == QpccStatus::InvalidInput || status == QpccStatus::NumericalError) {
    // Actuators go on as they are, and the next update starts cold.
    solution_ = {};
    keys_.clear();
    report_.modes.clear();
    return;
  }
  inverse_.CalcInputs(solution_, &report_.inputs);
  report_.modes = solution_.modes;
  for (std::size_t t = 0; t < settings_.tasks.size(); ++t) {
    report_.places[t] = inverse_.CalcEffector(t);
    report_.expected[t] = inverse_.CalcNextEffector(t, solution_);
  }
  control->soft = report_.inputs;
}

void SoftController::Save(std::vector<double>* state) const {
  state->push_back(static_cast<double>(keys_.size()));
  for (const ContactKey& key : keys_) {
    // A number of 64 bits in two halves, each exact as a double.
    for (const double x : {static_cast<double>(key.a), static_cast<double>(key.b),
                           static_cast<double>(key.feature >> 32), static_cast<double>(key.feature & 0xffffffffu)}) {
      state->push_back(x);
    }
  }
  for (const VectorX* v : {&solution_.actuation, &solution_.contact, &solution_.sigma, &solution_.y_actuation,
                           &solution_.y_contact, &solution_.y_sigma}) {
    Append(*v, state);
  }
  for (const ContactMode mode : solution_.modes) state->push_back(static_cast<double>(mode));
}

void SoftController::Load(const std::vector<double>& state) {
  Reader in{state};
  keys_.resize(in.Count());
  for (ContactKey& key : keys_) {
    key.a = static_cast<int>(in.Next());
    key.b = static_cast<int>(in.Next());
    key.feature = static_cast<std::uint64_t>(in.Next()) << 32;
    key.feature |= static_cast<std::uint64_t>(in.Next());
  }
  for (VectorX* v : {&solution_.actuation, &solution_.contact, &solution_.sigma, &solution_.y_actuation,
                     &solution_.y_contact, &solution_.y_sigma}) {
    in.Read(v);
  }
  const auto m = static_cast<Eigen::Index>(3 * keys_.size());
  for (const VectorX* v : {&solution_.contact, &solution_.sigma, &solution_.y_contact, &solution_.y_sigma}) {
    Require(v->size() == m || solution_.actuation.size() == 0, kSnapshot, "a soft controller's part does not fit",
            "one of this scene");
  }
  solution_.modes.resize(keys_.size());
  for (ContactMode& mode : solution_.modes) mode = static_cast<ContactMode>(std::clamp(in.Next(), 0.0, 2.0));
}

}  // namespace tactus
