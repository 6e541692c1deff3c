// The problem every solver sees.
//
//     A v = b + J^T lambda,     (J_i v + e_i, lambda_i) in S_i  for every constraint i              (1)
//
// A   n x n, symmetric positive definite, block-diagonal over subsystems       [kg, kg m^2, ...]
// b   n, momentum A v_free                                                     [N s, N m s]
// J   m x n, one block row per constraint, never dense
// e   m, velocity offsets (gap/h, restitution, conveyor speed)                 [m/s]
// lambda  m, impulses                                                          [N s]
//
// Constraints are the contacts, three rows each in the order [t1, t2, n], followed by the scalar rows:
// m = 3 num_contacts() + num_rows(). Alternatively the problem is a Delassus pair (W, q): sigma = W lambda + q, with
// no A, b, J; then e holds q.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/contact/mass_matrix.h"
#include "tactus/core/error.h"
#include "tactus/core/types.h"

namespace tactus {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The set S_i of a scalar row. y = J_i v.
enum class RowKind : std::uint8_t {
  Inequality,   ///< 0 <= lambda, y + e >= 0, complementary
  Equality,     ///< y + e = 0, lambda free
  Soft,         ///< lambda = -k e - d y
  BoundedSoft,  ///< the same, clipped to [lo, hi] (effort-limited drive)
  DryFriction,  ///< y + e = 0 unless lambda is at lo or hi
};

/// The law of a scalar row. All kinds are lambda = clip(-ke - d y, lo, hi), with d infinite for the rigid ones, where
/// y + e takes the place of y and ke is unused.
struct RowLaw {
  RowKind kind = RowKind::Inequality;
  double d = kInfinity;   ///< damping impulse per velocity, c h^2 k_s + h d_s  [N s^2/m], >= 0; infinite: rigid
  double ke = 0;          ///< offset impulse k e = h k_s g - h d_s v_ref       [N s]
  double lo = 0;          ///< lower bound of lambda [N s], may be -infinity
  double hi = kInfinity;  ///< upper bound of lambda [N s], may be +infinity

  bool rigid() const { return d == kInfinity; }

  static RowLaw Inequality() { return {}; }
  static RowLaw Equality() { return {RowKind::Equality, kInfinity, 0, -kInfinity, kInfinity}; }
  static RowLaw Soft(double d, double ke) { return {RowKind::Soft, d, ke, -kInfinity, kInfinity}; }
  static RowLaw BoundedSoft(double d, double ke, double lo, double hi) { return {RowKind::BoundedSoft, d, ke, lo, hi}; }
  static RowLaw DryFriction(double limit) { return {RowKind::DryFriction, kInfinity, 0, -limit, limit}; }
};

/// Friction of a contact: |lambda_t| <= mu lambda_n, or an ellipse with semi-axes mu1, mu2 along t1, t2.
struct Friction {
  double mu1 = 0;
  double mu2 = 0;
  Friction() = default;
  Friction(double mu) : mu1(mu), mu2(mu) {}  // NOLINT: implicit on purpose, most friction is isotropic
  Friction(double mu_t1, double mu_t2) : mu1(mu_t1), mu2(mu_t2) {}
  bool isotropic() const { return mu1 == mu2; }
};

/// Index of a body in a problem; kWorld is the immovable world.
using BodyIndex = int;
inline constexpr BodyIndex kWorld = -1;

/// Something whose spatial velocity V = [velocity of the reference point; angular velocity] (world axes) is linear in
/// the dofs of one subsystem. Points of it are what contacts touch.
struct ContactBody {
  enum class Kind : std::uint8_t {
    Free,          ///< V is the subsystem's 6 dofs
    Link,          ///< V = X v_j, X given
    Node,          ///< 3 consecutive dofs: a point, no rotation
    Segment,       ///< 6 consecutive dofs are V: a rigid piece of a deformable (of a rod)
    Interpolated,  ///< a point within a triangle or tetrahedron: weights on the velocities of its nodes
  };
  static constexpr int kMostNodes = 4;
  Kind kind = Kind::Free;
  int subsystem = 0;
  int local_dof = 0;                    ///< Node, Segment: first of its dofs within the subsystem
  Vector3 reference = Vector3::Zero();  ///< p_WB, where the linear velocity is taken [m]
  Matrix6X jacobian;                    ///< Link: 6 x size of the subsystem
  int num_nodes = 0;                    ///< Interpolated: 1 to kMostNodes
  std::array<int, kMostNodes> nodes{};  ///< Interpolated: first dof of each node within the subsystem
  std::array<double, kMostNodes> weights{};
  std::string name;

