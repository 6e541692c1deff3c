#include "python/src/rollout.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "tactus/core/error.h"

namespace tactus::python {

namespace {

// Shares out numbered tasks among new threads, while the caller looks on. Tasks must not throw.
class Crew {
 public:
  using Task = std::function<void(std::int64_t index, int thread)>;

  /// False if `watch` ended it.
  bool Run(std::int64_t count, int threads, const Task& task, const std::function<bool(std::int64_t)>& watch) {
    std::vector<std::thread> workers;
    running_ = static_cast<int>(std::min<std::int64_t>(threads, std::max<std::int64_t>(count, 1)));
    const int started = running_;
    for (int t = 0; t < started; ++t) {
      workers.emplace_back([&, t] {
        for (std::int64_t k = next_++; k < count && !stop; k = next_++) task(k, t);
        const std::lock_guard<std::mutex> lock(mutex_);
        if (--running_ == 0) done_.notify_all();
      });
    }
    bool go_on = true;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      while (!done_.wait_for(lock, std::chrono::milliseconds(50), [&] { return running_ == 0; })) {
        lock.unlock();
        if (go_on && !watch(steps_done)) {
          go_on = false;
          stop = true;
        }
        lock.lock();
      }
    }
    for (std::thread& worker : workers) worker.join();
    return go_on;
  }

  std::atomic<bool> stop = false;
  std::atomic<std::int64_t> steps_done = 0;

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  std::atomic<std::int64_t> next_ = 0;
  int running_ = 0;
};

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
  std::string Run(std::int64_t index, Crew* crew, std::int64_t* step) {
    *step = 0;
    try {
      Begin(index);
      for (; *step < job_.steps && !crew->stop; ++*step) {
        const std::string failure = Step(index, *step);
        if (!failure.empty()) return failure;
        ++crew->steps_done;
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

std::vector<RolloutFailure> RunRollout(const PyModel& model, const RolloutJob& job,
                                       const std::function<bool(std::int64_t)>& watch) {
  Crew crew;
  std::vector<std::unique_ptr<RolloutWorker>> workers;
  for (int t = 0; t < job.threads; ++t) workers.push_back(std::make_unique<RolloutWorker>(model, job));
  std::mutex mutex;
  std::vector<RolloutFailure> failures;
  crew.Run(
      job.count, job.threads,
      [&](std::int64_t index, int thread) {
        std::int64_t step = 0;
        std::string message = workers[static_cast<std::size_t>(thread)]->Run(index, &crew, &step);
        if (message.empty()) return;
        const std::lock_guard<std::mutex> lock(mutex);
        failures.push_back({index, step, std::move(message)});
      },
      watch);
  std::sort(failures.begin(), failures.end(),
            [](const RolloutFailure& a, const RolloutFailure& b) { return a.index < b.index; });
  return failures;
}

std::vector<StepReport> StepAll(const std::vector<PyData*>& data, std::int64_t steps, int threads,
                                const std::function<bool(std::int64_t)>& watch) {
  Crew crew;
  std::vector<StepReport> reports(data.size());
  crew.Run(
      static_cast<std::int64_t>(data.size()), threads,
      [&](std::int64_t index, int) {
        StepReport& report = reports[static_cast<std::size_t>(index)];
        Simulator& simulator = data[static_cast<std::size_t>(index)]->simulator();
        try {
          for (std::int64_t k = 0; k < steps && !crew.stop; ++k) {
            report = simulator.Step();
            if (!report.moved()) break;
            ++crew.steps_done;
          }
        } catch (const std::exception& error) {
          report.status = StepStatus::InvalidState;
          report.message = error.what();
        }
      },
      watch);
  return reports;
}

}  // namespace tactus::python
