// Rollouts for Python.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "python/src/bindings.h"
#include "python/src/rollout.h"
#include "tactus/core/error.h"

namespace tactus::python {

namespace {

constexpr int kMostThreads = 256;

// Calls back into Python while others compute. `progress` may be None.
std::function<bool(std::int64_t)> MakeWatch(const nb::object& progress, bool* interrupted) {
  return [&progress, interrupted](std::int64_t steps) {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) {
      *interrupted = true;
      return false;
    }
    if (progress.is_none()) return true;
    PyObject* result = PyObject_CallFunction(progress.ptr(), "L", static_cast<long long>(steps));
    *interrupted = result == nullptr;
    Py_XDECREF(result);
    return !*interrupted;
  };
}

// What is computed does not depend on the number of threads, but how long it takes does.
void WarnOfRefused(int refused, int threads) {
  if (refused == 0) return;
  const std::string text = fmt::format(
      "threads: the system refused {} of {} (limits of processes, such as ulimit -u); the others did the work", refused,
      threads);
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) != 0) throw nb::python_error();
}

// Sizes whose product does not fit into memory are refused before anything is multiplied.
void CheckSizes(std::int64_t count, std::int64_t steps, std::int64_t width) {
  constexpr double kMost = 1e15;
  Require(count >= 0 && steps >= 0, "rollout", "a size is negative", "numbers >= 0");
  const double entries =
      static_cast<double>(count) * static_cast<double>(steps) * static_cast<double>(std::max<std::int64_t>(width, 1));
  Require(entries < kMost, "rollout",
          fmt::format("{} simulations of {} steps need {:.3g} numbers", count, steps, entries),
          "fewer; split it into several calls");
}

nb::tuple Rollout(const PyModel& model, const std::optional<InMatrix>& states, const std::optional<InCube>& controls,
                  std::int64_t count, std::int64_t steps, bool shared, int threads, bool sensors,
                  const nb::object& progress) {
  RolloutJob job;
  job.count = count;
  job.steps = steps;
  job.threads = threads;
  job.shared_controls = shared;
  job.width = states ? static_cast<std::int64_t>(states->shape(1)) : model.nq() + model.nv();
  Require(threads >= 1 && threads <= kMostThreads, "threads", fmt::format("is {}", threads),
          fmt::format("1 to {}", kMostThreads));
  CheckSizes(count, steps, std::max<std::int64_t>(job.width, model.num_sensor_values()));
  Require(job.width == model.nq() + model.nv() || job.width == model.num_state(), "initial_states",
          fmt::format("rows have {} entries", job.width),
          fmt::format("nq + nv = {}, or nstate = {}", model.nq() + model.nv(), model.num_state()));
  if (states) {
    Require(static_cast<std::int64_t>(states->shape(0)) == count, "initial_states", "the number of rows is wrong",
            fmt::format("{}", count));
    job.states = states->data();
  }
  if (controls) {
    Require(static_cast<std::int64_t>(controls->shape(0)) == (shared ? 1 : count) &&
                static_cast<std::int64_t>(controls->shape(1)) == steps &&
                static_cast<int>(controls->shape(2)) == model.nu(),
            "controls", "the shape is wrong", fmt::format("({}, {}, {})", shared ? 1 : count, steps, model.nu()));
    job.controls = controls->data();
  }
  const auto n = static_cast<std::size_t>(count), t = static_cast<std::size_t>(steps);
  NewArray<double> out_states({n, t, static_cast<std::size_t>(job.width)}), residual({n, t});
  NewArray<std::int8_t> status({n, t});
  NewArray<double> out_sensors({n, t, sensors ? static_cast<std::size_t>(model.num_sensor_values()) : 0});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::fill_n(out_states.data, n * t * static_cast<std::size_t>(job.width), nan);
  std::fill_n(residual.data, n * t, nan);
  std::fill_n(status.data, n * t, static_cast<std::int8_t>(-1));
  if (sensors) std::fill_n(out_sensors.data, n * t * static_cast<std::size_t>(model.num_sensor_values()), nan);
  job.out_states = out_states.data;
  job.out_residual = residual.data;
  job.out_status = status.data;
  if (sensors) job.out_sensors = out_sensors.data;
  bool interrupted = false;
  RolloutOutcome outcome;
  {
    const auto watch = MakeWatch(progress, &interrupted);
    nb::gil_scoped_release release;
    outcome = RunRollout(model, job, watch);
  }
  if (interrupted) throw nb::python_error();
  WarnOfRefused(outcome.refused_threads, threads);
  nb::list failed;
  for (const RolloutFailure& f : outcome.failures) failed.append(nb::make_tuple(f.index, f.step, f.message));
  return nb::make_tuple(out_states.object, status.object, residual.object, out_sensors.object, failed);
}

nb::list StepBatch(const std::vector<DataObject*>& data, std::int64_t nstep, int threads) {
  Require(nstep >= 1 && nstep <= 1000000000, "nstep", fmt::format("is {}", nstep), "1 to 1e9");
  Require(threads >= 1 && threads <= kMostThreads, "threads", fmt::format("is {}", threads),
          fmt::format("1 to {}", kMostThreads));
  std::vector<std::unique_ptr<PyData::Use>> uses;
  std::vector<PyData*> pointers;
  for (std::size_t k = 0; k < data.size(); ++k) {
    const std::string name = fmt::format("data[{}]", k);
    Require(data[k] != nullptr, name, "is None", "a list of Data");
    const auto same = std::find(pointers.begin(), pointers.end(), data[k]);
    Require(same == pointers.end(), name, fmt::format("is data[{}]", same - pointers.begin()), "each Data once");
    try {
      uses.push_back(std::make_unique<PyData::Use>(data[k]));
      data[k]->Gather();
    } catch (const InputError& error) {
      throw InputError(name + ": " + error.what());
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(name + ": " + error.what());
    }
    pointers.push_back(data[k]);
  }
  bool interrupted = false;
  BatchOutcome outcome;
  {
    const nb::object none = nb::none();
    const auto watch = MakeWatch(none, &interrupted);
    nb::gil_scoped_release release;
    outcome = StepAll(pointers, nstep, threads, watch);
  }
  nb::list out;
  for (std::size_t k = 0; k < data.size(); ++k) {
    data[k]->Scatter();
    data[k]->SetReport(outcome.reports[k]);
    out.append(outcome.reports[k]);
  }
  if (interrupted) throw nb::python_error();
  WarnOfRefused(outcome.refused_threads, threads);
  return out;
}

}  // namespace

void BindRollout(nb::module_* m) {
  m->def("rollout", &Rollout, nb::arg("model"), nb::arg("states").none(), nb::arg("controls").none(), nb::arg("count"),
         nb::arg("steps"), nb::arg("shared"), nb::arg("threads"), nb::arg("sensors"), nb::arg("progress").none());
  m->def("step_batch", &StepBatch, nb::arg("data"), nb::arg("nstep") = 1, nb::arg("threads") = 1,
         "Steps several Data at a time on C++ threads, the same for any number of them: what a vector of environments "
         "needs. Each must be there once. Returns a report for each. Exceptions say which one it was: data[3]: ...");
}

}  // namespace tactus::python
