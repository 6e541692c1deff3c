// One step in time of any number of models as A v_hat = b + J^T lambda, each tree of a model a subsystem.
//
// With v_hat = theta v + (1 - theta) v_next and q_next = q (+) h v_hat,
//     A = M/(1 - theta) + h D + (1 - theta) h^2 K,   b = M v/(1 - theta) + h (tau - C v - g - K (q - rest)),
// where tau is what acts on the joints, D their damping and K their stiffness: both implicit, so stable for any step.
// theta = 0 is semi-implicit Euler, theta = 1/2 the midpoint rule, which keeps the energy of springs.
//
// C v and g are taken at the start of the step in b, as their values in its middle are not known yet. Once the step is
// solved they are, and the velocities at its end are corrected for the difference (Advance): without that, trees that
// swing fast win or lose energy in proportion to h.
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
  /// The forces must live until Advance.
  [[nodiscard]] bool Update(int i, const State& state, const ModelForces& forces = {});

  /// The subsystems of all models, for a builder that has none yet. `places`, one a model, are kinematics at which
  /// bodies are touched if not at the state of the last Update; they must live as long as AddBody is called.
  void AddSubsystems(ContactProblemBuilder* builder, const std::vector<ModelData>* places = nullptr);
  /// A body of a model as something that contacts can touch; -1 is the world. After AddSubsystems, to the same builder;
  /// asked again it gives the same answer.
  BodyIndex AddBody(int i, int body, ContactProblemBuilder* builder);

  /// Velocities of a model out of the problem's, which differ for free single bodies: there they are of the centre of
  /// mass, and angular ones in world axes (with theta > 0: seen from where the body is in the middle of the step). With
  /// a duration the velocities that get there in that time: q (+) v dt is then where a body goes whose centre of mass
  /// goes straight. And back.
  void ToModel(int i, const ConstVectorRef& v_problem, VectorX* v, double duration = 0) const;
  void ToProblem(int i, const ConstVectorRef& v, VectorX* v_problem) const;
  /// The state at the end of the step, given the solution of the problem: v_next = (v_hat - theta v)/(1 - theta),
  /// q_next = q (+) h v_hat. `v_hat_momentum`, if not null, is what v_next is made of in place of v_hat. Trees: v_next
  /// solves M(q_m) (v_next - v) = M(q) (v_next as above - v) + h (c(q, v) - c(q_m, v_m)), c = C v + g - tau, with v_m
  /// the mean of v and v_next, q_m = q (+) theta h v_hat. Gyroscopic torques of free bodies likewise.
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
    Matrix3 start = Matrix3::Zero();    // free: the body's axes at the start of the step
    Matrix3 axes = Matrix3::Zero();     // free: those in which its turning is seen from the world
    Vector3 turned = Vector3::Zero();   // free: angular velocity at the end if nothing acts
    std::vector<int> parent;            // of dofs, local
    MatrixX A;                          // nv x nv
    VectorX b;
    TreeMechanism mechanism;  // what A is made of, unless free
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
    ModelForces forces;
    // Of models with trees of several bodies: the middle of the step.
    std::unique_ptr<ModelData> middle;
    VectorX q_middle, v_middle, bias_middle;
  };

  // A and b of a free body, about its centre of mass in world axes.
  void FillFree(const Part& part, const State& state, Tree* tree) const;
  // Gyroscopic torques of the motion that was found, in place of those of free motion.
  void CorrectTurn(const Tree& tree, const VectorX& v, VectorX* v_next) const;
  // Forces in the middle of the step in place of those at its start, into part->v_next.
  void CorrectTrees(const State& state, Part* part) const;
  // Motions and inertias of a tree as they are in A, armature included.
  void FillMechanism(const Part& part, Tree* tree) const;
  // A tree's block of M, scaled, and the dof-wise terms.
  void FillTree(const Part& part, const State& state, Tree* tree) const;

  const ModelData& place(int i) const { return places_ ? (*places_)[static_cast<std::size_t>(i)] : parts_[i].data; }

  ThetaScheme scheme_;
  const std::vector<ModelData>* places_ = nullptr;
  int num_dofs_ = 0;
  std::vector<Part> parts_;
};

}  // namespace tactus
