#include "python/src/rollout.h"

#include <algorithm>
#include <exception>
#include <mutex>

#include <fmt/format.h>

#include "python/src/crew.h"
#include "tactus/core/error.h"

namespace tactus::python {

namespace {

// One simulation after the other in the same memory.
class RolloutWorker {
 public:
  RolloutWorker(const PyModel& model, const RolloutJob& job) : model_(model), job_(job) {}
  ~RolloutWorker() {
    if (simulation_.simulator) model_.GiveBack(std::move(simulation_));
  }
  RolloutWorker(const RolloutWorker&) = delete;
  RolloutWorker& operator=(const RolloutWorker&) = delete;

  /// Empty, or why it ended early; `step`: at which step.
  std::string Run(Crew::Call* call, std::int64_t index, int thread, std::int64_t* step) {
    *step = 0;
    try {
      Begin(index);
      for (; *step < job_.steps && call->GoOn(thread); ++*step) {
        const std::string failure = Step(index, *step);
        if (!failure.empty()) return failure;
        call->Count();
      }
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  }

 private:
  void Begin(std::int64_t index) {
    if (!simulation_.simulator) {
      simulation_ = model_.TakeSimulation();
      state_ = simulation_.simulator->state();
    } else {
      simulation_.simulator->RestoreTrusted(model_.start());
    }
    if (job_.states == nullptr) return;
    state_ = model_.start().state;
    WriteState(job_.states + index * job_.width, full(), &state_);
    CheckState(model_.model(), &state_);
    simulation_.simulator->SetState(state_);
  }

  std::string Step(std::int64_t index, std::int64_t step) {
    Simulator& simulator = *simulation_.simulator;
    const std::int64_t at = index * job_.steps + step;
    if (job_.controls != nullptr) {
      const double* ctrl = job_.controls + (job_.shared_controls ? step : at) * model_.nu();
      RequireFinite("control", ctrl, model_.nu());
      WriteControl(model_, ctrl, &simulator);
    }
    const StepReport report = simulator.Step();
    job_.out_status[at] = static_cast<std::int8_t>(report.status);
    job_.out_residual[at] = report.solve.residual.worst();
    if (!report.moved()) return report.message.empty() ? tactus::ToString(report.status) : report.message;
    ReadState(simulator.state(), full(), job_.out_states + at * job_.width);
    if (job_.out_sensors != nullptr) {
      double* out = job_.out_sensors + at * model_.num_sensor_values();
      for (const SceneProbe& probe : simulation_.probes) {
        CalcProbe(simulator, probe, out);
        out += probe.size;
      }
    }
    return "";
  }

  bool full() const { return job_.width == model_.num_state(); }

  const PyModel& model_;
  const RolloutJob& job_;
  SceneSimulation simulation_;
  State state_;
};

}  // namespace

RolloutOutcome RunRollout(const PyModel& model, const RolloutJob& job, const std::function<bool(std::int64_t)>& watch) {
  const CrewLease crew;
  std::vector<std::unique_ptr<RolloutWorker>> workers;
  for (int t = 0; t < job.threads; ++t) workers.push_back(std::make_unique<RolloutWorker>(model, job));
  std::mutex mutex;
  RolloutOutcome out;
  out.refused_threads = crew->Run(
      job.count, job.threads,
      [&](Crew::Call* call, std::int64_t index, int thread) {
        std::int64_t step = 0;
        std::string message = workers[static_cast<std::size_t>(thread)]->Run(call, index, thread, &step);
        if (message.empty()) return;
        const std::lock_guard<std::mutex> lock(mutex);
        out.failures.push_back({index, step, std::move(message)});
      },
      watch);
  std::sort(out.failures.begin(), out.failures.end(),
            [](const RolloutFailure& a, const RolloutFailure& b) { return a.index < b.index; });
  return out;
}

BatchOutcome StepAll(const std::vector<PyData*>& data, std::int64_t steps, int threads,
                     const std::function<bool(std::int64_t)>& watch) {
  const CrewLease crew;
  BatchOutcome out;
  out.reports.resize(data.size());
  out.refused_threads = crew->Run(
      static_cast<std::int64_t>(data.size()), threads,
      [&](Crew::Call* call, std::int64_t index, int thread) {
        StepReport& report = out.reports[static_cast<std::size_t>(index)];
        Simulator& simulator = data[static_cast<std::size_t>(index)]->simulator();
        try {
          for (std::int64_t k = 0; k < steps && call->GoOn(thread); ++k) {
            report = simulator.Step();
            if (!report.moved()) break;
            call->Count();
          }
        } catch (const std::exception& error) {
          report.status = StepStatus::InvalidState;
          report.message = error.what();
        }
      },
      watch);
  return out;
}

}  // namespace tactus::python
