#include "tactus/collision/field_properties_testing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <utility>

#include "tactus/collision/collision_testing.h"
#include "tactus/collision/field_testing.h"
#include "tactus/geometry/fields/fields.h"
#include "tactus/geometry/fields/grid.h"

namespace tactus {

namespace {

constexpr int kSamples = 60;
constexpr int kMoved = 5;  // every so many poses are tried the other way round and moved, too
constexpr double kGapError = 1e-6;
constexpr int kTold = 20;  // poses that fail are printed, up to that many

struct FieldPairCase {
  std::string name;
  TestShape a, b;
  ReferenceSolid solid_a, solid_b;
  double reach;   // centres are up to that far apart [m]
  double margin;  // [m]
  bool threaded;  // every other pose next to that in which the thread fits
};

FieldPairCase MakeCase(const std::string& name) {
  const FieldPointer dish = MakeDishField({{0.035, 0}, {0.075, 0.050}, 2e-3}, 5e-3);
  const ReferenceSolid solid_dish = MakeReferenceSolid(dish);
  const TestShape box = MakeTestShape(ShapeType::Box, {0.02, 0.03, 0.01});
  const ReferenceSolid solid_box = MakeReferenceSolid(MakeBoxField(box.shape.size, 5e-3));
  if (name == "dish_box") return {name, box, MakeTestField(dish), solid_box, solid_dish, 0.12, 1e-3, false};
  if (name == "dish_sphere") {
    return {name,
            MakeTestShape(ShapeType::Sphere, {0.02, 0, 0}),
            MakeTestField(dish),
            MakeReferenceSolid(MakeSphereField(0.02, 5e-3)),
            solid_dish,
            0.12,
            1e-3,
            false};
  }
  if (name == "dish_dish") {
    return {name, MakeTestField(dish), MakeTestField(dish), solid_dish, solid_dish, 0.15, 1e-3, false};
  }
  if (name == "nut_bolt") {
    const FieldPointer nut = MakeNutField({}, {.clearance = 2e-4}, 4e-3), bolt = MakeBoltField({}, 0.06, 4e-3);
    return {
        name, MakeTestField(nut), MakeTestField(bolt), MakeReferenceSolid(nut), MakeReferenceSolid(bolt), 0.08, 5e-4,
        true};
  }
  // Two blocks with a slot between them, in cells of 2 mm.
  TriangleMesh blocks = MakeBoxMesh({0.06, 0.01, 0.03});
  const TriangleMesh second = MakeBoxMesh({0.01, 0.04, 0.03});
  for (const Vector3& p : second.vertices) blocks.vertices.push_back(p + Vector3(0, 0.06, 0));
  for (const auto& t : second.triangles) blocks.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  const FieldPointer grid = MakeGridField(blocks, {.cell = 2e-3, .cached = false}, "blocks");
  return {name, box, MakeTestField(grid), solid_box, MakeReferenceSolid(blocks, 5e-3), 0.12, 1e-3, false};
}

Pose MakePose(const FieldPairCase& c, int i, Random* random) {
  if (!c.threaded || i % 2 == 0) return MakeRandomPose(random->Uniform(0, c.reach), random);
  const double angle = random->Uniform(-3, 3);
  const Matrix3 lean = ExpRotation(2e-3 * random->Normal() * MakeRandomDirection(random)).toRotationMatrix();
  return {lean * ExpRotation(Vector3(0, 0, angle)).toRotationMatrix(),
          Vector3(0, 0, 5e-3 * angle / (2 * M_PI)) + 3e-4 * random->Normal() * MakeRandomDirection(random)};
}

double Value(const ReferenceSolid& solid, const Pose& X, const Vector3& p) {
  return solid.field->Evaluate(X.R.transpose() * (p - X.p), nullptr);
}

class Judge {
 public:
  explicit Judge(std::string pair) : pair_(std::move(pair)) {}

  void Start(int pose) {
    pose_ = pose;
    failed_ = false;
  }
  void Require(bool holds, const char* what, double value) {
    if (holds) return;
    if (!failed_) ++figures.failed;
    failed_ = true;
    if (figures.failed <= kTold) std::printf("%s, pose %d: %s %.3g\n", pair_.c_str(), pose_, what, value);
  }
  void Bound(double value, double most, const char* what, double* worst) {
    Require(value <= most, what, value);
    *worst = std::max(*worst, value);
  }

  FieldPairFigures figures;

