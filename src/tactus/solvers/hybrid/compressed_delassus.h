// The Delassus matrix of one island, W = C What C^T, compressed where contacts share all their neighbours.
//
// Contacts between the same two bodies see nothing but the relative twist of the two: their rows of W span at most six
// dimensions, however many they are. Constraints with the same neighbours form a group g; if the rank r_g of W_gg is
// less than its size, its rows are W_g = C_g W_P with P the r_g pivot rows of a pivoted Cholesky of W_gg (for a
// positive semidefinite W the rows of W_g span what the rows of W_gg span). So What is a submatrix of W and nothing is
// approximated; the reconstruction is checked and groups that miss it are left alone.
//
// A Newton system (E + B W) d = F with block-diagonal E, B becomes, with G = E^{-1} B, g = E^{-1} F and K = C^T G C,
//     (I + What K) y = What C^T g,    z = W d = C y,    d = g - G z :
// group-sized instead of contact-sized.
#pragma once

#include <vector>

#include "tactus/contact/delassus_matrix.h"
#include "tactus/math/block_lu.h"
#include "tactus/solvers/hybrid/coordinate_kernels.h"

namespace tactus {

class CompressedDelassus {
 public:
  /// The island given by `constraints` (ascending indices into W). `compress` false: What = W.
  void Build(const DelassusMatrix& W, const std::vector<int>& constraints, bool compress);

  int num_constraints() const { return static_cast<int>(global_.size()); }
  int size() const { return size_; }
  /// Number of coordinates, the size of the linear systems.
  int rank() const { return rank_; }
  /// Constraint i of the island in the problem; islands keep their constraints sorted by group.
  int global(int i) const { return global_[i]; }
  int dim(int i) const { return dim_[i]; }
  int offset(int i) const { return offset_[i]; }
  /// dim x dim diagonal block of W, row major.
  const double* diagonal_block(int i) const { return diagonal_.data() + 9 * static_cast<std::size_t>(i); }

  /// u = W r.
  void Multiply(const VectorX& r, VectorX* u);

  /// One Gauss-Seidel sweep over all constraints: solve(i, u_i, r_i, delta_i) is given the island's constraint, W r + q
  /// at it (dim entries) and r_i, and fills delta_i; r is updated. Order by group, reversed if `backward`.
  template <typename LocalSolve>
  void Sweep(const VectorX& q, bool backward, VectorX* r, LocalSolve&& solve);

  /// True if all constraints are contacts in groups of few coordinates, for which SweepContacts() is quicker.
  bool contacts_only() const { return contacts_only_; }
  /// `count` sweeps, forward and backward in turn, with the local solutions of `local` (one a contact) to `tolerance`.
  void SweepContacts(const VectorX& q, int count, double relaxation, double tolerance, const SingleContact* local,
                     VectorX* r);

  /// Solves (I + G W) d = g for block-diagonal G (9 entries a constraint, row major dim x dim); z = W d.
  /// False if the factorization broke down. One step of iterative refinement where needed.
  [[nodiscard]] bool SolveNewton(const std::vector<double>& G, const VectorX& g, VectorX* d, VectorX* z);
  /// Flops of one factorization.
  double factor_flops() const { return lu_.flops(); }

 private:
  struct Group {
    int begin = 0, end = 0;  // constraints
    int rows = 0;            // their scalars
    int rank = 0;            // coordinates
    int coordinate = 0;      // first coordinate
    int row = 0;             // first scalar
    std::size_t basis = 0;   // in basis_, rows x rank, row major; unused where rank == rows (C = I)
    bool contacts = false;   // contacts only, rank <= kPaddedRank: contact_basis_ is filled
    bool identity() const { return rank == rows; }
  };

  void FindGroups(const DelassusMatrix& W, const std::vector<int>& constraints, bool compress);
  int NumberPatterns(const DelassusMatrix& W, const std::vector<int>& constraints);
  void FindWeights(int begin, int end);
  void PivotedCholesky(int n);
  void CompressGroup(const DelassusMatrix& W, Group* group);  // appends to pivots_
  void SplitGroups(const DelassusMatrix& W);
  bool ReconstructionHolds(const DelassusMatrix& W);
  void FillCoordinateMatrix(const DelassusMatrix& W);
  void FillContactBases();
  void ToCoordinates(const VectorX& r, double* s) const;       // s = C^T r
  void FromCoordinates(const double* y, VectorX* u) const;     // u = C y
  void MultiplyCoordinates(const double* s, double* y) const;  // y = What s
  void MultiplyCoordinateRow(int g, const double* s, double* y) const;
  CoordinateRows coordinate_rows() const {
    return {values_.data(), value_start_.data(), entry_coordinate_.data(), entry_rank_.data()};
  }
  bool Factorize(const std::vector<double>& G);
  void SolveOnce(const std::vector<double>& G, const VectorX& g, VectorX* d);

