// Position-based dynamics (XPBD) of deformables, as a baseline: what it gets right, and what not, is compared with the
// exact law of contact in docs/baselines.md.
//
// M. Macklin, M. Mueller, N. Chentanez, XPBD: position-based simulation of compliant constrained dynamics, 2016; with
// many substeps of one pass each (M. Macklin et al., Small steps in physics simulation, 2019), which is what paper 001
// compares with (Table VIII). One substep of length s:
//     x <- x + s (v + s g);   for every constraint in turn   x <- x + M^-1 grad C^T dl,
//     dl = -(C + gamma grad C (x - x_before)) / ((1 + gamma) grad C M^-1 grad C^T + 1/(k s^2)),   gamma = beta/s;
//     v <- (x - x_before)/s,
// beta being the stiffness damping. Constraints: of a tetrahedron those of a stable neo-Hookean solid (M. Macklin,
// M. Mueller, A constraint-based formulation of stable neo-Hookean materials, 2021), whatever its model; of a rod's
// joint its six springs, as one block; of a contact the gap, and friction by a displacement that is cut to mu times
// the normal one. Nothing is solved to a tolerance.
#pragma once

#include <vector>

#include "tactus/simulation/deformable_set.h"
#include "tactus/simulation/step_report.h"

namespace tactus {

struct XpbdSettings {
  int substeps = 20;  ///< of a step, 1 to 1e6: accuracy and time grow with them
  /// Constraints have the stiffness damping of their material (gamma above). As one pass leaves them unsolved, that
  /// makes things softer than they are, by about gamma k s^2/m; without it what damps is the method.
  bool damping = false;

  void Validate() const;  ///< throws InputError
};

/// Where the sides of a contact that do not deform go during the step.
struct XpbdContactMotion {
  Vector3 a = Vector3::Zero(), b = Vector3::Zero();  ///< velocities at the point [m/s]
};

class XpbdSystem {
 public:
  /// One step of h from set.start(). `contacts` are those of its beginning: where they touch and along which normal
  /// stays the same during the step; they get their impulses. `state` gets places and velocities, and `held` of each
  /// deformable the mean force that holds what is held [N, N m].
  void Step(const DeformableSet& set, double h, const Vector3& gravity, const XpbdSettings& settings,
            const std::vector<int>& deformable_of_object, const std::vector<XpbdContactMotion>& motions,
            std::vector<ContactState>* contacts, State* state, std::vector<VectorX>* held);

 private:
  struct Item {
    Vector3 x, before, v, w, held_v, held_w;  // nodes: without turns
    Quaternion R, R_before;
    double inverse_mass = 0;  // 0: held
    double mass = 0;
    Vector3 inertia, inverse_inertia;  // own axes; 0 for nodes and what is held
    Vector6 force;                     // of constraints, sum over substeps times their squared length
    bool turns = false, held = false;
  };
  struct Element {
    int items[4];
    Matrix3 inverse_rest;
    double volume, mu, lambda, damping;
  };
  struct Joint {
    int a, b;
    double half, damping;
    Vector6 stiffness;
  };
  struct Side {
    int count = 0, items[3];  // 0: it does not deform
    double weights[3];
    Vector3 local, start;  // on the segment, own axes; where it was
    Vector3 velocity;
  };
  struct Contact {
    Side a, b;
    Vector3 normal, impulse;
    double gap, friction, restitution, normal_velocity, lambda;
  };

  void AddBody(const Deformable& body, bool damping);
  void LoadState(const DeformableSet& set, bool damping);
  void LoadContacts(const std::vector<int>& deformable_of_object, const std::vector<XpbdContactMotion>& motions,
                    const DeformableSet& set, const std::vector<ContactState>& contacts);
  Side MakeSide(const DeformablePoint& point, int deformable, const Vector3& p, const Vector3& velocity,
                const DeformableSet& set) const;
  void Predict(double s, const Vector3& gravity);
  void SolveElement(const Element& element, double s);
  void SolveElementConstraint(const Element& element, double C, const Matrix3& slope, double stiffness, double s);
  void SolveJoint(const Joint& joint, double s);
  void SolveContact(double s, double time, Contact* contact);
  void UpdateVelocities(double s);
  void SolveVelocity(Contact* contact);
  void Store(const DeformableSet& set, double h, int substeps, const Vector3& gravity, State* state,
             std::vector<VectorX>* held) const;

  Vector3 Displacement(const Side& side, double time) const;
  Vector3 SubstepDisplacement(const Side& side, double s) const;
  Vector3 Velocity(const Side& side) const;
  double Mobility(const Side& side, const Vector3& direction) const;
  void Push(const Side& side, const Vector3& push, bool velocity);
  Vector3 Arm(const Side& side) const;
  Vector3 Turn(const Item& item, const Vector3& moment) const;  // I^-1 moment, world axes

  std::vector<const Deformable*> bodies_;
  std::vector<int> first_item_;
  std::vector<double> mass_damping_;  // of bodies
  std::vector<Item> items_;
  std::vector<Element> elements_;
  std::vector<Joint> joints_;
  std::vector<Contact> contacts_;
};

}  // namespace tactus
