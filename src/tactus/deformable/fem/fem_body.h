// A solid of linear tetrahedra as a Deformable: items are the nodes of its mesh.
//
// A = M/(1 - theta) + c h^2 (K + E) + h (alpha M + beta K), where K is one of FemStiffness and E one of the two ways of
// paper 001 to pay for what K leaves out (below eq. 8): nothing but constant damping (alpha, beta of the material), or
// the column sums of the absolute geometric stiffness, as a diagonal.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tactus/deformable/deformable.h"
#include "tactus/deformable/fem/fem_kernels_api.h"
#include "tactus/deformable/fem/fem_material.h"
#include "tactus/deformable/mesh/tet_mesh.h"

namespace tactus {

enum class FemMass {
  Lumped,      ///< a quarter of each element on each of its nodes: diagonal
  Consistent,  ///< of the shape functions: rho V (1 + delta_ab)/20
};

enum class FemStiffness {
  Positive,  ///< corotational: R K0 R^T; neo-Hookean: exact without negative eigenvalues. A is positive definite
  Exact,     ///< the derivative of the forces, for Newton's method. A may be indefinite when h is large
};

struct FemSettings {
  FemMass mass = FemMass::Lumped;
  FemStiffness stiffness = FemStiffness::Positive;
  bool geometric_bound = false;  ///< E of paper 001; damps turning motion, the more so the larger h and the stresses
  std::vector<int> held;         ///< nodes, each once
};

/// Scratch memory of a FemBody.
class FemData : public DeformableData {
 public:
  std::vector<double> x, u;            // 3 a node: where forces are taken, velocities with those held
  std::vector<double> force;           // 3 a node: elastic
  std::vector<double> bound;           // 3 a node: diagonal of E
  std::vector<double> work;            // 3 a node
  std::vector<double> rotations;       // kFemRotationStride a batch
  std::vector<std::uint8_t> bad;       // a batch
  std::vector<double> element_forces;  // kFemForceStride an element
  std::vector<double> element_blocks;  // kFemBlockStride an element: K
  std::vector<double> element_bounds;  // kFemForceStride an element; empty unless wanted
};

class FemBody : public Deformable {
 public:
  /// Throws InputError if the mesh (CheckTetMesh), the material or the held nodes are not good.
  FemBody(TetMesh mesh, const FemMaterial& material, const FemSettings& settings = {});

  const TetMesh& mesh() const { return mesh_; }
  const FemMaterial& material() const { return material_; }
  const FemSettings& settings() const { return settings_; }
  int num_nodes() const { return num_items(); }
  int num_elements() const { return static_cast<int>(mesh_.tets.size()); }
  /// A node's share of the mass [kg]: its row sum of M.
  double node_mass(int node) const { return node_mass_[static_cast<std::size_t>(node)]; }
  Matrix3 CalcDeformation(int element, const VectorX& q) const;

  std::unique_ptr<DeformableData> MakeData() const override;
  [[nodiscard]] bool Assemble(const DeformableScheme& scheme, const DeformableInput& input, ThreadPool* pool,
                              DeformableData* data, SparseMatrix* A, VectorX* b) const override;
  void CalcHeldForces(const DeformableScheme& scheme, const DeformableInput& input, const VectorX& v_hat,
                      DeformableData* data, VectorX* force) const override;
  void Integrate(const VectorX& v_hat, const VectorX* held_velocity, double h, VectorX* q) const override;
  DeformableEnergy CalcEnergy(const DeformableInput& input, DeformableData* data) const override;
  DeformableMomentum CalcMomentum(const DeformableInput& input) const override;
  double mass() const override { return mass_; }
  void CalcInertia(const VectorX& q, VectorX* inertia) const override;
  void CalcStress(const VectorX& q, DeformableData* data, VectorX* stress) const override;

  /// Elastic forces of all nodes, 3 each, held ones included [N].
  void CalcElasticForces(const VectorX& q, ThreadPool* pool, FemData* data, VectorX* force) const;

 private:
  // Where a node's elements have it: first of 3 numbers in element_forces.
  struct NodeSources {
    std::vector<int> begin, at;
  };
  struct Mix;  // factors of a step, fem_step.cc

  void MakeBatches();
  void MakeMasses();
  void MakeSources();
  void MakePairs(const std::vector<std::vector<int>>& neighbours);

  const FemBatch& batch_of(int element) const { return batches_[static_cast<std::size_t>(element / 4)]; }
  void LoadVelocity(const DeformableInput& input, const VectorX& v, std::vector<double>* u) const;
  void CalcElements(bool stiffness, ThreadPool* pool, FemData* data) const;
  void CalcBatches(int first, int last, bool stiffness, FemData* data) const;
  void CalcElement(int element, bool stiffness, FemData* data) const;
  void AddUpForces(ThreadPool* pool, FemData* data) const;
  void FillRightSide(const Mix& mix, const DeformableInput& input, FemData* data, VectorX* b) const;
  void AddStiffnessTimes(double scale, double bound_scale, const std::vector<double>& u, const FemData& data,
                         std::vector<double>* out) const;
  void AddMassTimes(double scale, const std::vector<double>& u, std::vector<double>* out) const;

  TetMesh mesh_;
  FemMaterial material_;
  FemSettings settings_;
  LameConstants lame_;
  double mass_ = 0;
  std::vector<FemBatch> batches_;
  std::vector<double> node_mass_;
  NodeSources nodes_;
  std::vector<FemPair> pairs_;     // blocks of A of free nodes, row by row
  std::vector<int> pair_sources_;  // in element_blocks
  std::vector<int> diagonal_;      // per node: where its diagonal block begins in the values of A; -1: held
};

}  // namespace tactus