  /// All 6 dofs of a subsystem, or a link: what is compliant as a whole.
  bool rigid() const { return kind == Kind::Free || kind == Kind::Link; }
};

/// A contact as geometry: all its Jacobian blocks follow from this.
struct ContactGeometry {
  BodyIndex a = kWorld;  ///< lambda acts on a, -lambda on b
  BodyIndex b = kWorld;
  Vector3 point = Vector3::Zero();      ///< p_WC [m]
  Matrix3 frame = Matrix3::Identity();  ///< rows t1, t2, n in world axes; n points from b towards a
};

/// J as block rows: constraint i has dim_i rows that share one list of columns.
struct BlockRows {
  std::vector<int> start{0};             ///< constraint -> first entry of `columns`
  std::vector<int> columns;              ///< dofs, ascending within a constraint
  std::vector<std::size_t> value_start;  ///< constraint -> first entry of `values`
  std::vector<double> values;            ///< dim_i x count_i, row major

  int count(int i) const { return start[i + 1] - start[i]; }
  const int* cols(int i) const { return columns.data() + start[i]; }
  const double* block(int i) const { return values.data() + value_start[i]; }
};

/// See the head of this file. Immutable: made by ContactProblemBuilder or the factories below; everything in it is
/// finite, consistent and A is positive definite (checked when built), so that solvers need not check again. Of Sparse
/// subsystems only what is cheap is checked then (symmetry, 2 x 2 minors): they are factorized when a solver asks.
class ContactProblem {
 public:
  /// From plain matrices, as users of other dynamics libraries have them in hand: A (n x n), b, J (3 nc x n with rows
  /// [t1, t2, n] per contact, then one row per entry of `laws`), e (as J), friction per contact. A is split into its
  /// diagonal blocks by itself.
  static ContactProblem FromMatrices(const SparseMatrix& A, const VectorX& b, const SparseMatrix& J, const VectorX& e,
                                     const std::vector<Friction>& friction, const std::vector<RowLaw>& laws = {});
  static ContactProblem FromMatrices(const MatrixX& A, const VectorX& b, const MatrixX& J, const VectorX& e,
                                     const std::vector<Friction>& friction, const std::vector<RowLaw>& laws = {});
  /// From a Delassus pair sigma = W lambda + q, rows [t1, t2, n] per contact, then one row per entry of `laws`.
  /// W should be symmetric positive semidefinite; only its symmetry is looked at (see asymmetry()).
  static ContactProblem FromDelassus(const SparseMatrix& W, const VectorX& q, const std::vector<Friction>& friction,
                                     const std::vector<RowLaw>& laws = {});
  /// The same into a problem whose memory is used again: nothing is allocated where sizes are the same.
  static void FromDelassus(const SparseMatrix& W, const VectorX& q, const std::vector<Friction>& friction,
                           const std::vector<RowLaw>& laws, ContactProblem* out);

  int num_contacts() const { return static_cast<int>(friction_.size()); }
  int num_rows() const { return static_cast<int>(laws_.size()); }
  int num_constraints() const { return num_contacts() + num_rows(); }
  /// Length of lambda, sigma and e.
  int size() const { return 3 * num_contacts() + num_rows(); }
  /// 3 for a contact, 1 for a scalar row.
  int dim(int i) const { return i < num_contacts() ? 3 : 1; }
  /// First entry of constraint i in lambda, sigma, e.
  int offset(int i) const { return i < num_contacts() ? 3 * i : 2 * num_contacts() + i; }
  const Friction& friction(int contact) const { return friction_[contact]; }
  const RowLaw& law(int row) const { return laws_[row]; }
  const VectorX& e() const { return e_; }
  /// What sigma of a scalar row adds to its velocity y = J v: e, or 0 for a Delassus pair, where y is all of W lambda +
  /// q.
  double row_offset(int row) const { return is_delassus_ ? 0 : e_[3 * num_contacts() + row]; }

