// Contact problems: matrices in, impulses out.
#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <map>

#include <fmt/format.h>
#include <nanobind/stl/map.h>

#include "python/src/bindings.h"
#include "python/src/pickling.h"
#include "tactus/contact/problem_file.h"
#include "tactus/core/error.h"
#include "tactus/generate/generator.h"
#include "tactus/solvers/registry.h"

namespace tactus::python {

namespace {

// A problem, and the file it came from.
struct ProblemObject {
  std::shared_ptr<const ProblemFile> file;
  const ContactProblem& problem() const { return file->problem; }
};

ProblemObject Wrap(ContactProblem problem) {
  auto file = std::make_shared<ProblemFile>();
  file->problem = std::move(problem);
  return {std::move(file)};
}

// A sparse matrix as SciPy has it: rows compressed. Nothing about it is taken on trust, and each index is read once:
// other threads of Python may write into the arrays meanwhile.
struct CsrInput {
  std::int64_t rows = 0, cols = 0;
  InIndices start, columns;
  InVector values;
};

SparseMatrix ToSparse(const char* name, const CsrInput& in) {
  constexpr std::int64_t kMost = 100000000;
  Require(in.rows >= 0 && in.rows <= kMost && in.cols >= 0 && in.cols <= kMost, name,
          fmt::format("is {} x {}", in.rows, in.cols), "at most 1e8 rows and columns");
  const std::int64_t count = static_cast<std::int64_t>(in.values.shape(0));
  Require(static_cast<std::int64_t>(in.start.shape(0)) == in.rows + 1 &&
              static_cast<std::int64_t>(in.columns.shape(0)) == count && count < 2147483647,
          name, "its arrays do not fit each other", "indptr, indices and data of a CSR matrix");
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < in.rows; ++i) {
    const std::int64_t from = in.start.data()[i], to = in.start.data()[i + 1];
    Require(from >= 0 && from <= to && to <= count, name, "indptr does not increase", "that of a CSR matrix");
    for (std::int64_t k = from; k < to; ++k) {
      const std::int64_t j = in.columns.data()[k];
      Require(j >= 0 && j < in.cols, name, fmt::format("an index is {}", j), fmt::format("0 to {}", in.cols - 1));
      triplets.emplace_back(static_cast<int>(i), static_cast<int>(j), in.values.data()[k]);
    }
  }
  SparseMatrix out(in.rows, in.cols);
  out.setFromTriplets(triplets.begin(), triplets.end());
  return out;
}

nb::tuple FromSparse(const SparseMatrix& matrix) {
  SparseMatrix m = matrix;
  m.makeCompressed();
  NewArray<double> values({static_cast<std::size_t>(m.nonZeros())});
  NewArray<int> columns({static_cast<std::size_t>(m.nonZeros())}), start({static_cast<std::size_t>(m.rows()) + 1});
  std::copy_n(m.valuePtr(), m.nonZeros(), values.data);
  std::copy_n(m.innerIndexPtr(), m.nonZeros(), columns.data);
  std::copy_n(m.outerIndexPtr(), m.rows() + 1, start.data);
  return nb::make_tuple(values.object, columns.object, start.object, m.rows(), m.cols());
}

std::vector<Friction> ToFriction(const InMatrix& mu) {
  Require(mu.shape(1) == 2, "mu", fmt::format("has {} columns", mu.shape(1)), "one coefficient a contact, or two");
  std::vector<Friction> out;
  for (std::size_t k = 0; k < mu.shape(0); ++k) out.emplace_back(mu.data()[2 * k], mu.data()[2 * k + 1]);
  return out;
}

SparseMatrix MassAsSparse(const ContactProblem& problem) {
  std::vector<Eigen::Triplet<double>> triplets;
  const MassMatrix& mass = problem.mass();
  for (int j = 0; j < mass.num_subsystems(); ++j) {
    const Subsystem& s = mass.subsystem(j);
    if (s.kind == SubsystemKind::Sparse) {
      const SparseMatrix& block = mass.sparse_block(j);
      for (int r = 0; r < block.rows(); ++r) {
        for (SparseMatrix::InnerIterator it(block, r); it; ++it) {
          triplets.emplace_back(s.dof + r, s.dof + static_cast<int>(it.col()), it.value());
        }
      }
      continue;
    }
    const auto block = mass.dense_block(j);
    for (int r = 0; r < s.size; ++r) {
      for (int c = 0; c < s.size; ++c) {
        if (block(r, c) != 0) triplets.emplace_back(s.dof + r, s.dof + c, block(r, c));
      }
    }
  }
  SparseMatrix out(problem.num_dofs(), problem.num_dofs());
  out.setFromTriplets(triplets.begin(), triplets.end());
  return out;
}

SparseMatrix JacobianAsSparse(const ContactProblem& problem) {
  std::vector<Eigen::Triplet<double>> triplets;
  const BlockRows& jacobian = problem.jacobian();
  for (int i = 0; i < problem.num_constraints(); ++i) {
    for (int r = 0; r < problem.dim(i); ++r) {
      for (int k = 0; k < jacobian.count(i); ++k) {
        triplets.emplace_back(
            problem.offset(i) + r, jacobian.cols(i)[k],
            jacobian.block(i)[static_cast<std::size_t>(r) * static_cast<std::size_t>(jacobian.count(i)) +
                              static_cast<std::size_t>(k)]);
      }
    }
  }
  SparseMatrix out(problem.size(), problem.num_dofs());
  out.setFromTriplets(triplets.begin(), triplets.end());
  return out;
}

FloatArray FrictionArray(const ContactProblem& problem) {
  RowMatrixX out(problem.num_contacts(), 2);
  for (int k = 0; k < problem.num_contacts(); ++k) out.row(k) << problem.friction(k).mu1, problem.friction(k).mu2;
  return ToNumpy(out);
}

void RequireDynamics(const ContactProblem& problem, const char* what) {
  Require(problem.has_dynamics(), what, "the problem is a Delassus pair, which has none", "W and q of it");
}

struct SolutionObject {
  ContactSolution solution;
  SolveReport report;
  int contacts = 0;
};

// Ctrl-C is noticed by the calling thread, so that what may take long is computed by another.
SolveReport SolveWatched(ContactSolver* solver, const ContactProblem& problem, SolveSettings settings,
                         const WarmStart& warm, ContactSolution* solution, bool* interrupted) {
  std::atomic<bool> cancel = false;
  settings.cancel = &cancel;
  std::future<SolveReport> answer =
      std::async(std::launch::async, [&] { return solver->Solve(problem, settings, warm, solution); });
  while (answer.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    nb::gil_scoped_acquire acquire;
    if (!*interrupted && PyErr_CheckSignals() != 0) {
      *interrupted = true;
      cancel = true;
    }
  }
  return answer.get();
}

SolutionObject Solve(const ProblemObject& self, const std::string& solver_name, const SolveSettings& settings,
                     const std::optional<InVector>& start) {
  const std::shared_ptr<const ProblemFile> kept = self.file;
  const ContactProblem& problem = kept->problem;
  WarmStart warm;
  if (start) warm.impulse = ToEigen(*start);
  SolutionObject out;
  out.contacts = problem.num_contacts();
  bool interrupted = false;
  {
    nb::gil_scoped_release release;
    const std::unique_ptr<ContactSolver> solver = MakeSolver(solver_name);
    constexpr int kLarge = 2000;
    out.report = problem.num_dofs() + problem.size() > kLarge
                     ? SolveWatched(solver.get(), problem, settings, warm, &out.solution, &interrupted)
                     : solver->Solve(problem, settings, warm, &out.solution);
  }
  if (interrupted) throw nb::python_error();
  return out;
}

NcpResidual Residual(const ProblemObject& self, const InVector& impulse, const std::optional<InVector>& velocity) {
  const ContactProblem& problem = self.problem();
  Require(static_cast<int>(impulse.shape(0)) == problem.size(), "impulse",
          fmt::format("has {} entries", impulse.shape(0)), fmt::format("{}", problem.size()));
  const VectorX lambda = ToEigen(impulse);
  if (!velocity) {
    nb::gil_scoped_release release;
    return CalcNcpResidual(problem, lambda);
  }
  RequireDynamics(problem, "velocity");
  Require(static_cast<int>(velocity->shape(0)) == problem.num_dofs(), "velocity",
          fmt::format("has {} entries", velocity->shape(0)), fmt::format("{}", problem.num_dofs()));
  const VectorX v = ToEigen(*velocity);
  nb::gil_scoped_release release;
  return CalcNcpResidual(problem, v, lambda);
}

nb::list Laws(const ContactProblem& problem) {
  nb::list out;
  for (int k = 0; k < problem.num_rows(); ++k) out.append(problem.law(k));
  return out;
}

const char* KindName(RowKind kind) {
  switch (kind) {
    case RowKind::Inequality: return "inequality";
    case RowKind::Equality: return "equality";
    case RowKind::Soft: return "soft";
    case RowKind::BoundedSoft: return "bounded_soft";
    case RowKind::DryFriction: return "dry_friction";
  }
  return "?";
}

void BindLaw(nb::module_* m) {
  nb::class_<RowLaw>(*m, "RowLaw", "The law of a scalar row: lambda = clip(-ke - d y, lo, hi), y its velocity J v.")
      .def_static("inequality", &RowLaw::Inequality, "0 <= lambda, y + e >= 0, one of them 0: a limit.")
      .def_static("equality", &RowLaw::Equality, "y + e = 0, lambda free: a hinge, a weld.")
      .def_static("soft", &RowLaw::Soft, nb::arg("d"), nb::arg("ke"), "lambda = -ke - d y: an implicit spring.")
      .def_static("bounded_soft", &RowLaw::BoundedSoft, nb::arg("d"), nb::arg("ke"), nb::arg("lo"), nb::arg("hi"),
                  "The same within bounds: a motor.")
      .def_static("dry_friction", &RowLaw::DryFriction, nb::arg("limit"), "y + e = 0 unless lambda is at +-limit.")
      .def_prop_ro("kind", [](const RowLaw& law) { return KindName(law.kind); })
      .def_ro("d", &RowLaw::d)
      .def_ro("ke", &RowLaw::ke)
      .def_ro("lo", &RowLaw::lo)
      .def_ro("hi", &RowLaw::hi)
      .def("__repr__", [](const RowLaw& law) { return fmt::format("<tactus.RowLaw {}>", KindName(law.kind)); });
}

void BindSolution(nb::module_* m) {
  nb::class_<SolveSettings>(*m, "SolveSettings")
      .def(nb::init<>())
      .def_rw("tolerance", &SolveSettings::tolerance)
      .def_rw("max_iterations", &SolveSettings::max_iterations)
      .def_rw("time_budget", &SolveSettings::time_budget)
      .def_rw("threads", &SolveSettings::threads)
      .def_rw("record_history", &SolveSettings::record_history);
  nb::class_<SolutionObject> solution(*m, "Solution", "The answer to a contact problem.");
  MakePicklable(
      &solution,
      [](SolutionObject& s) {
        return std::tie(s.solution.impulse, s.solution.velocity, s.solution.sigma, s.solution.modes, s.report,
                        s.contacts);
      },
      [](const SolutionObject& s) {
        const Eigen::Index size = s.solution.impulse.size();
        Require(s.contacts >= 0 && 3 * static_cast<Eigen::Index>(s.contacts) <= size &&
                    s.solution.modes.size() == static_cast<std::size_t>(s.contacts) && s.solution.sigma.size() == size,
                "pickle",
                fmt::format("{} contacts and {} modes, {} impulses and {} velocities", s.contacts,
                            s.solution.modes.size(), size, s.solution.sigma.size()),
                "a mode and three impulses for each contact, a velocity for each impulse");
      });
  solution
      .def_prop_ro(
          "impulse", [](const SolutionObject& s) { return ToNumpy(s.solution.impulse); },
          "lambda: contacts [t1, t2, n] first, then scalar rows [N s]")
      .def_prop_ro(
          "contact_impulse",
          [](const SolutionObject& s) {
            return ToNumpy(RowMatrixX(Eigen::Map<const RowMatrixX>(s.solution.impulse.data(), s.contacts, 3)));
          },
          "those of contacts, a row each (nc, 3)")
      .def_prop_ro(
          "velocity", [](const SolutionObject& s) { return ToNumpy(s.solution.velocity); },
          "v = A^-1 (b + J^T lambda); empty for a Delassus pair")
      .def_prop_ro(
          "sigma", [](const SolutionObject& s) { return ToNumpy(s.solution.sigma); }, "J v + e [m/s]")
      .def_prop_ro(
          "modes", [](const SolutionObject& s) { return ListToNumpy<std::uint8_t>(s.solution.modes); },
          "ContactMode of each contact: 0 open, 1 stick, 2 slip")
      .def_ro("report", &SolutionObject::report)
      .def_prop_ro("status", [](const SolutionObject& s) { return s.report.status; })
      .def_prop_ro("solved", [](const SolutionObject& s) { return s.report.solved(); })
      .def_prop_ro(
          "residual", [](const SolutionObject& s) { return s.report.residual.worst(); },
          "of the contact law, by the judge")
      .def_prop_ro("iterations", [](const SolutionObject& s) { return s.report.iterations; })
      .def("__repr__", [](const SolutionObject& s) {
        return fmt::format("<tactus.Solution {}: residual {:.3g}, {} iterations, {} contacts>",
                           tactus::ToString(s.report.status), s.report.residual.worst(), s.report.iterations,
                           s.contacts);
      });
}

void BindFiles(nb::class_<ProblemObject>* c, nb::module_* m) {
  c->def(
      "write",
      [](const ProblemObject& self, const std::filesystem::path& path, const std::string& format) {
        const std::shared_ptr<const ProblemFile> kept = self.file;
        Require(format == "tactus" || format == "fclib", "format", "is '" + format + "'", "tactus or fclib");
        nb::gil_scoped_release release;
        if (format == "fclib") {
          WriteFclibFile(path, kept->problem);
        } else {
          WriteProblemFile(path, kept->problem);
        }
      },
      nb::arg("path"), nb::arg("format") = "tactus", "Into an HDF5 file: ours, or that of the FCLib collection.");
  c->def_prop_ro(
      "format", [](const ProblemObject& self) { return std::string(tactus::ToString(self.file->format)); },
      "Of the file it came from.");
  const auto optional = [](const std::optional<VectorX>& v) -> std::optional<FloatArray> {
    if (!v) return std::nullopt;
    return ToNumpy(*v);
  };
  c->def_prop_ro(
      "guess", [optional](const ProblemObject& self) { return optional(self.file->guess); },
      "Impulses that the file has as a guess, or None.");
  c->def_prop_ro(
      "reference", [optional](const ProblemObject& self) { return optional(self.file->reference); },
      "Impulses that the file has as the solution, or None.");
  m->def(
      "read_problem",
      [](const std::string& path) {
        nb::gil_scoped_release release;
        return ProblemObject{std::make_shared<const ProblemFile>(ReadProblemFile(path))};
      },
      nb::arg("path"));
  m->def(
      "generate_problem",
      [](const std::string& kind, const std::map<std::string, double>& parameters, std::uint64_t seed) {
        nb::gil_scoped_release release;
        return Wrap(Generate(kind, parameters, seed));
      },
      nb::arg("kind"), nb::arg("parameters"), nb::arg("seed"));
  m->def("solver_table", [] {
    nb::dict out;
    for (const SolverEntry& entry : Solvers()) out[entry.name] = entry.what_for;
    return out;
  });
}

}  // namespace

