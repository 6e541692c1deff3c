#include "tactus/control/soft_sampling.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/core/random.h"

namespace tactus {

namespace {

// Tensions and pressures go over to the next extreme, velocities of motors jump there.
class Extremes {
 public:
  Extremes(const Simulator& simulator, const SoftSampleSettings& settings, Random* random)
      : actuators_(simulator.soft_actuators()), settings_(settings), random_(random) {
    from_ = to_ = simulator.control().soft;
  }

  VectorX Next() {
    if (at_ == settings_.ramp + settings_.hold || first_) {
      first_ = false;
      at_ = 0;
      from_ = to_;
      for (std::size_t i = 0; i < actuators_.size(); ++i) {
        const SoftActuator& a = actuators_[i];
        const double upper = std::isfinite(a.upper) ? a.upper : 1, lower = std::isfinite(a.lower) ? a.lower : -1;
        to_[static_cast<Eigen::Index>(i)] = random_->Uniform(0, 1) < 0.5 ? lower : upper;
      }
    }
    ++at_;
    const double s = std::min(1.0, static_cast<double>(at_) / settings_.ramp);
    VectorX out = (1 - s) * from_ + s * to_;
    for (std::size_t i = 0; i < actuators_.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      if (actuators_[i].is_motor()) out[k] = at_ <= settings_.ramp ? to_[k] : 0;
    }
    return out;
  }

 private:
  const std::vector<SoftActuator>& actuators_;
  const SoftSampleSettings& settings_;
  Random* random_;
  VectorX from_, to_;
  int at_ = 0;
  bool first_ = true;
};

Vector3 DrawGoal(const Vector3& place, const Vector3& velocity, double h, double reach, Random* random) {
  Vector3 direction;
  do {
    for (double& x : direction) x = random->Uniform(-1, 1);
  } while (direction.norm() > 1 || direction.norm() < 1e-3);
  return place + h * velocity + random->Uniform(0, reach) * direction.normalized();
}

}  // namespace

void SoftSampleSettings::Validate() const {
  const auto check = [](bool ok, const char* what, double value, const char* expected) {
    if (!ok) throw InputError(what, fmt::format("is {:g}", value), expected);
  };
  check(count >= 1, "count", count, "1 or more");
  check(ramp >= 1, "ramp", ramp, "1 or more");
  check(hold >= 0, "hold", hold, "0 or more");
  check(every >= 1, "every", every, "1 or more");
  check(least_contacts >= 0, "least_contacts", least_contacts, "0 or more");
  check(most_contacts >= least_contacts, "most_contacts", most_contacts, "least_contacts or more");
  check(std::isfinite(reach) && reach >= 0, "reach", reach, "a number >= 0 [m]");
  check(patience >= 1, "patience", patience, "1 or more");
  check(most_steps >= 1, "most_steps", most_steps, "1 or more");
}

int SampleSoftProblems(const SoftSampleSettings& settings, Simulator* simulator, SoftInverse* inverse,
                       const std::function<void(const SoftSample&)>& take) {
  settings.Validate();
  const double h = inverse->settings().period;
  const auto steps = std::max<long>(1, std::lround(h / simulator->settings().scheme.step));
  Random random(settings.seed);
  Extremes extremes(*simulator, settings, &random);
  const Snapshot start = simulator->MakeSnapshot();
  std::vector<Vector3> last;
  int taken = 0, passed_over = 0;
  for (int k = 0; k < settings.most_steps && taken < settings.count; ++k) {
    last.clear();
    for (const SoftTask& task : inverse->tasks()) last.push_back(CalcEffectorPlace(*simulator, task));
    simulator->control().soft = extremes.Next();
    for (long n = 0; n < steps; ++n) {
      if (!simulator->Step().moved()) return taken;
    }
    if ((k + 1) % settings.every != 0) continue;
    for (std::size_t t = 0; t < last.size(); ++t) {
      const Vector3 place = CalcEffectorPlace(*simulator, inverse->tasks()[t]);
      inverse->SetGoal(t, DrawGoal(place, (place - last[t]) / h, h, settings.reach, &random));
    }
    if (!inverse->Assemble(simulator->state(), simulator->control().soft)) continue;
    const int contacts = inverse->problem().num_contacts();
    if (contacts < settings.least_contacts || contacts > settings.most_contacts) {
      if (++passed_over < settings.patience) continue;
      simulator->Restore(start);
      passed_over = 0;
      continue;
    }
    passed_over = 0;
    take({taken, k + 1, simulator->time(), inverse->problem(), *inverse});
    ++taken;
  }
  return taken;
}

}  // namespace tactus
