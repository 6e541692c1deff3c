// Distance or depth of convex pairs by our GJK and EPA, by libccd and by FCL, on the same poses.
//
//   collision_compare [poses per row, 1000]
//
// Scenes: `near` (0 to 0.1 m apart), `shallow` (up to 1 mm deep), `rest` (faces on each other, turned by 1e-6 rad, 10
// um apart or deep), `deep` (centres close). The reference is the greatest separation over all directions
// (collision_testing.h): those that a search finds, and those of all answers, measured on the definition of the shapes.
//
//   died     ended the process (an assertion inside the library)
//   none     no answer, or not finite; libccd has none where shapes are apart
//   wrong    gap off by more than 1e-4 m
//   median, worst   error of the gap [m], of all that answered
//   normal   worst loss of separation along the normal returned [m]; -: none was returned
//   us       mean processor time [us]; "manifold" is our whole CollideShapes, contact points included
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "bench/collision/peers.h"
#include "tactus/collision/collision_testing.h"
#include "tactus/core/timer.h"

namespace tactus {
namespace {

class OurPeer : public Peer {
 public:
  explicit OurPeer(bool manifold) : whole_(manifold) {}
  std::string name() const override { return whole_ ? "ours, manifold" : "ours"; }
  void Prepare(const Shape& a, const Shape& b) override {
    a_ = CollisionShape::Make(a, "a");
    b_ = CollisionShape::Make(b, "b");
  }
  PeerAnswer Ask(const Pose& X_WA, const Pose& X_WB) override {
    if (whole_) {
      CollideShapes(*a_, X_WA, *b_, X_WB, 1, &scratch_, &manifold_);
      const ContactPoint* deepest = Deepest(manifold_);
      if (deepest == nullptr) return {};
      return {true, deepest->gap, true, deepest->normal};
    }
    const Pose X_AB(X_WA.R.transpose() * X_WB.R, X_WA.R.transpose() * (X_WB.p - X_WA.p));
    MinkowskiDifference difference(a_->core(), b_->core(), X_AB);
    const CoreSeparation separation = CalcSeparation(&difference, 1, &scratch_.convex);
    return {separation.within, separation.gap, true, X_WA.R * separation.normal};
  }

