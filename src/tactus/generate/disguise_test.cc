#include "tactus/generate/disguise.h"

#include <gtest/gtest.h>

#include "tactus/contact/delassus_matrix.h"
#include "tactus/contact/ncp_residual.h"
#include "tactus/generate/random_problem.h"

namespace tactus {
namespace {

// The Delassus pair of a problem with dynamics, column by column.
ContactProblem MakeDelassusTwin(const ContactProblem& p) {
  const int m = p.size();
  VectorX q, column;
  p.CalcSigma(VectorX::Zero(m), &q);
  MatrixX W(m, m);
  for (int i = 0; i < m; ++i) {
    p.CalcSigma(VectorX::Unit(m, i), &column);
    W.col(i) = column - q;
  }
  std::vector<Friction> friction;
  std::vector<RowLaw> laws;
  friction.reserve(p.num_contacts());
  laws.reserve(p.num_rows());
  for (int i = 0; i < p.num_contacts(); ++i) friction.push_back(p.friction(i));
  for (int i = 0; i < p.num_rows(); ++i) laws.push_back(p.law(i));
  return ContactProblem::FromDelassus(SparseMatrix(W.sparseView()), q, friction, laws);
}

void CheckDisguise(const ContactProblem& p, const VectorX& solution) {
  for (const double mass_unit : {1.0, 1e3, 1e-3}) {
    for (const double time_unit : {1.0, 60.0}) {
      const DisguisedProblem d = Disguise(p, 5, {.mass_unit = mass_unit, .time_unit = time_unit});
      const VectorX disguised = d.Apply(solution);
      EXPECT_LT((d.Restore(disguised) - solution).cwiseAbs().maxCoeff(), 1e-14);
      // A solution stays one, and the residual of a wrong answer does not depend on the words.
      EXPECT_LT(CalcNcpResidual(d.problem, disguised).natural_rho, 1e-12);
      VectorX wrong = solution;
      for (int i = 0; i < wrong.size(); ++i) wrong[i] += 0.01 * (i % 5 - 2);
      const double before = CalcNcpResidual(p, wrong).natural_rho;
      EXPECT_GT(before, 1e-4);
      EXPECT_NEAR(CalcNcpResidual(d.problem, d.Apply(wrong)).natural_rho, before, 1e-10 * before);
    }
  }
}

TEST(Disguise, ProblemsWithDynamics) {
  const KnownProblem known = MakeKnown({.elliptic = true}, 3);
  CheckDisguise(known.problem, known.impulse);
  EXPECT_TRUE(Disguise(known.problem, 1).problem.has_geometry());
}

TEST(Disguise, DelassusPairsWithoutSoftRows) {
  // A Delassus pair holds q = J v_free + e; soft laws, which use y = J v alone, need e apart.
  const KnownProblem known = MakeKnown({.rows = 0}, 4);
  const ContactProblem twin = MakeDelassusTwin(known.problem);
  CheckDisguise(twin, known.impulse);
}

TEST(Disguise, ContactsAreReallyPermutedAndTurned) {
  const ContactProblem p = MakeRandom({}, 1);
  const DisguisedProblem d = Disguise(p, 2);
  int moved = 0, turned = 0;
  for (int k = 0; k < p.num_contacts(); ++k) {
    moved += d.original[k] != k;
    turned += (d.problem.geometry()[k].frame - p.geometry()[d.original[k]].frame).cwiseAbs().maxCoeff() > 1e-3;
  }
  EXPECT_GT(moved, p.num_contacts() / 2);
  EXPECT_GT(turned, p.num_contacts() / 2);
  EXPECT_THROW(Disguise(p, 2, {.mass_unit = 0}), InputError);
}

}  // namespace
}  // namespace tactus
