// Which trees of a problem can be solved along their joints, and where penalties then go.
#pragma once

#include <cstdint>
#include <vector>

#include "tactus/contact/contact_problem.h"

namespace tactus {

class ArticulatedPlan {
 public:
  enum class Verdict : std::uint8_t {
    NoTree,  ///< a free body or a deformable
    Articulated,
    Unknown,     ///< no mechanism is given
    OtherPlace,  ///< a link is touched where the mechanism is not: a step's second linearisation
    Joined,      ///< a row joins links so that it is no wrench on one of them
  };
  /// What a scalar row of several dofs is in one tree: values . v = wrench . (twist of what `dof` carries), the twist
  /// about the mechanism's origin; or one entry on `dof`.
  struct Share {
    int dof = -1;
    bool single = false;
    double entry = 0;
    Vector6 wrench = Vector6::Zero();
  };

  void Make(const ContactProblem& problem);

  bool articulated(int subsystem) const { return verdicts_[subsystem] == Verdict::Articulated; }
  Verdict verdict(int subsystem) const { return verdicts_[subsystem]; }
  /// The dof within its tree that carries a body, of articulated trees.
  int body_dof(BodyIndex body) const { return body_dof_[body]; }
  /// Of rows of several dofs in their order, and within a row of subsystems in theirs; of articulated trees.
  const Share& share(int k) const { return shares_[k]; }

  /// For SolveReport::choice, where the rest of the problem fits the kernels or not. Empty: there are no trees.
  const char* Describe(bool supported) const;

 private:
  bool FindBody(const ContactProblem& problem, BodyIndex index);
  bool FitShare(const TreeMechanism& mechanism, const std::vector<int>& parent, Share* share);

  std::vector<Verdict> verdicts_;
  std::vector<int> body_dof_;
  std::vector<Share> shares_;
  VectorX row_;  // under way, by dof of its tree
};

}  // namespace tactus
