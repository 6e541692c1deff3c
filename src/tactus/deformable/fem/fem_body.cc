#include "tactus/deformable/fem/fem_body.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <Eigen/LU>

#include "tactus/core/error.h"
#include "tactus/deformable/fem/fem_hyperelastic.h"

namespace tactus {

namespace {

// Number of block (a, b), a <= b, within an element.
constexpr int kBlock[4][4] = {{0, 1, 2, 3}, {1, 4, 5, 6}, {2, 5, 7, 8}, {3, 6, 8, 9}};

}  // namespace

FemBody::FemBody(TetMesh mesh, const FemMaterial& material, const FemSettings& settings)
    : mesh_(std::move(mesh)), material_(material), settings_(settings) {
  Validate(material_);
  CheckTetMesh(mesh_, "mesh of a deformable");
  Require(mesh_.tets.size() <= std::numeric_limits<int>::max() / (kFemBlockStride + 4), "mesh of a deformable",
          fmt::format("{} elements", mesh_.tets.size()), "fewer than 2^31 numbers of all element matrices");
  lame_ = CalcLame(material_);
  const int count = static_cast<int>(mesh_.nodes.size());
  NumberDofs(count, 3, settings_.held);
  initial_q_.resize(3 * count);
  for (int i = 0; i < count; ++i) initial_q_.segment<3>(3 * i) = mesh_.nodes[static_cast<std::size_t>(i)];
  surface_.triangles = CalcSurface(mesh_);
  surface_.nodes = CalcNodesOf(surface_.triangles);

  std::vector<std::vector<int>> neighbours(mesh_.nodes.size());
  for (const std::array<int, 4>& tet : mesh_.tets) {
    for (const int i : tet) {
      auto& row = neighbours[static_cast<std::size_t>(i)];
      row.insert(row.end(), tet.begin(), tet.end());
    }
  }
  for (std::vector<int>& row : neighbours) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  MakePattern(neighbours);
  MakeBatches();
  MakeMasses();
  MakeSources();
  MakePairs(neighbours);
}

void FemBody::MakeBatches() {
  batches_.resize((mesh_.tets.size() + 3) / 4);
  for (std::size_t e = 0; e < 4 * batches_.size(); ++e) {
    std::array<int, 4> nodes = mesh_.tets[std::min(e, mesh_.tets.size() - 1)];
    std::sort(nodes.begin(), nodes.end());
    Matrix3 edges;
    for (int a = 1; a < 4; ++a) {
      edges.col(a - 1) = mesh_.nodes[static_cast<std::size_t>(nodes[static_cast<std::size_t>(a)])] -
                         mesh_.nodes[static_cast<std::size_t>(nodes[0])];
    }
    const Matrix3 inverse = edges.inverse();
    FemBatch& batch = batches_[e / 4];
    const std::size_t lane = e % 4;
    for (int axis = 0; axis < 3; ++axis) {
      batch.gradient[axis][lane] = -inverse.col(axis).sum();
      for (int a = 1; a < 4; ++a) batch.gradient[3 * a + axis][lane] = inverse(a - 1, axis);
    }
    for (std::size_t a = 0; a < 4; ++a) batch.node[a][lane] = nodes[a];
    batch.volume[lane] = std::abs(edges.determinant()) / 6;
  }
}

void FemBody::MakeMasses() {
  node_mass_.assign(mesh_.nodes.size(), 0.0);
  for (int e = 0; e < num_elements(); ++e) {
    const double mass = material_.density * batch_of(e).volume[e % 4];
    mass_ += mass;
    for (const auto& corner : batch_of(e).node) node_mass_[static_cast<std::size_t>(corner[e % 4])] += mass / 4;
  }
}

void FemBody::MakeSources() {
  nodes_.begin.assign(mesh_.nodes.size() + 1, 0);
  for (const std::array<int, 4>& tet : mesh_.tets) {
    for (const int i : tet) ++nodes_.begin[static_cast<std::size_t>(i) + 1];
  }
  for (std::size_t i = 0; i < mesh_.nodes.size(); ++i) nodes_.begin[i + 1] += nodes_.begin[i];
  nodes_.at.resize(4 * mesh_.tets.size());
  std::vector<int> next = nodes_.begin;
  for (int e = 0; e < num_elements(); ++e) {
    for (int a = 0; a < 4; ++a) {
      int& at = next[static_cast<std::size_t>(batch_of(e).node[a][e % 4])];
      nodes_.at[static_cast<std::size_t>(at++)] = kFemForceStride * e + 3 * a;
    }
  }
}

void FemBody::MakePairs(const std::vector<std::vector<int>>& neighbours) {
  const int* start = pattern_.outerIndexPtr();
  const auto row_length = [&](int i) { return start[first_dof(i) + 1] - start[first_dof(i)]; };
  // Where block (i, j) begins: after the free neighbours of i before j.
  const auto place = [&](int i, int j) {
    int before = 0;
    for (const int k : neighbours[static_cast<std::size_t>(i)]) before += k < j && first_dof(k) >= 0 ? 1 : 0;
    return start[first_dof(i)] + 3 * before;
  };
  diagonal_.assign(mesh_.nodes.size(), -1);
  for (int i = 0; i < num_nodes(); ++i) {
    if (first_dof(i) < 0) continue;
    diagonal_[static_cast<std::size_t>(i)] = place(i, i);
    for (const int j : neighbours[static_cast<std::size_t>(i)]) {
      if (j < i || first_dof(j) < 0) continue;
      FemPair pair{static_cast<int>(pair_sources_.size()), 0, place(i, j), row_length(i), -1, 0, 0};
      if (i != j) {
        pair.lower = place(j, i);
        pair.lower_stride = row_length(j);
      } else if (settings_.mass == FemMass::Lumped) {
        pair.mass = node_mass(i);
      }
      for (int s = nodes_.begin[static_cast<std::size_t>(i)]; s < nodes_.begin[static_cast<std::size_t>(i) + 1]; ++s) {
        const int element = nodes_.at[static_cast<std::size_t>(s)] / kFemForceStride;
        const int a = nodes_.at[static_cast<std::size_t>(s)] % kFemForceStride / 3;
        for (int b = a; b < 4; ++b) {
          if (batch_of(element).node[b][element % 4] != j) continue;
          pair_sources_.push_back(kFemBlockStride * element + 9 * kBlock[a][b]);
          if (settings_.mass == FemMass::Consistent) {
            pair.mass += material_.density * batch_of(element).volume[element % 4] * (i == j ? 0.1 : 0.05);
          }
        }
      }
      pair.end = static_cast<int>(pair_sources_.size());
      pairs_.push_back(pair);
    }
  }
}

Matrix3 FemBody::CalcDeformation(int element, const VectorX& q) const {
  const FemBatch& batch = batch_of(element);
  Matrix3 F = Matrix3::Zero();
  for (int a = 0; a < 4; ++a) {
    const Vector3 g(batch.gradient[3 * a][element % 4], batch.gradient[3 * a + 1][element % 4],
                    batch.gradient[3 * a + 2][element % 4]);
    F += q.segment<3>(3 * batch.node[a][element % 4]) * g.transpose();
  }
  return F;
}

std::unique_ptr<DeformableData> FemBody::MakeData() const {
  auto data = std::make_unique<FemData>();
  const std::size_t n = 3 * mesh_.nodes.size(), padded = 4 * batches_.size();
  for (std::vector<double>* v : {&data->x, &data->u, &data->force, &data->work}) v->assign(n, 0.0);
  data->rotations.assign(kFemRotationStride * batches_.size(), 0.0);
  data->bad.assign(batches_.size(), 0);
  data->element_forces.assign(kFemForceStride * padded, 0.0);
  data->element_blocks.assign(kFemBlockStride * padded, 0.0);
  if (settings_.geometric_bound) {
    data->bound.assign(n, 0.0);
    data->element_bounds.assign(kFemForceStride * padded, 0.0);
  }
  return data;
}

void FemBody::Integrate(const VectorX& v_hat, const VectorX* held_velocity, double h, VectorX* q) const {
  for (int i = 0; i < num_nodes(); ++i) {
    if (first_dof(i) >= 0) {
      q->segment<3>(3 * i) += h * v_hat.segment<3>(first_dof(i));
    } else if (held_velocity) {
      q->segment<3>(3 * i) += h * held_velocity->segment<3>(first_held_dof(i));
    }
  }
}

DeformableEnergy FemBody::CalcEnergy(const DeformableInput& input, DeformableData* data) const {
  auto* scratch = static_cast<FemData*>(data);
  DeformableEnergy energy;
  for (int e = 0; e < num_elements(); ++e) {
    energy.elastic +=
        batch_of(e).volume[e % 4] * CalcEnergyDensity(material_.model, lame_, CalcDeformation(e, *input.q));
  }
  LoadVelocity(input, *input.v, &scratch->u);
  std::fill(scratch->work.begin(), scratch->work.end(), 0.0);
  AddMassTimes(0.5, scratch->u, &scratch->work);
  for (std::size_t k = 0; k < scratch->u.size(); ++k) energy.kinetic += scratch->u[k] * scratch->work[k];
  for (int i = 0; i < num_nodes(); ++i) energy.gravity -= node_mass(i) * input.gravity.dot(input.q->segment<3>(3 * i));
  return energy;
}

void FemBody::CalcInertia(const VectorX& /*q*/, VectorX* inertia) const {
  inertia->resize(nv());
  for (int i = 0; i < num_nodes(); ++i) {
    if (first_dof(i) >= 0) inertia->segment<3>(first_dof(i)).setConstant(node_mass(i));
  }
}

DeformableMomentum FemBody::CalcMomentum(const DeformableInput& input) const {
  // With consistent mass, sum of M v weighs places as well: x_a m_ab v_b.
  DeformableMomentum momentum;
  const auto velocity = [&](int i) -> Vector3 {
    if (first_dof(i) >= 0) return input.v->segment<3>(first_dof(i));
    return input.held_velocity ? Vector3(input.held_velocity->segment<3>(first_held_dof(i))) : Vector3::Zero();
  };
  const auto add = [&](int a, int b, double mass) {
    const Vector3 p = mass * velocity(b);
    momentum.linear += p;
    momentum.angular += Vector3(input.q->segment<3>(3 * a)).cross(p);
  };
  for (int e = 0; e < num_elements(); ++e) {
    const FemBatch& batch = batch_of(e);
    const double mass = material_.density * batch.volume[e % 4];
    for (int a = 0; a < 4; ++a) {
      const int i = batch.node[a][e % 4];
      if (settings_.mass == FemMass::Lumped) add(i, i, mass / 4);
      for (int b = 0; settings_.mass == FemMass::Consistent && b < 4; ++b) {
        add(i, batch.node[b][e % 4], mass * (a == b ? 0.1 : 0.05));
      }
    }
  }
  return momentum;
}

void FemBody::CalcStress(const VectorX& q, DeformableData* /*data*/, VectorX* stress) const {
  stress->resize(num_elements());
  for (int e = 0; e < num_elements(); ++e) {
    (*stress)[e] = CalcVonMises(material_.model, lame_, CalcDeformation(e, q));
  }
}

}  // namespace tactus
