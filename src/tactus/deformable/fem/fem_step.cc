// One step of a FemBody as A v_hat = b: element loops, then sums over elements by node and pair of nodes, each in a
// fixed order and by one thread.
#include <algorithm>
#include <cmath>

#include "tactus/deformable/fem/fem_body.h"
#include "tactus/deformable/fem/fem_hyperelastic.h"
#include "tactus/deformable/fem/polar.h"

namespace tactus {

namespace {

constexpr int kBatchesPerTask = 64;
constexpr int kPairsPerTask = 1024;
constexpr int kNodesPerTask = 512;

// task(first, last) over pieces of [0, count), which do not depend on the number of threads.
template <typename Task>
void ForRanges(ThreadPool* pool, int count, int piece, const Task& task) {
  const int pieces = (count + piece - 1) / piece;
  const auto one = [&](int index, int /*thread*/) { task(index * piece, std::min(count, (index + 1) * piece)); };
  if (pool) {
    pool->ForEach(pieces, one);
  } else {
    for (int i = 0; i < pieces; ++i) one(i, 0);
  }
}

Eigen::Map<Vector3> At(std::vector<double>& v, int i) { return Eigen::Map<Vector3>(v.data() + 3 * std::size_t(i)); }
Eigen::Map<const Vector3> At(const std::vector<double>& v, int i) {
  return Eigen::Map<const Vector3>(v.data() + 3 * std::size_t(i));
}

Vector3 GradientOf(const FemBatch& batch, int a, int lane) {
  return {batch.gradient[3 * a][lane], batch.gradient[3 * a + 1][lane], batch.gradient[3 * a + 2][lane]};
}

// Block (a, b) of an element's stiffness: V sum_jl g_a[j] H_jl g_b[l].
Matrix3 StiffnessBlock(const Matrix9& H, const Vector3& ga, const Vector3& gb, double volume) {
  Matrix3 block = Matrix3::Zero();
  for (int j = 0; j < 3; ++j) {
    for (int l = 0; l < 3; ++l) block += (ga[j] * gb[l]) * H.block<3, 3>(3 * j, 3 * l);
  }
  return volume * block;
}

}  // namespace

// A = mass M + stiffness K + bound E.
struct FemBody::Mix {
  Mix(const DeformableScheme& scheme, const FemMaterial& material)
      : h(scheme.step),
        inertia(1 / (1 - scheme.theta)),
        implicit((1 - scheme.theta) * h * h),
        mass(inertia + h * material.mass_damping),
        stiffness(implicit + h * material.stiffness_damping) {}
  double h;
  double inertia;   // 1/(1 - theta)
  double implicit;  // c h^2
  double mass, stiffness;
};

void FemBody::LoadVelocity(const DeformableInput& input, const VectorX& v, std::vector<double>* u) const {
  for (int i = 0; i < num_nodes(); ++i) {
    if (first_dof(i) >= 0) {
      At(*u, i) = v.segment<3>(first_dof(i));
    } else if (input.held_velocity) {
      At(*u, i) = input.held_velocity->segment<3>(first_held_dof(i));
    } else {
      At(*u, i).setZero();
    }
  }
}

// Elements that the kernels do not do: other materials, true derivatives, and the geometric stiffness.
void FemBody::CalcElement(int element, bool stiffness, FemData* data) const {
  const FemBatch& batch = batch_of(element);
  const int lane = element % 4;
  const double volume = batch.volume[lane];
  Matrix3 F = Matrix3::Zero();
  Vector3 g[4];
  for (int a = 0; a < 4; ++a) {
    g[a] = GradientOf(batch, a, lane);
    F += At(data->x, batch.node[a][lane]) * g[a].transpose();
  }
  const Matrix3 P = tactus::CalcStress(material_.model, lame_, F);
  double* force = data->element_forces.data() + std::size_t(kFemForceStride) * std::size_t(element);
  for (int a = 0; a < 4; ++a) Eigen::Map<Vector3>(force + 3 * a) = -volume * (P * g[a]);
  if (!stiffness) return;
  const bool exact = settings_.stiffness == FemStiffness::Exact;
  Matrix9 H, geometric;
  if (!exact || settings_.geometric_bound) H = CalcPositiveDerivative(material_.model, lame_, F);
  if (exact || settings_.geometric_bound) {
    const Matrix9 whole = CalcStressDerivative(material_.model, lame_, F);
    if (settings_.geometric_bound) geometric = whole - H;
    if (exact) H = whole;
  }
  double* block = data->element_blocks.data() + std::size_t(kFemBlockStride) * std::size_t(element);
  for (int a = 0; a < 4; ++a) {
    for (int b = a; b < 4; ++b, block += 9) {
      Matrix3 K = StiffnessBlock(H, g[a], g[b], volume);
      if (a == b) K = 0.5 * (K + K.transpose()).eval();  // to the bit
      Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>{block} = K;
    }
  }
  if (!settings_.geometric_bound) return;
  // What R K0 R^T (or the positive part) leaves out of the true derivative.
  double* bound = data->element_bounds.data() + std::size_t(kFemForceStride) * std::size_t(element);
  for (int b = 0; b < 4; ++b) {
    Vector3 sum = Vector3::Zero();
    for (int a = 0; a < 4; ++a)
      sum += StiffnessBlock(geometric, g[a], g[b], volume).cwiseAbs().colwise().sum().transpose();
    Eigen::Map<Vector3>(bound + 3 * b) = sum;
  }
}

void FemBody::CalcBatches(int first, int last, bool stiffness, FemData* data) const {
  const bool plain = material_.model == FemModel::Corotational &&
                     (!stiffness || (settings_.stiffness == FemStiffness::Positive && !settings_.geometric_bound));
  if (!plain) {
    for (int e = 4 * first; e < std::min(4 * last, num_elements()); ++e) CalcElement(e, stiffness, data);
    return;
  }
  const FemKernels& kernels = GetFemKernels();
  const FemBatch* batches = batches_.data() + first;
  double* rotations = data->rotations.data() + std::size_t(kFemRotationStride) * std::size_t(first);
  kernels.rotate(batches, last - first, data->x.data(), rotations, data->bad.data() + first);
  for (int i = first; i < last; ++i) {
    for (int lane = 0; lane < 4; ++lane) {
      if ((data->bad[static_cast<std::size_t>(i)] >> lane & 1) == 0) continue;
      const FemBatch& batch = batches_[static_cast<std::size_t>(i)];
      Matrix3 F = Matrix3::Zero();
      for (int a = 0; a < 4; ++a) {
        F += At(data->x, batch.node[a][lane]) * GradientOf(batch, a, lane).transpose();
      }
      const Matrix3 R = CalcRotation(F);
      double* to = data->rotations.data() + std::size_t(kFemRotationStride) * std::size_t(i) + lane;
      for (int k = 0; k < 9; ++k) to[4 * k] = R(k / 3, k % 3);
    }
  }
  kernels.corotational(
      batches, last - first, data->x.data(), rotations, lame_.lambda, lame_.mu,
      data->element_forces.data() + std::size_t(4 * kFemForceStride) * std::size_t(first),
      stiffness ? data->element_blocks.data() + std::size_t(4 * kFemBlockStride) * std::size_t(first) : nullptr);
}

void FemBody::CalcElements(bool stiffness, ThreadPool* pool, FemData* data) const {
  ForRanges(pool, static_cast<int>(batches_.size()), kBatchesPerTask,
            [&](int first, int last) { CalcBatches(first, last, stiffness, data); });
}

void FemBody::AddUpForces(ThreadPool* pool, FemData* data) const {
  ForRanges(pool, num_nodes(), kNodesPerTask, [&](int first, int last) {
    for (int i = first; i < last; ++i) {
      Vector3 sum = Vector3::Zero();
      const auto begin = static_cast<std::size_t>(nodes_.begin[static_cast<std::size_t>(i)]);
      const auto end = static_cast<std::size_t>(nodes_.begin[static_cast<std::size_t>(i) + 1]);
      for (std::size_t s = begin; s < end; ++s) {
        sum += Eigen::Map<const Vector3>(data->element_forces.data() + nodes_.at[s]);
      }
      At(data->force, i) = sum;
      if (data->bound.empty()) continue;
      sum.setZero();
      for (std::size_t s = begin; s < end; ++s) {
        sum += Eigen::Map<const Vector3>(data->element_bounds.data() + nodes_.at[s]);
      }
      At(data->bound, i) = sum;
    }
  });
}

void FemBody::AddStiffnessTimes(double scale, double bound_scale, const std::vector<double>& u, const FemData& data,
                                std::vector<double>* out) const {
  for (int e = 0; e < num_elements(); ++e) {
    const double* block = data.element_blocks.data() + std::size_t(kFemBlockStride) * std::size_t(e);
    for (int a = 0; a < 4; ++a) {
      const int i = batch_of(e).node[a][e % 4];
      for (int b = a; b < 4; ++b, block += 9) {
        const int j = batch_of(e).node[b][e % 4];
        const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> K(block);
        At(*out, i) += scale * (K * At(u, j));
        if (b > a) At(*out, j) += scale * (K.transpose() * At(u, i));
      }
    }
  }
  for (std::size_t k = 0; k < data.bound.size(); ++k) (*out)[k] += bound_scale * data.bound[k] * u[k];
}

void FemBody::AddMassTimes(double scale, const std::vector<double>& u, std::vector<double>* out) const {
  if (settings_.mass == FemMass::Lumped) {
    for (int i = 0; i < num_nodes(); ++i) At(*out, i) += scale * node_mass(i) * At(u, i);
    return;
  }
  for (int e = 0; e < num_elements(); ++e) {
    const double mass = scale * material_.density * batch_of(e).volume[e % 4];
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < 4; ++b) {
        At(*out, batch_of(e).node[a][e % 4]) += mass * (a == b ? 0.1 : 0.05) * At(u, batch_of(e).node[b][e % 4]);
      }
    }
  }
}

