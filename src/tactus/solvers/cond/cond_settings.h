// What may be chosen about COND.
#pragma once

namespace tactus {

/// How the impulse of a contact follows from its velocity.
enum class CondOperator {
  Strict,    ///< the exact law
  Proximal,  ///< its convex relaxation, for which convergence is proven; sliding contacts separate
};

/// The step-size matrix W.
enum class CondWeights {
  Scaled,       ///< the next one for A scaled to a unit diagonal: w_i = 1 / sum_j a_ij^2/a_jj, whatever the units
  Frobenius,    ///< as published: w_i = a_ii / |A_i|^2, which makes |I - W A|_F smallest
  Jacobi,       ///< w_i = 1 / a_ii
  Scalar,       ///< alpha I, alpha by the largest eigenvalue of A
  BB1,          ///< alpha I by Barzilai and Borwein: s.s / s.y, plain iteration
  BB2,          ///< s.y / y.y
  BBAlternate,  ///< one and the other in turns
};

/// How contacts on rigid bodies and links become contacts of nodes.
enum class CondVirtualNodes {
  Exact,  ///< nodes tied to the body by multipliers: solves the problem as it is
  Plain,  ///< tied by damping only (paper 001): answers are off by the order of 1/kappa
};

/// Contacts that share a node.
enum class CondShared {
  Jacobi,       ///< all at once, each with its share of the node's mobility
  GaussSeidel,  ///< one after the other
};

struct CondSettings {
  CondOperator law = CondOperator::Strict;
  CondWeights weights = CondWeights::Scaled;
  CondVirtualNodes virtual_nodes = CondVirtualNodes::Exact;
  CondShared shared = CondShared::GaussSeidel;
  double kappa = 10;  ///< damping of virtual nodes in effective masses of the body, > 0; plain: 100 to 1e4
  /// kappa of rigid rows, > 0: joints that are coupled and limits go together with stiff drives, and 10 turned about
  /// the answer for ever on a hand that holds a ball; 0.1 to 1 are alike, 3 takes three times the iterations.
  double row_kappa = 1;
  /// Subsystems in which only neighbouring blocks of 6 dofs couple (rods) are eliminated as bodies are, by a factor
  /// whose cost grows with their length: they are too badly conditioned to iterate on.
  bool eliminate_chains = true;
  double chain_kappa = 40;          ///< kappa on these, > 0
  double tie_damping = 0;           ///< the same as a number, h k_v of paper 001 [kg], >= 0; 0: by kappa
  double held_kappa = 100;          ///< kappa of bodies where multipliers wait for meshes (see README), > 0
  double tie_relaxation = 1;        ///< step of virtual nodes, multiple of 1/damping, (0, 2)
  double omega = 0;                 ///< compliance of contacts for the inverse [m/(N s)], >= 0; 0: the law as it is
  double spectral_target = 1.9;     ///< largest eigenvalue of W A that is allowed, (0, 2)
  bool stretch = true;              ///< also scale W up to it; the paper only scales down
  int power_iterations = 12;        ///< Lanczos steps to estimate it, [2, 40]
  bool equal_pair_weights = false;  ///< the two nodes of a contact share one weight, as published
  bool recycle_weights = false;     ///< W of the last solve is used again where the size is the same: less work a step
  bool chebyshev = true;            ///< acceleration
  double rho_cap = 0.9999;          ///< largest rate that Chebyshev counts on, (0, 1)
  int rho_window = 1;               ///< steps whose mean rate it takes, [1, 64]; 1 as published, 20 is better for rods
  int slow_start = 10;              ///< plain iterations before it, and after a restart, >= 2
  double relaxation = 1;            ///< u of the acceleration, (0, 1]
  bool schur = false;               ///< nodes without contact solved exactly: one factorization, fewer iterations
  int check_interval = 20;          ///< iterations between two looks at the true residual, at first, >= 1
  int default_max_iterations = 20000;  ///< where SolveSettings leaves them open, >= 1
  /// Also stop where an iteration moves velocities by less than this [m/s, norm over all dofs], >= 0: the test of
  /// paper 001, to compare with it. It says nothing of the error (README.md); 0: never.
  double still = 0;

  void Validate() const;  ///< throws InputError
};

}  // namespace tactus
