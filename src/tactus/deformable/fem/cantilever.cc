#include "tactus/deformable/fem/cantilever.h"

#include <cmath>
#include <vector>

#include "tactus/core/error.h"
#include "tactus/deformable/mesh/tet_shapes.h"
#include "tactus/math/sparse_cholesky.h"

namespace tactus {

FemBody MakeClampedBeam(double poisson, const std::array<int, 3>& cells, const FemMaterial& other) {
  TetMesh mesh = MakeBeamTets(kBeamLength, kBeamSide, kBeamSide, cells);
  FemSettings settings;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    if (mesh.nodes[i][0] < 1e-9) settings.held.push_back(static_cast<int>(i));
  }
  FemMaterial material = other;
  material.young = kBeamYoung;
  material.poisson = poisson;
  return {mesh, material, settings};
}

namespace {

// A step so long that inertia does not count.
double TipDeflection(const FemBody& body) {
  const VectorX v = VectorX::Zero(body.nv());
  VectorX external = v, b;
  std::vector<int> tip;
  for (int i = 0; i < body.num_nodes(); ++i) {
    if (body.initial_q()[3 * i] > kBeamLength - 1e-9) tip.push_back(i);
  }
  for (const int i : tip) external[body.first_dof(i) + 2] = 1.0 / static_cast<double>(tip.size());
  DeformableInput input;
  input.q = &body.initial_q();
  input.v = &v;
  input.external = &external;
  auto data = body.MakeData();
  SparseMatrix A = body.pattern();
  const double h = 1e7;
  if (!body.Assemble({h, 0}, input, nullptr, data.get(), &A, &b)) throw NumericalError("the beam is not finite");
  SparseCholesky cholesky;
  const auto rows = static_cast<std::size_t>(A.rows()), count = static_cast<std::size_t>(A.nonZeros());
  cholesky.Analyze({A.outerIndexPtr(), rows + 1}, {A.innerIndexPtr(), count});
  if (!cholesky.Factorize(A.valuePtr())) throw NumericalError("the beam's matrix is not positive definite");
  std::vector<double> work(static_cast<std::size_t>(cholesky.work_size()));
  cholesky.Solve(b.data(), work.data());
  double sum = 0;
  for (const int i : tip) sum += h * b[body.first_dof(i) + 2];
  return sum / static_cast<double>(tip.size());
}

// Timoshenko, with the shear factor of a square (Cowper).
double BeamTheory(double poisson) {
  const double area = kBeamSide * kBeamSide, I = area * area / 12, G = kBeamYoung / (2 * (1 + poisson));
  const double k = 10 * (1 + poisson) / (12 + 11 * poisson);
  return std::pow(kBeamLength, 3) / (3 * kBeamYoung * I) + kBeamLength / (k * G * area);
}

}  // namespace

double CalcDeflectionShare(double poisson, const std::array<int, 3>& cells) {
  return TipDeflection(MakeClampedBeam(poisson, cells)) / BeamTheory(poisson);
}

}  // namespace tactus