 private:
  bool whole_;
  std::shared_ptr<const CollisionShape> a_, b_;
  CollisionScratch scratch_;
  ContactManifold manifold_;
};

struct Sample {
  TestShape a, b;
  Pose X_WA, X_WB;
};

// Poses for a scene: found by moving a along our own normal; the reference is computed for the pose that comes out.
Sample MakeSample(ShapeType type_a, ShapeType type_b, const std::string& scene, Random* random) {
  Sample s{MakeRandomShape(type_a, random), MakeRandomShape(type_b, random), {}, {}};
  if (scene == "deep") {
    s.X_WA = MakeRandomPose(random->Uniform(0, 0.2), random);
    s.X_WB = MakeRandomPose(0, random);
    return s;
  }
  CollisionScratch scratch;
  ContactManifold manifold;
  s.X_WB = MakeRandomPose(0, random);
  if (scene == "rest") {
    const Vector3 tilt(1e-6 * random->Normal(), 1e-6 * random->Normal(), random->Normal());
    s.X_WA = Pose(s.X_WB.R * ExpRotation(tilt).toRotationMatrix(), s.X_WB.R * Vector3(0.05, 0.02, 0.5));
  } else {
    s.X_WA = MakeRandomPose(0.8, random);
  }
  const double gap = scene == "near" ? random->Uniform(0, 0.1)
                                     : (scene == "shallow" ? random->Uniform(-1e-3, 0) : random->Uniform(-1e-5, 1e-5));
  for (int i = 0; i < 3; ++i) {
    CollideShapes(*s.a.prepared, s.X_WA, *s.b.prepared, s.X_WB, 10, &scratch, &manifold);
    const ContactPoint* deepest = Deepest(manifold);
    if (deepest != nullptr) s.X_WA.p += (gap - deepest->gap) * deepest->normal;
  }
  return s;
}

// Whether asking does not end the process, tried in a child.
bool Survives(Peer* peer, const Sample& s) {
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
    peer->Ask(s.X_WA, s.X_WB);
    _exit(0);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct Figures {
  int asked = 0, died = 0, none = 0, wrong = 0;
  std::vector<double> errors;
  double normal_loss = -1, seconds = 0;
};

std::string Text(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0e", x);
  return x < 0 ? "-" : text;
}

void Compare(ShapeType type_a, ShapeType type_b, const std::string& scene, int poses) {
  std::vector<std::unique_ptr<Peer>> peers;
  peers.push_back(std::make_unique<OurPeer>(false));
  peers.push_back(std::make_unique<OurPeer>(true));
  for (auto& peer : MakePeers()) peers.push_back(std::move(peer));
  std::vector<Figures> figures(peers.size());
  Random random(11);
  for (int i = 0; i < poses; ++i) {
    const Sample s = MakeSample(type_a, type_b, scene, &random);
    std::vector<PeerAnswer> answers;
    double reference = ReferenceGap(s.a.shape, s.X_WA, s.b.shape, s.X_WB);
    for (std::size_t k = 0; k < peers.size(); ++k) {
      peers[k]->Prepare(s.a.shape, s.b.shape);
      if (peers[k]->may_die() && !Survives(peers[k].get(), s)) {
        ++figures[k].died;
        answers.emplace_back();
        continue;
      }
      ++figures[k].asked;
      peers[k]->Ask(s.X_WA, s.X_WB);  // warm
      constexpr int kRepeats = 3;
      const ThreadCpuTimer timer;
      for (int r = 0; r < kRepeats - 1; ++r) peers[k]->Ask(s.X_WA, s.X_WB);
      answers.push_back(peers[k]->Ask(s.X_WA, s.X_WB));
      figures[k].seconds += timer.seconds() / kRepeats;
      const PeerAnswer& answer = answers.back();
      if (answer.answered && answer.has_normal && answer.normal.allFinite()) {
        reference =
            std::max(reference, ReferenceSeparation(s.a.shape, s.X_WA, s.b.shape, s.X_WB, answer.normal.normalized()));
      }
    }
    for (std::size_t k = 0; k < peers.size(); ++k) {
      Figures& f = figures[k];
      if (!answers[k].answered || !std::isfinite(answers[k].gap)) {
        ++f.none;
        continue;
      }
      const double error = std::abs(answers[k].gap - reference);
      f.errors.push_back(error);
      f.wrong += error > 1e-4 ? 1 : 0;
      if (!answers[k].has_normal || !answers[k].normal.allFinite()) continue;
      const Vector3 n = answers[k].normal.normalized();
      f.normal_loss = std::max(f.normal_loss, reference - ReferenceSeparation(s.a.shape, s.X_WA, s.b.shape, s.X_WB, n));
    }
  }
  for (std::size_t k = 0; k < peers.size(); ++k) {
    Figures& f = figures[k];
    std::sort(f.errors.begin(), f.errors.end());
    const double median = f.errors.empty() ? -1 : f.errors[f.errors.size() / 2];
    const double worst = f.errors.empty() ? -1 : f.errors.back();
    std::printf("| %s, %s | %s | %s | %d | %d | %d | %s | %s | %s | %.1f |\n", ToString(type_a), ToString(type_b),
                scene.c_str(), peers[k]->name().c_str(), f.died, f.none - f.died, f.wrong, Text(median).c_str(),
                Text(worst).c_str(), Text(f.normal_loss).c_str(), 1e6 * f.seconds / std::max(1, f.asked));
  }
  std::fflush(stdout);
}

}  // namespace
}  // namespace tactus

int main(int argc, char** argv) {
  using tactus::ShapeType;
  const int poses = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::printf("| pair | scene | by | died | none | wrong | median | worst | normal | us |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  const std::pair<ShapeType, ShapeType> pairs[] = {{ShapeType::Box, ShapeType::Box},
                                                   {ShapeType::Mesh, ShapeType::Mesh},
                                                   {ShapeType::Cylinder, ShapeType::Cylinder},
                                                   {ShapeType::Ellipsoid, ShapeType::Ellipsoid},
                                                   {ShapeType::Box, ShapeType::Cylinder}};
  for (const auto& [a, b] : pairs) {
    for (const char* scene : {"near", "shallow", "rest", "deep"}) tactus::Compare(a, b, scene, poses);
  }
  return 0;
}