  std::vector<int> global_, dim_, offset_, group_of_;
  std::vector<double> diagonal_;
  std::vector<Group> groups_;
  std::vector<double> basis_;
  std::vector<ContactBasis> contact_basis_;  // one a constraint, zero where the group has other than contacts
  std::vector<ContactGroup> contact_groups_;
  bool contacts_only_ = false;
  int size_ = 0, rank_ = 0;
  // What in block-CSR over groups, blocks column major.
  std::vector<int> row_start_, columns_, entry_coordinate_, entry_rank_, entry_group_;
  std::vector<std::size_t> value_start_;
  std::vector<double> values_;
  const CoordinateKernels* kernels_ = &GetCoordinateKernels();
  BlockLu lu_;
  std::vector<double> K_;  // per group rank x rank
  std::vector<std::size_t> K_start_;
  std::vector<double> s_, y_;
  VectorX residual_, correction_, product_;
  // Memory of Build.
  struct PivotRow {
    int constraint, component;
  };
  std::vector<int> pattern_, table_, representative_, next_, local_, place_, seen_, sizes_;
  std::vector<int> order_, pivots_;  // scalars of their groups, group by group
  std::vector<PivotRow> pivot_rows_;
  std::vector<Group> split_;
  std::vector<double> scratch_, cholesky_, remaining_, weight_, LP_, WPP_, x_, Wx_, random_;
};

template <typename LocalSolve>
void CompressedDelassus::Sweep(const VectorX& q, bool backward, VectorX* r, LocalSolve&& solve) {
  ToCoordinates(*r, s_.data());
  const int count = static_cast<int>(groups_.size());
  for (int step = 0; step < count; ++step) {
    const int gi = backward ? count - 1 - step : step;
    const Group& g = groups_[gi];
    double* y = y_.data();
    MultiplyCoordinateRow(gi, s_.data(), y);
    const double* diagonal = nullptr;
    for (int k = row_start_[gi]; k < row_start_[gi + 1]; ++k) {
      if (columns_[k] == gi) diagonal = values_.data() + value_start_[k];
    }
    const int members = g.end - g.begin;
    for (int m = 0; m < members; ++m) {
      const int i = backward ? g.end - 1 - m : g.begin + m;
      const int o = offset_[i], d = dim_[i], local = o - g.row;
      double u[3], delta[3] = {0, 0, 0};
      const double* C = basis_.data() + g.basis + static_cast<std::size_t>(local) * g.rank;
      for (int a = 0; a < d; ++a) {
        double sum = q[o + a];
        if (g.identity()) {
          sum += y[local + a];
        } else {
          for (int c = 0; c < g.rank; ++c) sum += C[a * g.rank + c] * y[c];
        }
        u[a] = sum;
      }
      solve(i, u, r->data() + o, delta);
      double* s = s_.data() + g.coordinate;
      for (int a = 0; a < d; ++a) (*r)[o + a] += delta[a];
      if (g.identity()) {
        for (int a = 0; a < d; ++a) s[local + a] += delta[a];
        if (members == 1) continue;
        for (int c = 0; c < g.rank; ++c) {
          double sum = 0;
          for (int a = 0; a < d; ++a) sum += diagonal[static_cast<std::size_t>(local + a) * g.rank + c] * delta[a];
          y[c] += sum;
        }
      } else {
        double ds[64];
        for (int c = 0; c < g.rank; ++c) {
          double sum = 0;
          for (int a = 0; a < d; ++a) sum += C[a * g.rank + c] * delta[a];
          ds[c] = sum;
          s[c] += sum;
        }
        if (members == 1) continue;
        for (int c = 0; c < g.rank; ++c) {
          double sum = 0;
          for (int k = 0; k < g.rank; ++k) sum += diagonal[static_cast<std::size_t>(k) * g.rank + c] * ds[k];
          y[c] += sum;
        }
      }
    }
  }
}

}  // namespace tactus