void BindProblem(nb::module_* m) {
  BindLaw(m);
  BindSolution(m);
  nb::class_<CsrInput>(*m, "CsrInput")
      .def("__init__", [](CsrInput* self, std::int64_t rows, std::int64_t cols, const InIndices& start,
                          const InIndices& columns, const InVector& values) {
        new (self) CsrInput{rows, cols, start, columns, values};
      });
  nb::class_<ProblemObject> c(*m, "Problem",
                              "A contact problem A v = b + J^T lambda with (J v + e, lambda) obeying the laws of its "
                              "contacts and scalar rows, or a Delassus pair sigma = W lambda + q. It never changes.");
  c.def_prop_ro("num_contacts", [](const ProblemObject& p) { return p.problem().num_contacts(); });
  c.def_prop_ro(
      "num_rows", [](const ProblemObject& p) { return p.problem().num_rows(); }, "Scalar rows.");
  c.def_prop_ro("num_dofs", [](const ProblemObject& p) { return p.problem().num_dofs(); });
  c.def_prop_ro(
      "size", [](const ProblemObject& p) { return p.problem().size(); },
      "Entries of lambda: 3 num_contacts + num_rows.");
  c.def_prop_ro(
      "has_dynamics", [](const ProblemObject& p) { return p.problem().has_dynamics(); }, "False for a Delassus pair.");
  c.def_prop_ro("name", [](const ProblemObject& p) { return p.problem().name; });
  c.def_prop_ro("provenance", [](const ProblemObject& p) { return p.problem().provenance; });
  c.def_prop_ro(
      "e", [](const ProblemObject& p) { return ToNumpy(p.problem().e()); },
      "Velocity offsets; of a Delassus pair q [m/s].");
  c.def_prop_ro(
      "mu", [](const ProblemObject& p) { return FrictionArray(p.problem()); },
      "Friction along t1 and t2 of each contact (nc, 2).");
  c.def_prop_ro(
      "rows", [](const ProblemObject& p) { return Laws(p.problem()); }, "Laws of the scalar rows.");
  c.def_prop_ro(
      "b",
      [](const ProblemObject& p) {
        RequireDynamics(p.problem(), "b");
        return ToNumpy(p.problem().b());
      },
      "A v_free [N s].");
  c.def("_A", [](const ProblemObject& p) {
    RequireDynamics(p.problem(), "A");
    return FromSparse(MassAsSparse(p.problem()));
  });
  c.def("_J", [](const ProblemObject& p) {
    RequireDynamics(p.problem(), "J");
    return FromSparse(JacobianAsSparse(p.problem()));
  });
  c.def("_W", [](const ProblemObject& p) {
    Require(!p.problem().has_dynamics(), "W", "the problem has dynamics", "a Delassus pair");
    return FromSparse(p.problem().W());
  });
  c.def("_solve", &Solve, nb::arg("solver"), nb::arg("settings"), nb::arg("start").none());
  c.def("_residual", &Residual, nb::arg("impulse"), nb::arg("velocity").none());
  c.def("__repr__", [](const ProblemObject& p) {
    return fmt::format("<tactus.Problem '{}': {} contacts, {} rows, {} dofs>", p.problem().name,
                       p.problem().num_contacts(), p.problem().num_rows(), p.problem().num_dofs());
  });
  BindFiles(&c, m);
  m->def("problem_from_matrices", [](const CsrInput& A, const InVector& b, const CsrInput& J, const InVector& e,
                                     const InMatrix& mu, const std::vector<RowLaw>& rows) {
    nb::gil_scoped_release release;
    return Wrap(
        ContactProblem::FromMatrices(ToSparse("A", A), ToEigen(b), ToSparse("J", J), ToEigen(e), ToFriction(mu), rows));
  });
  m->def("problem_from_dense", [](const InMatrix& A, const InVector& b, const InMatrix& J, const InVector& e,
                                  const InMatrix& mu, const std::vector<RowLaw>& rows) {
    nb::gil_scoped_release release;
    return Wrap(ContactProblem::FromMatrices(MatrixX(ToEigen(A)), ToEigen(b), MatrixX(ToEigen(J)), ToEigen(e),
                                             ToFriction(mu), rows));
  });
  m->def("problem_from_delassus",
         [](const CsrInput& W, const InVector& q, const InMatrix& mu, const std::vector<RowLaw>& rows) {
           nb::gil_scoped_release release;
           ContactProblem problem = ContactProblem::FromDelassus(ToSparse("W", W), ToEigen(q), ToFriction(mu), rows);
           Require(problem.asymmetry() <= 1e-6, "W",
                   fmt::format("differs from its mirror image by {:.1e} of its largest entry", problem.asymmetry()),
                   "a symmetric matrix");
           return Wrap(std::move(problem));
         });
  m->def("last_problem", [](DataObject& data) {
    const PyData::Use use(&data);
    Require(data.simulator().steps() > 0, "problem", "there was no step yet", "a step before");
    nb::gil_scoped_release release;
    return Wrap(ContactProblem(data.simulator().problem()));
  });
}

}  // namespace tactus::python
