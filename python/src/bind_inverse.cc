// Contact-implicit inverse dynamics: QPCC problems.
#include <fmt/format.h>

#include "python/src/bindings.h"
#include "tactus/core/error.h"
#include "tactus/inverse/qpcc_file.h"
#include "tactus/inverse/qpcc_solver.h"

namespace tactus::python {

namespace {

struct InverseObject {
  QpccSolution solution;
  QpccReport report;
};

QpccKind ParseKind(const std::string& name) {
  for (const QpccKind kind : {QpccKind::Lcp, QpccKind::Planar, QpccKind::Ncp}) {
    if (name == tactus::ToString(kind)) return kind;
  }
  throw InputError(
      "kind", "is '" + name + "'",
      fmt::format("'{}' (friction in 3-D), '{}' (along a line) or '{}' (none)", tactus::ToString(QpccKind::Ncp),
                  tactus::ToString(QpccKind::Planar), tactus::ToString(QpccKind::Lcp)));
}

std::shared_ptr<QpccProblem> MakeProblem(const InMatrix& A, const InMatrix& B, const InVector& b, const InMatrix& C,
                                         const InMatrix& D, const InVector& g, const InVector& lower,
                                         const InVector& upper, const InVector& mu, const InVector& compliance,
                                         const std::string& kind) {
  auto out = std::make_shared<QpccProblem>();
  out->A = ToEigen(A);
  out->B = ToEigen(B);
  out->b = ToEigen(b);
  out->C = ToEigen(C);
  out->D = ToEigen(D);
  out->g = ToEigen(g);
  out->lower = ToEigen(lower);
  out->upper = ToEigen(upper);
  out->mu = ToEigen(mu);
  out->compliance = ToEigen(compliance);
  out->kind = ParseKind(kind);
  out->Validate();
  return out;
}

InverseObject Invert(const QpccProblem& problem, const QpccSettings& settings, const InverseObject* warm) {
  InverseObject out;
  const QpccSolution* start = warm ? &warm->solution : nullptr;
  if (start) {
    Require(start->actuation.size() == problem.num_actuators() && start->contact.size() == problem.num_rows(),
            "warm_start", "is of a problem of other sizes", "an answer to a problem of the same sizes");
  }
  nb::gil_scoped_release release;
  QpccWorkspace workspace;
  out.report = SolveQpcc(problem, settings, start, &workspace, &out.solution);
  return out;
}

void BindResult(nb::module_* m) {
  nb::enum_<QpccStatus>(*m, "InverseStatus", nb::is_arithmetic(), "How inverse dynamics ended.")
      .value("Solved", QpccStatus::Solved, "a stationary point that obeys the contact law")
      .value("Feasible", QpccStatus::Feasible, "obeys the contact law, but was not shown to be stationary")
      .value("Approximate", QpccStatus::Approximate, "the best iterate; see dynamics_gap")
      .value("TimeBudget", QpccStatus::TimeBudget, "ran out of time with an approximate answer")
      .value("Infeasible", QpccStatus::Infeasible, "suspected: no actuation within bounds obeys the contact law")
      .value("NumericalError", QpccStatus::NumericalError, "a factorization broke down")
      .value("InvalidInput", QpccStatus::InvalidInput, "the input was refused");
  nb::class_<InverseObject>(*m, "InverseSolution", "The answer of inverse dynamics.")
      .def_prop_ro(
          "actuation", [](const InverseObject& s) { return ToNumpy(s.solution.actuation); },
          "x_a: impulses of actuators [N s, ...]")
      .def_prop_ro(
          "contact", [](const InverseObject& s) { return ToNumpy(s.solution.contact); },
          "x_c: impulses of contacts, the normal last [N s]")
      .def_prop_ro(
          "sigma", [](const InverseObject& s) { return ToNumpy(s.solution.sigma); },
          "velocities of the contact points [m/s]")
      .def_prop_ro(
          "modes", [](const InverseObject& s) { return ListToNumpy<std::uint8_t>(s.solution.modes); },
          "ContactMode of each contact")
      .def_prop_ro("status", [](const InverseObject& s) { return s.report.status; })
      .def_prop_ro("solved", [](const InverseObject& s) { return s.report.solved(); })
      .def_prop_ro(
          "feasible", [](const InverseObject& s) { return s.report.feasible(); },
          "the contact law holds together with the dynamics")
      .def_prop_ro(
          "loss", [](const InverseObject& s) { return s.report.loss; }, "1/2 |A x_a + B x_c + b|^2")
      .def_prop_ro(
          "dynamics_gap", [](const InverseObject& s) { return s.report.dynamics_gap; },
          "largest |sigma - (C x_a + (D + R) x_c + g)| [m/s]")
      .def_prop_ro(
          "complementarity", [](const InverseObject& s) { return s.report.complementarity; },
          "violation of the contact law, relative")
      .def_prop_ro("sweeps", [](const InverseObject& s) { return s.report.sweeps; })
      .def_prop_ro(
          "time", [](const InverseObject& s) { return s.report.time; }, "[s]")
      .def_prop_ro("message", [](const InverseObject& s) { return s.report.message; })
      .def("__repr__", [](const InverseObject& s) {
        return fmt::format("<tactus.InverseSolution {}: loss {:.6g}, dynamics gap {:.3g} m/s>",
                           tactus::ToString(s.report.status), s.report.loss, s.report.dynamics_gap);
      });
}

}  // namespace

void BindInverse(nb::module_* m) {
  BindResult(m);
  nb::class_<QpccSettings>(*m, "InverseSettings")
      .def(nb::init<>())
      .def_static("real_time", &QpccSettings::RealTime)
      .def_rw("tolerance", &QpccSettings::tolerance)
      .def_rw("gap_tolerance", &QpccSettings::gap_tolerance)
      .def_rw("time_budget", &QpccSettings::time_budget)
      .def_rw("starts", &QpccSettings::starts)
      .def_rw("sweeps", &QpccSettings::sweeps)
      .def_rw("stop_at_first", &QpccSettings::stop_at_first)
      .def_rw("search_solves", &QpccSettings::search_solves)
      .def_rw("search_starts", &QpccSettings::search_starts)
      .def_rw("forward_solver", &QpccSettings::forward_solver);
  nb::class_<QpccProblem> c(*m, "InverseProblem",
                            "min 1/2 |A x_a + B x_c + b|^2 such that sigma = C x_a + (D + R) x_c + g, lower <= x_a <= "
                            "upper, and (x_c, sigma) obey the contact law. See docs/inverse.md.");
  const auto add_matrix = [&](const char* name, MatrixX QpccProblem::*member) {
    c.def_prop_ro(name, [member](const QpccProblem& p) { return ToNumpy(RowMatrixX(p.*member)); });
  };
  const auto add_vector = [&](const char* name, VectorX QpccProblem::*member) {
    c.def_prop_ro(name, [member](const QpccProblem& p) { return ToNumpy(p.*member); });
  };
  add_matrix("A", &QpccProblem::A);
  add_matrix("B", &QpccProblem::B);
  add_vector("b", &QpccProblem::b);
  add_matrix("C", &QpccProblem::C);
  add_matrix("D", &QpccProblem::D);
  add_vector("g", &QpccProblem::g);
  add_vector("lower", &QpccProblem::lower);
  add_vector("upper", &QpccProblem::upper);
  add_vector("mu", &QpccProblem::mu);
  add_vector("compliance", &QpccProblem::compliance);
  c.def_prop_ro("kind", [](const QpccProblem& p) { return std::string(tactus::ToString(p.kind)); });
  c.def_prop_ro("num_contacts", &QpccProblem::num_contacts);
  c.def_prop_ro("num_actuators", &QpccProblem::num_actuators);
  c.def(
      "write",
      [](const QpccProblem& p, const std::filesystem::path& path) {
        nb::gil_scoped_release release;
        WriteQpccFile(path, p);
      },
      nb::arg("path"), "Into an HDF5 file, bit for bit.");
  c.def("__repr__", [](const QpccProblem& p) {
    return fmt::format("<tactus.InverseProblem {}: {} tasks, {} actuators, {} contacts>", tactus::ToString(p.kind),
                       p.num_tasks(), p.num_actuators(), p.num_contacts());
  });
  m->def("make_inverse", &MakeProblem);
  m->def(
      "read_inverse",
      [](const std::string& path) {
        nb::gil_scoped_release release;
        return std::make_shared<QpccProblem>(ReadQpccFile(path));
      },
      nb::arg("path"));
  m->def("invert", &Invert, nb::arg("problem"), nb::arg("settings"), nb::arg("warm").none());
}

}  // namespace tactus::python