void FemBody::FillRightSide(const Mix& mix, const DeformableInput& input, FemData* data, VectorX* b) const {
  std::vector<double>& right = data->work;
  std::fill(right.begin(), right.end(), 0.0);
  // Held nodes keep their velocity: no inertia of theirs, and what A has between them and free ones moves to b.
  LoadVelocity(input, *input.v, &data->u);
  AddMassTimes(mix.inertia, data->u, &right);
  if (input.held_velocity) {
    for (int i = 0; i < num_nodes(); ++i) {
      if (first_dof(i) >= 0) At(data->u, i).setZero();
    }
    AddMassTimes(-mix.mass, data->u, &right);
    AddStiffnessTimes(-mix.stiffness, -mix.implicit, data->u, *data, &right);
  }
  if (input.v_hat) {
    LoadVelocity(input, *input.v_hat, &data->u);
    AddStiffnessTimes(mix.implicit, mix.implicit, data->u, *data, &right);
  }
  for (int i = 0; i < num_nodes(); ++i) {
    const int dof = first_dof(i);
    if (dof < 0) continue;
    Vector3 force = At(data->force, i) + node_mass(i) * input.gravity;
    if (input.external) force += input.external->segment<3>(dof);
    b->segment<3>(dof) = At(right, i) + mix.h * force;
  }
}

