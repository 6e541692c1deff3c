// One step in time of any number of models as A v_hat = b + J^T lambda, each tree of a model a subsystem.
//
// With v_hat = theta v + (1 - theta) v_next and q_next = q (+) h v_hat,
//     A = M/(1 - theta) + h D + (1 - theta) h^2 K,   b = M v/(1 - theta) + h (tau - C v - g - K (q - rest)),
// where tau is what acts on the joints, D their damping and K their stiffness: both implicit, so stable for any step.
// theta = 0 is semi-implicit Euler, theta = 1/2 the midpoint rule, which keeps the energy of springs.
#pragma once

#include <memory>
#include <vector>

#include "tactus/contact/contact_problem.h"
#include "tactus/dynamics/model_data.h"

namespace tactus {

struct ThetaScheme {
  double step = 1.0 / 240;  ///< h [s]
  double theta = 0;         ///< in [0, 1)
};

/// What acts on a model during a step, apart from gravity, constraints, and its joints' own springs and dampers.
struct ModelForces {
  const VectorX* tau = nullptr;                    ///< on dofs, null: none [N m, N]
  const std::vector<Vector6>* external = nullptr;  ///< [force; moment] on bodies at their origins, world axes
};

class DiscreteDynamics {
 public:
  /// Throws InputError if the step is not positive or theta not in [0, 1).
  explicit DiscreteDynamics(const ThetaScheme& scheme = {});

  /// Appends a model, which must outlive this; returns its index. Throws InputError where it has dofs without mass.
  int AddModel(const Model& model);
  int num_models() const { return static_cast<int>(parts_.size()); }
  const Model& model(int i) const { return *parts_[i].model; }
  /// Kinematics of a model at the state of its last Update.
  const ModelData& data(int i) const { return parts_[i].data; }
  ModelData& mutable_data(int i) { return parts_[i].data; }
  const ThetaScheme& scheme() const { return scheme_; }
  /// For the Updates to come; in [0, 1).
  void SetTheta(double theta) { scheme_.theta = theta; }

  /// Dofs of all models together, and where those of one begin.
  int num_dofs() const { return num_dofs_; }
  int first_dof(int i) const { return parts_[i].first_dof; }

  /// A and b of a model in a state. Allocates nothing. False if M is not positive definite or something not finite.
  [[nodiscard]] bool Update(int i, const State& state, const ModelForces& forces = {});

  /// The subsystems of all models, for a builder that has none yet. `places`, one a model, are kinematics at which
  /// bodies are touched if not at the state of the last Update; they must live as long as AddBody is called.
  void AddSubsystems(ContactProblemBuilder* builder, const std::vector<ModelData>* places = nullptr);
  /// A body of a model as something that contacts can touch; -1 is the world. After AddSubsystems, to the same builder;
  /// asked again it gives the same answer.
  BodyIndex AddBody(int i, int body, ContactProblemBuilder* builder);

  /// Velocities of a model out of the problem's, which differ for free single bodies: there they are of the centre of
  /// mass, and angular ones in world axes. With a duration the velocities that get there in that time: q (+) v dt is
  /// then where a body goes whose centre of mass goes straight. And back.
  void ToModel(int i, const ConstVectorRef& v_problem, VectorX* v, double duration = 0) const;
  void ToProblem(int i, const ConstVectorRef& v, VectorX* v_problem) const;
  /// The state at the end of the step, given the solution of the problem: v_next = (v_hat - theta v)/(1 - theta),
  /// q_next = q (+) h v_hat. `v_hat_momentum`, if not null, is what v_next is made of in place of v_hat.
  void Advance(int i, const ConstVectorRef& v_hat_problem, const ConstVectorRef* v_hat_momentum, State* state);
  void Advance(int i, const ConstVectorRef& v_hat_problem, State* state) { Advance(i, v_hat_problem, nullptr, state); }

 private:
  struct Tree {
    int begin = 0, end = 0;     // bodies
    int first_dof = 0, nv = 0;  // of the model
    bool free = false;
    bool round = false;                 // free: turns about any axis alike
    Vector3 com = Vector3::Zero();      // free: in the body's axes
    Matrix3 central = Matrix3::Zero();  // likewise
    std::vector<int> parent;            // of dofs, local
    MatrixX A;                          // nv x nv
    VectorX b;
  };
  struct Part {
    explicit Part(const Model& m) : model(&m), data(m) {}
    const Model* model;
    ModelData data;
    int first_dof = 0;
    std::vector<Tree> trees;
    std::vector<int> tree_of_body;
    std::vector<bool> free_dofs;
    int first_subsystem = 0;
    std::vector<BodyIndex> bodies;  // in the builder; kWorld: not yet
    VectorX bias, momentum, v_hat, v_next;
    Matrix6X jacobian;
  };

  // A and b of a free body, about its centre of mass in world axes.
  void FillFree(const Part& part, const State& state, Tree* tree) const;
  // A tree's block of M, scaled, and the dof-wise terms.
  void FillTree(const Part& part, const State& state, Tree* tree) const;

  const ModelData& place(int i) const { return places_ ? (*places_)[static_cast<std::size_t>(i)] : parts_[i].data; }

  ThetaScheme scheme_;
  const std::vector<ModelData>* places_ = nullptr;
  int num_dofs_ = 0;
  std::vector<Part> parts_;
};

}  // namespace tactus
