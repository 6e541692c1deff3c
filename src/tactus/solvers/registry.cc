#include "tactus/solvers/registry.h"

#include "tactus/solvers/apgd/apgd_solver.h"
#include "tactus/solvers/auto/auto_solver.h"
#include "tactus/solvers/canal/canal_solver.h"
#include "tactus/solvers/cond/cond_solver.h"
#include "tactus/solvers/damped_newton/damped_newton_solver.h"
#include "tactus/solvers/fadmm/fadmm_solver.h"
#include "tactus/solvers/hybrid/hybrid_solver.h"
#include "tactus/solvers/nnewton/nnewton_solver.h"
#include "tactus/solvers/pgs/pgs_solver.h"
#include "tactus/solvers/pj/pj_solver.h"
#include "tactus/solvers/soft_convex/soft_convex_solver.h"
#include "tactus/solvers/subadmm/icra_solver.h"
#include "tactus/solvers/subadmm/subadmm_solver.h"
#include "tactus/solvers/tr_dogleg/tr_dogleg_solver.h"

namespace tactus {

namespace {

template <typename Solver>
std::unique_ptr<ContactSolver> Make() {
  return std::make_unique<Solver>();
}

template <Split kSplit>
std::unique_ptr<ContactSolver> MakeSplit() {
  SubadmmSettings settings;
  settings.split = kSplit;
  return std::make_unique<SubadmmSolver>(settings);
}

std::unique_ptr<ContactSolver> MakeContactSplitting() {
  return std::make_unique<SubadmmSolver>(SubadmmSettings::ContactSplitting());
}

std::unique_ptr<ContactSolver> MakeArticulated() {
  SubadmmSettings settings;
  settings.tree_solver = TreeSolver::ArticulatedBody;
  return std::make_unique<SubadmmSolver>(settings);
}

std::unique_ptr<ContactSolver> MakePgsNcg() {
  PgsSettings settings;
  settings.conjugate = true;
  return std::make_unique<PgsSolver>(settings);
}

}  // namespace

const std::vector<SolverEntry>& Solvers() {
  static const std::vector<SolverEntry> table = {
      {"hybrid",
       "the default: the exact law to 1e-8 and below; piles of a hundred bodies may take seconds or stop short", true,
       Make<HybridSolver>},
      {"auto", "subadmm where it gets there sooner, hybrid elsewhere, or one after the other; says which", true,
       Make<AutoSolver>},
      {"subadmm",
       "ADMM split by body: many bodies and robots at a cost that grows linearly, in several threads; moderate "
       "accuracy",
       true, MakeSplit<Split::Body>},
      {"cond", "large deformables: contacts decoupled on nodes, no mesh factorized; moderate accuracy", true,
       Make<CondSolver>},
      {"subadmm-aba", "subadmm along the joints of robots instead of by factors: for chains of a hundred dofs and more",
       true, MakeArticulated},
      {"subadmm-icra", "baseline: subadmm as first published, penalties by robot and object, no adaptation", true,
       Make<SubadmmIcraSolver>},
      {"canal", "augmented Lagrangian with convex Newton steps, as published; may stall where contacts slide", true,
       Make<CanalSolver>},
      {"tr-dogleg", "baseline: augmented Lagrangian, the exact law's inner equation by a trust-region method", true,
       Make<TrDoglegSolver>},
      {"damped-newton", "baseline: augmented Lagrangian, the exact law's inner equation by damped Newton", true,
       Make<DampedNewtonSolver>},
      {"nnewton", "baseline: nonsmooth Newton on Fischer-Burmeister functions; few iterations, rough with friction",
       true, Make<NnewtonSolver>},
      {"pgs", "projected Gauss-Seidel: the baseline of physics engines; quick and rough, slow on coupled contacts",
       true, Make<PgsSolver>},
      {"pgs-ncg", "projected Gauss-Seidel with conjugate-gradient acceleration", true, MakePgsNcg},
      {"pj", "projected Jacobi: every contact at once; the slowest, a baseline for parallel methods", true,
       Make<PjSolver>},
      {"apgd", "accelerated projected gradient on the convex relaxation: sliding contacts separate", false,
       Make<ApgdSolver>},
      {"fadmm", "ADMM with one factorization of the whole system: moderate accuracy at a steady cost", true,
       Make<FadmmSolver>},
      {"ccs", "baseline: ADMM with copies of contact nodes and one factorization (contact constraint splitting)", true,
       MakeContactSplitting},
      {"no-body", "baseline: subadmm split by robot and object only, plainly", true, MakeSplit<Split::Subsystem>},
      {"no-sub", "baseline: subadmm without a split, one factorization of the whole system", true,
       MakeSplit<Split::None>},
      {"soft-convex", "compliant convex contact with MuJoCo's default parameters: one minimisation, another law", false,
       Make<SoftConvexSolver>},
  };
  return table;
}

std::unique_ptr<ContactSolver> MakeSolver(const std::string& name) {
  std::string names;
  for (const SolverEntry& entry : Solvers()) {
    if (name == entry.name) return entry.make();
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw InputError("solver", "'" + name + "' is not known", "one of " + names);
}

}  // namespace tactus
