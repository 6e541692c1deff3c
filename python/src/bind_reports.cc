// What steps and solves say about themselves.
#include <fmt/format.h>

#include "python/src/bindings.h"
#include "python/src/pickling.h"

namespace tactus::python {

namespace {

nb::dict StageDict(const StepReport& r) {
  nb::dict out;
  out["control"] = r.stages.control;
  out["kinematics"] = r.stages.kinematics;
  out["collision"] = r.stages.collision;
  out["assembly"] = r.stages.assembly;
  out["solve"] = r.stages.solve;
  out["integration"] = r.stages.integration;
  out["total"] = r.stages.total();
  return out;
}

void BindEnums(nb::module_* m) {
  nb::enum_<StepStatus>(*m, "StepStatus", nb::is_arithmetic(), "How a step ended.")
      .value("Ok", StepStatus::Ok, "the contact problem was solved to the tolerance")
      .value("Inaccurate", StepStatus::Inaccurate, "it was not: the state moved on with the best iterate")
      .value("SolverFailed", StepStatus::SolverFailed, "nothing moved: the solver failed, and on_failure is 'stop'")
      .value("InvalidState", StepStatus::InvalidState, "nothing moved: numbers are not finite");
  nb::enum_<SolveStatus>(*m, "SolveStatus", nb::is_arithmetic(), "How a solve ended.")
      .value("Solved", SolveStatus::Solved, "residual within the tolerance, and feasible")
      .value("AlmostSolved", SolveStatus::AlmostSolved, "residual within 100 times the tolerance")
      .value("MaxIterations", SolveStatus::MaxIterations, "ran out of iterations")
      .value("TimeBudget", SolveStatus::TimeBudget, "ran out of time")
      .value("Cancelled", SolveStatus::Cancelled, "the caller cancelled")
      .value("Stalled", SolveStatus::Stalled, "no further progress: the problem may be infeasible")
      .value("NumericalError", SolveStatus::NumericalError, "a factorization broke down")
      .value("InvalidInput", SolveStatus::InvalidInput, "the input was refused");
  nb::enum_<ContactMode>(*m, "ContactMode", nb::is_arithmetic(), "What a contact does.")
      .value("Open", ContactMode::Open)
      .value("Stick", ContactMode::Stick)
      .value("Slip", ContactMode::Slip);
}

// All fields of each, for pickle. SolveReport::choice is left out, as Python does not show it.
auto FieldsOf(NcpResidual& r) {
  static_assert(sizeof(r) == 18 * sizeof(double), "each field is listed below");
  return std::tie(r.natural_rho, r.natural_rho_mean, r.dynamics, r.natural, r.paper, r.fischer_burmeister,
                  r.row_violation, r.penetration, r.complementarity, r.cone_violation, r.slip_direction,
                  r.relative_penetration, r.relative_complementarity, r.relative_cone_violation,
                  r.relative_slip_direction, r.velocity_scale, r.impulse_scale, r.impulse_ratio);
}
auto FieldsOf(SolveReport& r) {
  return std::tie(r.status, r.iterations, r.newton_steps, r.inner_failures, r.time, r.cpu_time, r.residual, r.two_field,
                  r.solver, r.infeasible, r.message, r.history);
}
auto FieldsOf(StepReport& r) {
  return std::tie(r.status, r.message, r.time, r.contacts, r.candidates, r.merged, r.rows, r.solves, r.newton_steps,
                  r.activated, r.missed, r.retried, r.implicit_step, r.withdrawn, r.uncorrected, r.max_penetration,
                  r.solve, r.solver_iterations, r.solver_newton_steps, r.solver_time, r.solver_cpu_time,
                  r.stages.control, r.stages.kinematics, r.stages.collision, r.stages.assembly, r.stages.solve,
                  r.stages.integration);
}

void BindResidual(nb::module_* m) {
  nb::class_<NcpResidual> c(*m, "NcpResidual",
                            "How well impulses meet the law of contact, by a judge outside all solvers. 0 is exact.");
  MakePicklable(&c, [](NcpResidual& r) { return FieldsOf(r); });
  c.def_ro("natural_rho", &NcpResidual::natural_rho, "what decides, free of units: the natural map")
      .def_ro("natural_rho_mean", &NcpResidual::natural_rho_mean, "the same with one weight for all rows")
      .def_ro("dynamics", &NcpResidual::dynamics, "|A v - b - J^T lambda|, relative; 0 where v follows from lambda")
      .def_ro("natural", &NcpResidual::natural, "natural map with weight 1: the error of Siconos")
      .def_ro("fischer_burmeister", &NcpResidual::fischer_burmeister, "RMS per constraint")
      .def_ro("row_violation", &NcpResidual::row_violation, "of rigid rows [m/s]")
      .def_ro("penetration", &NcpResidual::penetration, "largest approach velocity left [m/s]")
      .def_ro("complementarity", &NcpResidual::complementarity, "max |sigma_n lambda_n| [J]")
      .def_ro("cone_violation", &NcpResidual::cone_violation, "[N s]")
      .def_ro("slip_direction", &NcpResidual::slip_direction, "power missing from maximal dissipation [J]")
      .def_prop_ro("worst", &NcpResidual::worst, "max(natural_rho, dynamics): compared with the tolerance")
      .def("__float__", &NcpResidual::worst)
      .def("__repr__", [](const NcpResidual& r) { return fmt::format("<tactus.NcpResidual {:.3g}>", r.worst()); })
      .def("__str__", &NcpResidual::Summary);
}

}  // namespace

void BindReports(nb::module_* m) {
  BindEnums(m);
  BindResidual(m);
  nb::class_<SolveReport> solve(*m, "SolveReport", "The outcome of a solve.");
  MakePicklable(&solve, [](SolveReport& r) { return FieldsOf(r); });
  solve.def_ro("status", &SolveReport::status)
      .def_prop_ro("solved", &SolveReport::solved,
                   "the residual is within the tolerance, and what contacts forbid is small beside it")
      .def_prop_ro(
          "residual", [](const SolveReport& r) { return r.residual.worst(); },
          "what the judge says, compared with the tolerance")
      .def_ro("residuals", &SolveReport::residual, "all that the judge says")
      .def_ro("iterations", &SolveReport::iterations, "outer iterations, or sweeps")
      .def_ro("newton_steps", &SolveReport::newton_steps, "linear systems solved")
      .def_ro("time", &SolveReport::time, "wall time, judging excluded [s]")
      .def_ro("cpu_time", &SolveReport::cpu_time, "processor time of the same [s]")
      .def_ro("solver", &SolveReport::solver)
      .def_ro("infeasible", &SolveReport::infeasible, "suspected")
      .def_ro("message", &SolveReport::message, "empty, or what went wrong")
      .def_prop_ro(
          "history",
          [](const SolveReport& r) {
            RowMatrixX out(static_cast<Eigen::Index>(r.history.size()), 5);
            for (Eigen::Index k = 0; k < out.rows(); ++k) {
              const HistoryEntry& h = r.history[static_cast<std::size_t>(k)];
              out.row(k) << h.iteration, h.newton_steps, h.time, h.natural_rho, h.paper;
            }
            return ToNumpy(out);
          },
          "rows of iteration, Newton steps, time [s], natural_rho, residual of the papers; with history=True only")
      .def("__repr__", [](const SolveReport& r) {
        return fmt::format("<tactus.SolveReport {}: {}, residual {:.3g}, {} iterations, {:.3g} ms>", r.solver,
                           tactus::ToString(r.status), r.residual.worst(), r.iterations, 1e3 * r.time);
      });
  nb::class_<StepReport> step(*m, "StepReport", "What a step says about itself.");
  MakePicklable(&step, [](StepReport& r) { return FieldsOf(r); });
  step.def_ro("status", &StepReport::status)
      .def_prop_ro(
          "ok", [](const StepReport& r) { return r.status == StepStatus::Ok; },
          "the contact problem was solved to the tolerance")
      .def_prop_ro("moved", &StepReport::moved, "the state is that of the end of the step")
      .def_ro("message", &StepReport::message, "why it is not ok")
      .def_ro("time", &StepReport::time, "at the end of the step [s]")
      .def_prop_ro(
          "residual", [](const StepReport& r) { return r.solve.residual.worst(); },
          "of the contact law, by the judge; compared with the tolerance")
      .def_ro("iterations", &StepReport::solver_iterations, "of all solves of the step")
      .def_ro("newton_steps", &StepReport::solver_newton_steps, "linear systems solved by all of them")
      .def_ro("contacts", &StepReport::contacts, "given to the solver")
      .def_ro("candidates", &StepReport::candidates, "found; the others cannot act in this step")
      .def_ro("merged", &StepReport::merged, "points merged into others")
      .def_ro("rows", &StepReport::rows, "scalar constraints: limits, drives, friction in joints, ...")
      .def_ro("solves", &StepReport::solves, "contact problems solved in the step")
      .def_ro("missed", &StepReport::missed, "contacts that turned out to act too late to be solved for")
      .def_ro("retried", &StepReport::retried, "with the stronger solver")
      .def_ro("max_penetration", &StepReport::max_penetration, "deepest overlap at the start of the step [m]")
      .def_ro("solver_time", &StepReport::solver_time, "of all solves [s]")
      .def_ro("solver_cpu_time", &StepReport::solver_cpu_time, "processor time of the same [s]")
      .def_prop_ro("timings", &StageDict, "seconds of the stages of the step, and in total")
      .def_ro("solve", &StepReport::solve, "of the last solve")
      .def("__repr__", [](const StepReport& r) {
        return fmt::format("<tactus.StepReport {}: t {:.6g} s, {} contacts, residual {:.3g}, {} iterations{}{}>",
                           tactus::ToString(r.status), r.time, r.contacts, r.solve.residual.worst(),
                           r.solver_iterations, r.message.empty() ? "" : "; ", r.message);
      });
}

}  // namespace tactus::python