  /// False for a Delassus pair: then only W() and e() (= q) exist.
  bool has_dynamics() const { return !is_delassus_; }
  int num_dofs() const { return mass_.num_dofs(); }
  const MassMatrix& mass() const { return mass_; }
  const VectorX& b() const { return b_; }
  const BlockRows& jacobian() const { return jacobian_; }
  /// A^{-1} b. Where there are Sparse subsystems the first call computes it (thread-safe), and throws NumericalError if
  /// A is not positive definite.
  const VectorX& free_velocity() const { return lazy_free_velocity_ ? CalcFreeVelocity() : free_velocity_; }

  const SparseMatrix& W() const { return W_; }
  /// max |W - W^T| / max |W| of a Delassus pair.
  double asymmetry() const { return asymmetry_; }

  const std::vector<ContactBody>& bodies() const { return bodies_; }
  /// True if every contact is known as geometry (points and frames), not only as Jacobian rows.
  bool has_geometry() const { return geometry_.size() == friction_.size() && has_dynamics(); }
  const std::vector<ContactGeometry>& geometry() const { return geometry_; }

  /// y = J v.
  void MultiplyJ(const ConstVectorRef& v, VectorX* y) const;
  /// y += J^T lambda.
  void AddMultiplyJT(const ConstVectorRef& lambda, VectorX* y) const;
  /// v = A^{-1} (b + J^T lambda); has_dynamics() only.
  void CalcVelocity(const ConstVectorRef& lambda, VectorX* v) const;
  /// sigma = J v + e, from impulses: J A^{-1}(b + J^T lambda) + e, or W lambda + q.
  void CalcSigma(const ConstVectorRef& lambda, VectorX* sigma) const;

  /// The same problem with row r of J and e (or row and column r of W, and q) multiplied by scale[r], and other
  /// friction. Its contacts are known as rows only.
  ContactProblem WithScaledRows(const VectorX& scale, const std::vector<Friction>& friction) const;

  std::string name;        ///< what this problem is
  std::string provenance;  ///< where it comes from (program, seed, file)

 private:
  friend class ContactProblemBuilder;

  // With Sparse subsystems; copies of a problem share it, as A and b are the same.
  struct LazyVelocity {
    std::mutex mutex;
    std::atomic<bool> known = false;
    VectorX value;
  };
  const VectorX& CalcFreeVelocity() const;

  bool is_delassus_ = false;
  MassMatrix mass_;
  VectorX b_, free_velocity_, e_;
  std::shared_ptr<LazyVelocity> lazy_free_velocity_;
  BlockRows jacobian_;
  std::vector<Friction> friction_;
  std::vector<RowLaw> laws_;
  std::vector<ContactBody> bodies_;
  std::vector<ContactGeometry> geometry_;
  SparseMatrix W_;
  double asymmetry_ = 0;
};

/// Assembles a problem piece by piece. Contacts and rows may be added in any order; contacts come first in lambda.
class ContactProblemBuilder {
 public:
  /// A free rigid body: 6x6 inertia about `reference` for V = [v; omega] in world axes, and b = its momentum A v_free.
  BodyIndex AddFreeBody(const Matrix6& inertia, const Vector6& momentum, const Vector3& reference,
                        std::string_view name = {});
  /// Other subsystems; each returns the subsystem's index.
  int AddDense(const MatrixX& A, const VectorX& b);
  int AddTree(const MatrixX& A, const std::vector<int>& parent, const VectorX& b);
  /// The same of a tree whose joints are known: solvers may then go along it (SubadmmSettings::tree_solver).
  int AddTree(const MatrixX& A, const std::vector<int>& parent, const VectorX& b, const TreeMechanism& mechanism);
  /// `inertia`: see MassMatrix::AddSparse.
  int AddSparse(const SparseMatrix& A, const VectorX& b, const VectorX& inertia = {});
  /// A body of a Dense or Tree subsystem, V = jacobian * v_j.
  BodyIndex AddLink(int subsystem, const Eigen::Ref<const Matrix6X>& jacobian, const Vector3& reference,
                    std::string_view name = {});
  /// Three consecutive dofs of a subsystem that are the velocity of a point.
  BodyIndex AddNode(int subsystem, int local_dof, const Vector3& position, std::string_view name = {});