bool FemBody::Assemble(const DeformableScheme& scheme, const DeformableInput& input, ThreadPool* pool,
                       DeformableData* data, SparseMatrix* A, VectorX* b) const {
  CheckSizes(input, *A);
  auto* scratch = static_cast<FemData*>(data);
  const Mix mix(scheme, material_);
  Eigen::Map<VectorX>(scratch->x.data(), nq()) = *input.q;
  if (input.v_hat) {
    LoadVelocity(input, *input.v_hat, &scratch->u);
    const double time = (1 - scheme.theta) * scheme.step;
    for (std::size_t k = 0; k < scratch->x.size(); ++k) scratch->x[k] += time * scratch->u[k];
  }
  CalcElements(true, pool, scratch);
  AddUpForces(pool, scratch);
  double* values = A->valuePtr();
  const FemKernels& kernels = GetFemKernels();
  ForRanges(pool, static_cast<int>(pairs_.size()), kPairsPerTask, [&](int first, int last) {
    kernels.gather(pairs_.data() + first, last - first, pair_sources_.data(), scratch->element_blocks.data(),
                   mix.stiffness, mix.mass, values);
  });
  for (int i = 0; !scratch->bound.empty() && i < num_nodes(); ++i) {
    const int at = diagonal_[static_cast<std::size_t>(i)];
    if (at < 0) continue;
    const int length = pattern_.outerIndexPtr()[first_dof(i) + 1] - pattern_.outerIndexPtr()[first_dof(i)];
    for (int k = 0; k < 3; ++k) values[at + k * (length + 1)] += mix.implicit * At(scratch->bound, i)[k];
  }
  b->resize(nv());
  FillRightSide(mix, input, scratch, b);
  return b->allFinite() && Eigen::Map<const VectorX>(values, A->nonZeros()).allFinite();
}

void FemBody::CalcHeldForces(const DeformableScheme& scheme, const DeformableInput& input, const VectorX& v_hat,
                             DeformableData* data, VectorX* force) const {
  auto* scratch = static_cast<FemData*>(data);
  const Mix mix(scheme, material_);
  std::vector<double>&u = scratch->u, &right = scratch->work;
  std::fill(right.begin(), right.end(), 0.0);
  LoadVelocity(input, v_hat, &u);
  AddStiffnessTimes(mix.stiffness, mix.implicit, u, *scratch, &right);
  AddMassTimes(mix.mass, u, &right);
  LoadVelocity(input, *input.v, &u);
  AddMassTimes(-mix.inertia, u, &right);
  if (input.v_hat) {
    LoadVelocity(input, *input.v_hat, &u);
    AddStiffnessTimes(-mix.implicit, -mix.implicit, u, *scratch, &right);
  }
  force->resize(num_held_dofs());
  for (int i = 0; i < num_nodes(); ++i) {
    if (first_held_dof(i) < 0) continue;
    force->segment<3>(first_held_dof(i)) = At(right, i) / mix.h - At(scratch->force, i) - node_mass(i) * input.gravity;
  }
}

void FemBody::CalcElasticForces(const VectorX& q, ThreadPool* pool, FemData* data, VectorX* force) const {
  Eigen::Map<VectorX>(data->x.data(), nq()) = q;
  CalcElements(false, pool, data);
  AddUpForces(pool, data);
  *force = Eigen::Map<const VectorX>(data->force.data(), nq());
}

}  // namespace tactus
