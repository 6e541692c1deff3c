#include "tactus/generate/generator.h"

#include <cmath>
#include <cstring>
#include <set>

#include <gtest/gtest.h>

#include "tactus/contact/ncp_residual.h"
#include "tactus/generate/random_problem.h"
#include "tactus/geometry/dish_profile.h"

namespace tactus {
namespace {

void HashDoubles(const double* x, std::size_t count, std::uint64_t* hash) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x[i], sizeof bits);
    *hash = (*hash ^ bits) * 0x100000001b3u;
  }
}

// Of all numbers of a problem.
std::uint64_t Hash(const ContactProblem& p) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const VectorX diagonal = p.mass().diagonal();
  HashDoubles(diagonal.data(), diagonal.size(), &hash);
  HashDoubles(p.b().data(), p.b().size(), &hash);
  HashDoubles(p.e().data(), p.e().size(), &hash);
  HashDoubles(p.jacobian().values.data(), p.jacobian().values.size(), &hash);
  for (int i = 0; i < p.num_contacts(); ++i) HashDoubles(&p.friction(i).mu1, 1, &hash);
  for (int i = 0; i < p.num_rows(); ++i) {
    const RowLaw& law = p.law(i);
    for (const double x : {law.d, law.ke, law.lo, law.hi}) HashDoubles(&x, 1, &hash);
  }
  return hash;
}

TEST(Generators, AreDeterministicAndSeedsDiffer) {
  for (const GeneratorEntry& entry : Generators()) {
    const std::uint64_t first = Hash(Generate(entry.name, {}, 1));
    EXPECT_EQ(first, Hash(Generate(entry.name, {}, 1))) << entry.name;
    EXPECT_NE(first, Hash(Generate(entry.name, {}, 2))) << entry.name;
  }
}

TEST(Generators, FramesAreRotationsAndContactsAreGeometry) {
  for (const GeneratorEntry& entry : Generators()) {
    const ContactProblem p = Generate(entry.name, {}, 3);
    ASSERT_TRUE(p.has_geometry()) << entry.name;
    ASSERT_GT(p.num_contacts(), 0) << entry.name;
    for (const ContactGeometry& g : p.geometry()) {
      EXPECT_LT((g.frame * g.frame.transpose() - Matrix3::Identity()).cwiseAbs().maxCoeff(), 1e-14) << entry.name;
      EXPECT_NEAR(g.frame.determinant(), 1, 1e-14) << entry.name;
    }
  }
}

TEST(Generators, ProvenanceMakesTheProblemAgain) {
  EXPECT_EQ(Generate("bolt", {{"mu", 0.3}, {"contacts", 30}}, 7).provenance,
            "tactus generate bolt --seed 7 --contacts 30 --mu 0.3");
  EXPECT_EQ(Generate("bolt", {}, 7).name, "bolt");
}

TEST(Generators, RefuseWhatTheyDoNotKnow) {
  EXPECT_THROW(Generate("bolts", {}, 1), InputError);
  EXPECT_THROW(Generate("bolt", {{"radius", 1}}, 1), InputError);
  EXPECT_THROW(Generate("bolt", {{"mu", -1}}, 1), InputError);
  EXPECT_THROW(Generate("bolt", {{"mu", std::nan("")}}, 1), InputError);
  EXPECT_THROW(Generate("bolt", {{"contacts", 1.5}}, 1), InputError);
  EXPECT_THROW(Generate("bolt", {{"contacts", 0}}, 1), InputError);
  EXPECT_THROW(Generate("random", {{"bodies", 0}, {"trees", 0}, {"meshes", 0}}, 1), InputError);
}

TEST(Generators, TheLimitsOfEveryParameterAreEitherMadeOrRefused) {
  for (const GeneratorEntry& entry : Generators()) {
    for (const GeneratorParameter& parameter : entry.parameters) {
      if (parameter.integer && parameter.max > 1) continue;  // sizes: the largest take long
      for (const double value : {parameter.min, parameter.max}) {
        EXPECT_NO_THROW(Generate(entry.name, {{parameter.name, value}}, 1)) << entry.name << " " << parameter.name;
      }
    }
  }
}

TEST(Bolt, ContactsLieOnTheFlanksOfTheThread) {
  const ContactProblem p = Generate("bolt", {}, 5);
  EXPECT_EQ(p.num_contacts(), 120);
  EXPECT_EQ(p.num_dofs(), 6);
  EXPECT_DOUBLE_EQ(p.mass().dense_block(0)(0, 0), 0.3);
  int upper = 0;
  for (const ContactGeometry& g : p.geometry()) {
    const double r = g.point.head<2>().norm();
    EXPECT_GT(r, 0.0212);
    EXPECT_LT(r, 0.024);
    EXPECT_LT(std::abs(g.point.z()), 0.019 + 0.0025);
    const Vector3 n = g.frame.row(2).transpose();
    const Vector3 radial(g.point.x() / r, g.point.y() / r, 0), along(-radial.y(), radial.x(), 0);
    EXPECT_NEAR(n.dot(radial) / std::abs(n.z()), std::tan(3.14159265358979 / 6), 1e-12);
    EXPECT_NEAR(n.dot(along) / n.z(), -5e-3 / (2 * 3.14159265358979 * r), 1e-12);
    upper += n.z() > 0;
    // The helix: all points of one flank have the same z - pitch angle / 2 pi + slope (r - r_pitch), modulo the pitch.
    const double side = n.z() > 0 ? 1 : -1;
    const double middle = g.point.z() - side * (0.00125 - (r - 0.0223762025) * std::tan(3.14159265358979 / 6));
    const double turns = middle / 5e-3 - std::atan2(g.point.y(), g.point.x()) / (2 * 3.14159265358979);
    EXPECT_NEAR(turns, std::round(turns), 1e-9);
  }
  EXPECT_GT(upper, 30);
  EXPECT_LT(upper, 90);
}