 private:
  std::string pair_;
  int pose_ = 0;
  bool failed_ = false;
};

// One side of each point is on the one surface, as deep in the other as the gap says.
void JudgePlaces(const FieldPairCase& c, const Pose& X_WA, const ContactManifold& manifold, Judge* judge) {
  std::set<std::uint64_t> features;
  for (const ContactPoint& contact : manifold.points) {
    judge->Require(contact.point.allFinite() && std::isfinite(contact.gap), "not finite, gap", contact.gap);
    judge->Bound(std::abs(contact.normal.norm() - 1), 1e-12, "normal", &judge->figures.normal);
    judge->Require(contact.gap <= c.margin, "beyond the margin", contact.gap);
    judge->Require(features.insert(contact.feature).second, "feature twice, gap", contact.gap);
    const Vector3 on_a = contact.point + 0.5 * contact.gap * contact.normal,
                  on_b = contact.point - 0.5 * contact.gap * contact.normal;
    const double a_on_b =
        std::max(std::abs(Value(c.solid_a, X_WA, on_a)), std::abs(Value(c.solid_b, Pose(), on_a) - contact.gap));
    const double b_on_a =
        std::max(std::abs(Value(c.solid_b, Pose(), on_b)), std::abs(Value(c.solid_a, X_WA, on_b) - contact.gap));
    // A sphere whose centre is inside is as deep as that, plus its radius.
    const bool centre_inside = c.a.prepared->kind() == CollisionKind::Sphere && Value(c.solid_b, Pose(), X_WA.p) < 0;
    const double off = centre_inside ? std::abs(Value(c.solid_b, Pose(), X_WA.p) - c.a.shape.size[0] - contact.gap)
                                     : std::min(a_on_b, b_on_a);
    judge->Bound(off, 2e-9, "place", &judge->figures.place);
  }
}

// Either way round, and after a small motion.
void JudgeNeighbours(const FieldPairCase& c, const Pose& X_WA, double least, CollisionScratch* scratch, Random* random,
                     Judge* judge) {
  const CollisionShape &a = *c.a.prepared, &b = *c.b.prepared;
  FieldPairFigures& figures = judge->figures;
  ContactManifold other;
  CollideShapes(b, Pose(), a, X_WA, c.margin, scratch, &other);
  judge->Require(!other.empty(), "swapped: nothing, but gap", least);
  if (!other.empty()) judge->Bound(std::abs(Deepest(other)->gap - least), 1e-9, "swapped", &figures.swapped);
  if (!(least < c.margin - 1e-6)) return;
  Pose moved = X_WA;
  moved.p += 1e-7 * MakeRandomDirection(random);
  CollideShapes(a, moved, b, Pose(), c.margin, scratch, &other);
  judge->Require(!other.empty(), "moved: nothing, but gap", least);
  if (!other.empty()) judge->Bound(std::abs(Deepest(other)->gap - least), kGapError, "moved", &figures.moved);
}

}  // namespace

FieldPairFigures JudgeFieldPair(const std::string& name, int first, int count) {
  const FieldPairCase c = MakeCase(name);
  CollisionScratch scratch;
  ContactManifold manifold;
  Judge judge(c.name);
  FieldPairFigures& figures = judge.figures;
  for (int i = first; i < first + count; ++i) {
    judge.Start(i);
    Random random(static_cast<std::uint64_t>(i)), samples(static_cast<std::uint64_t>(i) + (1u << 30));
    const Pose X_WA = MakePose(c, i, &random);
    CollideShapes(*c.a.prepared, X_WA, *c.b.prepared, Pose(), c.margin, &scratch, &manifold);
    JudgePlaces(c, X_WA, manifold, &judge);
    const ContactPoint* found = Deepest(manifold);
    const double least = found != nullptr ? found->gap : c.margin;
    const bool shallow = least > -1e-3;
    figures.touching += found != nullptr ? 1 : 0;
    figures.shallow += found != nullptr && shallow ? 1 : 0;
    const ReferencePoint reference = FindReferencePoint(c.solid_a, X_WA, c.solid_b, Pose(), least, kSamples, &samples);
    judge.Bound(least - reference.value, kGapError, "missed", shallow ? &figures.missed : &figures.missed_deep);
    if (found != nullptr && i % kMoved == 0) JudgeNeighbours(c, X_WA, least, &scratch, &random, &judge);
  }
  return figures;
}

}  // namespace tactus