  /// Six consecutive dofs of a subsystem that are V = [v; omega] about `reference`: a segment of a rod.
  BodyIndex AddSegment(int subsystem, int local_dof, const Vector3& reference, std::string_view name = {});
  /// A point that moves with 1 to 4 nodes (first dofs within the subsystem), by weights that add up to 1, or less
  /// where other nodes are held: a point of a triangle or tetrahedron.
  BodyIndex AddInterpolatedNode(int subsystem, std::span<const int> nodes, std::span<const double> weights,
                                const Vector3& position, std::string_view name = {});

  /// A contact between two bodies (kWorld allowed for one). `frame` has rows t1, t2, n, n from b towards a.
  int AddContact(BodyIndex a, BodyIndex b, const Vector3& point, const Matrix3& frame, const Friction& friction,
                 const Vector3& e);
  /// A contact as explicit rows: values is 3 x columns.size(), on global dofs.
  int AddContactRows(const std::vector<int>& columns, const Eigen::Ref<const MatrixX>& values, const Friction& friction,
                     const Vector3& e);
  /// A scalar row on global dofs.
  int AddRow(const RowLaw& law, std::span<const int> columns, std::span<const double> values, double e);
  int AddRow(const RowLaw& law, const std::vector<int>& columns, const VectorX& values, double e);
  /// A scalar row on the relative spatial velocity: direction . (V_a - V_b shifted to `point`), as a screw [linear;
  /// angular] about `point`.
  int AddBodyRow(const RowLaw& law, BodyIndex a, BodyIndex b, const Vector3& point, const Vector6& direction, double e);

  /// A contact that yields: sigma_n = (J v + e)_n + lambda_n / m, the compliance as a mass `m` [kg]. It brings a dof of
  /// its own, after those there are.
  int AddCompliantContact(BodyIndex a, BodyIndex b, const Vector3& point, const Matrix3& frame,
                          const Friction& friction, const Vector3& e, double m);

  /// Of something just added: J_i v, and another law or offset for it.
  double CalcRowVelocity(int row, const ConstVectorRef& v) const;
  Vector3 CalcContactVelocity(int contact, const ConstVectorRef& v) const;
  void SetRow(int row, const RowLaw& law, double e);
  void SetContactOffset(int contact, const Vector3& e);

  int num_dofs() const { return problem_.mass_.num_dofs(); }
  const Subsystem& subsystem(int j) const { return problem_.mass_.subsystem(j); }

  /// Checks everything and hands over the problem; throws InputError naming the body, constraint or entry.
  /// The builder is empty afterwards.
  ContactProblem Build();
  /// The same into an old problem, whose memory the builder takes over for the next: once two problems of some size
  /// have been built in turns, nothing more is allocated for smaller ones (Sparse subsystems excepted).
  void Build(ContactProblem* out);
  /// Forgets what was added.
  void Clear();

 private:
  friend class ContactProblem;
  // Rows under construction, and those of all constraints of a kind.
  struct Rows {
    std::vector<int> start{0}, columns;
    std::vector<std::size_t> value_start;
    std::vector<double> values;  // dim x columns a constraint, row major
    std::vector<double> e;
    void Clear();
  };
  void CheckBodyDofs(const char* what, int subsystem, int local_dof, int count) const;
  void CheckContact(BodyIndex a, BodyIndex b, const Vector3& point, const Matrix3& frame) const;
  void AddContactColumns(BodyIndex a, BodyIndex b, const Vector3& point, const Matrix3& frame);
  ContactBody& AppendBody(ContactBody::Kind kind, int subsystem, const Vector3& reference, std::string_view name);
  void AppendMomentum(const double* b, int size);
  void CheckTree(const MatrixX& A, const std::vector<int>& parent, const VectorX& b) const;
  // Adds sign * rows (dim x 6, about `point`) of a body to the columns under construction.
  void AddBodyColumns(BodyIndex index, const Vector3& point, const double* rows, int dim, double sign);
  // Sorts the columns under construction, adds up those of equal index, appends them.
  void FinishRows(int dim, const double* e, Rows* out);
  void CheckSubsystems() const;
  void CheckConstraints() const;
  void SwapProblem(ContactProblem* other);

  ContactProblem problem_;
  std::vector<ContactBody> spare_bodies_, spare_links_;  // their memory is used again
  std::vector<double> b_;
  std::vector<SpatialInertia> composite_;
  Rows contacts_, rows_;
  std::vector<int> columns_, order_;   // under construction
  std::vector<double> column_values_;  // 3 a column
  int geometric_contacts_ = 0;
};

}  // namespace tactus