TEST(Dishes, StackTouchesAndNormalsVary) {
  const ContactProblem p = Generate("dishes", {}, 1);
  EXPECT_EQ(p.num_contacts(), 100);
  EXPECT_EQ(p.num_dofs(), 24);
  std::set<long> slopes;
  int closed = 0;
  for (int i = 0; i < p.num_contacts(); ++i) {
    const ContactGeometry& g = p.geometry()[i];
    EXPECT_EQ(g.b, g.a - 1);
    EXPECT_GT(g.frame(2, 2), 0);  // the lower dish supports
    EXPECT_GE(p.e()[3 * i + 2], 0);
    slopes.insert(std::lround(1000 * g.frame(2, 2)));
    closed += p.e()[3 * i + 2] < 1e-3;
  }
  EXPECT_GE(slopes.size(), 4u);
  EXPECT_GE(closed, 20);
}

TEST(Dishes, StackHeightOfNestedBowlsIsAnalytic) {
  // Equal walls of slope alpha touch when shifted by 2 d / cos alpha.
  const DishProfile bowl{{0.035, 0}, {0.075, 0.050}, 2e-3};
  const double cosine = 0.04 / std::hypot(0.04, 0.05);
  EXPECT_NEAR(CalcStackHeight(bowl, bowl), 2 * 2e-3 / cosine, 1e-9);
  // A flat dish lies on a flat one at the sum of the half thicknesses.
  const DishProfile flat{{0.05, 0}, {0.06, 0.0}, 1e-3};
  EXPECT_NEAR(CalcStackHeight(flat, flat), 2e-3, 1e-9);
}

TEST(Dishes, ShellInertiaOfADisc) {
  const DishInertia disc = CalcDishInertia({{0.5, 0}, {1, 0}, 1e-3});
  EXPECT_NEAR(disc.axial, 0.5, 1e-4);
  EXPECT_NEAR(disc.transverse, 0.25, 1e-4);
  EXPECT_NEAR(disc.center, 0, 1e-12);
}

TEST(Pile, IsSettled) {
  for (const double spread : {0.0, 0.3}) {
    const ContactProblem p = Generate("pile", {{"spread", spread}, {"mass_ratio", 100}}, 1);
    EXPECT_EQ(p.num_dofs(), 300);
    EXPECT_GT(p.num_contacts(), 100);  // a loose cloud would have few, a settled pile about three a body
    std::set<int> touched;
    for (const ContactGeometry& g : p.geometry()) touched.insert({g.a, g.b});
    touched.erase(kWorld);
    EXPECT_GE(touched.size(), 48u);
  }
}

TEST(Chain, HasEveryKindOfRow) {
  const ContactProblem p = Generate("chain", {}, 1);
  EXPECT_EQ(p.num_contacts(), 4);
  EXPECT_EQ(p.num_rows(), 18 + 5 + 5 + 5 + 1);
  std::set<RowKind> kinds;
  for (int i = 0; i < p.num_rows(); ++i) kinds.insert(p.law(i).kind);
  EXPECT_EQ(kinds.size(), 5u);
  EXPECT_EQ(Generate("chain", {{"soft", 0}}, 1).num_rows(), 18 + 5);
}

TEST(Wedge, OffsetsPushUnlessFeasible) {
  const ContactProblem jammed = Generate("wedge", {}, 0), free = Generate("wedge", {{"feasible", 1}}, 0);
  EXPECT_EQ(jammed.num_contacts(), 8);
  for (int i = 0; i < 8; ++i) {
    EXPECT_DOUBLE_EQ(jammed.e()[3 * i + 2], -0.1);
    EXPECT_DOUBLE_EQ(free.e()[3 * i + 2], 0.1);
  }
}

TEST(RandomProblem, HasEveryKindOfSubsystemAndRow) {
  const ContactProblem p = Generate("random", {}, 1);
  EXPECT_EQ(p.num_dofs(), 5 * 6 + 7 + 24);
  std::set<SubsystemKind> subsystems;
  for (const Subsystem& s : p.mass().subsystems()) subsystems.insert(s.kind);
  EXPECT_EQ(subsystems.size(), 3u);
  std::set<RowKind> kinds;
  for (int i = 0; i < p.num_rows(); ++i) kinds.insert(p.law(i).kind);
  EXPECT_EQ(kinds.size(), 5u);
}

TEST(KnownProblem, TheJudgeAcceptsTheSolutionAndNothingElse) {
  for (int seed = 0; seed < 30; ++seed) {
    RandomSettings settings;
    settings.elliptic = seed % 2 == 1;
    settings.trees = seed % 3;
    settings.bodies = 1 + seed % 5;
    settings.contacts = 5 + seed;
    const KnownProblem known = MakeKnown(settings, seed);
    const NcpResidual residual = CalcNcpResidual(known.problem, known.impulse);
    EXPECT_LT(residual.natural_rho, 1e-12) << seed;
    EXPECT_LT(residual.natural, 1e-12) << seed;
    EXPECT_LT(residual.relative_penetration, 1e-12) << seed;
    VectorX wrong = known.impulse;
    wrong *= 1.001;
    EXPECT_GT(CalcNcpResidual(known.problem, wrong).natural_rho, 1e-6) << seed;
  }
}

TEST(KnownProblem, HasAllModes) {
  const KnownProblem known = MakeKnown({.contacts = 60}, 1);
  int count[3] = {};
  for (const ContactMode mode : CalcContactModes(known.problem, known.impulse)) ++count[static_cast<int>(mode)];
  for (const int n : count) EXPECT_GT(n, 8);
}

}  // namespace
}  // namespace tactus
