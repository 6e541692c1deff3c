#include "bench/siconos/siconos_solve.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "tactus/core/timer.h"

// Siconos's headers are C and not clean under our warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#pragma GCC diagnostic pop

namespace tactus::bench {

namespace {

// Siconos's component k of a contact, normal first, is our component kOurs[k].
constexpr std::array<int, 3> kOurs = {2, 0, 1};

// Its structures free their arrays by free().
template <typename T>
T* Allocate(std::size_t count) {
  T* data = static_cast<T*>(std::calloc(std::max<std::size_t>(count, 1), sizeof(T)));
  if (!data) throw std::bad_alloc();
  return data;
}

double* CopyOf(const VectorX& values) {
  double* data = Allocate<double>(static_cast<std::size_t>(values.size()));
  std::copy(values.begin(), values.end(), data);
  return data;
}

// Entry (i, j) of a block of ours in Siconos's component order.
double BlockEntry(const double* block, int i, int j) { return block[3 * kOurs[i] + kOurs[j]]; }

NumericsMatrix* MakeDense(const DelassusMatrix& W) {
  const int n = W.size();
  double* data = Allocate<double>(static_cast<std::size_t>(n) * n);
  for (int c = 0; c < W.num_constraints(); ++c) {
    for (int k = W.row_begin(c); k < W.row_end(c); ++k) {
      for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
          data[3 * c + i + static_cast<std::size_t>(n) * (3 * W.column(k) + j)] = BlockEntry(W.block(k), i, j);
        }
      }
    }
  }
  return NM_create_from_data(NM_DENSE, n, n, data);
}

NumericsMatrix* MakeBlock(const DelassusMatrix& W) {
  const int count = W.num_constraints();
  const int blocks = W.row_end(count - 1);
  SparseBlockStructuredMatrix* sbm = SBM_new();
  SBM_null(sbm);
  sbm->nbblocks = static_cast<unsigned>(blocks);
  sbm->blocknumber0 = sbm->blocknumber1 = static_cast<unsigned>(count);
  sbm->blocksize0 = Allocate<unsigned>(static_cast<std::size_t>(count));
  sbm->blocksize1 = Allocate<unsigned>(static_cast<std::size_t>(count));
  sbm->filled1 = static_cast<std::size_t>(count) + 1;
  sbm->filled2 = static_cast<std::size_t>(blocks);
  sbm->index1_data = Allocate<std::size_t>(sbm->filled1);
  sbm->index2_data = Allocate<std::size_t>(sbm->filled2);
  sbm->block = Allocate<double*>(sbm->filled2);
  for (int c = 0; c < count; ++c) {
    sbm->blocksize0[c] = sbm->blocksize1[c] = static_cast<unsigned>(3 * (c + 1));
    sbm->index1_data[c + 1] = static_cast<std::size_t>(W.row_end(c));
    for (int k = W.row_begin(c); k < W.row_end(c); ++k) {
      sbm->index2_data[k] = static_cast<std::size_t>(W.column(k));
      sbm->block[k] = Allocate<double>(9);
      for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) sbm->block[k][i + 3 * j] = BlockEntry(W.block(k), i, j);
      }
    }
  }
  return NM_new_SBM(W.size(), W.size(), sbm);
}

// Compressed columns: what the sparse code of Siconos works on, so that it need not convert inside the timed call.
NumericsMatrix* MakeSparse(const DelassusMatrix& W) {
  const int n = W.size();
  NumericsMatrix* M = NM_create(NM_SPARSE, n, n);
  NM_triplet_alloc(M, 9 * static_cast<CS_INT>(W.row_end(W.num_constraints() - 1)));
  M->matrix2->origin = NSM_TRIPLET;
  for (int c = 0; c < W.num_constraints(); ++c) {
    for (int k = W.row_begin(c); k < W.row_end(c); ++k) {
      for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
          const double value = BlockEntry(W.block(k), i, j);
          if (value != 0 || (c == W.column(k) && i == j)) NM_entry(M, 3 * c + i, 3 * W.column(k) + j, value);
        }
      }
    }
  }
  NM_csc(M);
  M->matrix2->origin = NSM_CSC;
  NM_clearTriplet(M);
  return M;
}

NumericsMatrix* MakeMatrix(const DelassusMatrix& W, SiconosStorage storage) {
  switch (storage) {
    case SiconosStorage::Dense: return MakeDense(W);
    case SiconosStorage::Block: return MakeBlock(W);
    case SiconosStorage::Sparse: return MakeSparse(W);
  }
  return nullptr;
}

}  // namespace

const char* ToString(SiconosStorage storage) {
  switch (storage) {
    case SiconosStorage::Dense: return "dense";
    case SiconosStorage::Block: return "block";
    case SiconosStorage::Sparse: return "sparse";
  }
  return "?";
}

const std::vector<SiconosSolver>& SiconosSolvers() {
  static const std::vector<SiconosSolver> table = {
      {"NSGS", SICONOS_FRICTION_3D_NSGS, 100000000},
      {"NSN_AC", SICONOS_FRICTION_3D_NSN_AC, 10000},
      {"NSN_AC_TEST", SICONOS_FRICTION_3D_NSN_AC_TEST, 10000},
      {"ADMM", SICONOS_FRICTION_3D_ADMM, 100000000},
      {"PROX", SICONOS_FRICTION_3D_PROX, 100000},
      {"VI_EG", SICONOS_FRICTION_3D_VI_EG, 100000000},
      {"VI_FPP", SICONOS_FRICTION_3D_VI_FPP, 100000000},
      {"ACLMFP", SICONOS_FRICTION_3D_ACLMFP, 100000000},
  };
  return table;
}

void SiconosInput::Check(const std::string& name, const ContactProblem& problem) {
  Require(problem.num_rows() == 0, name, "has " + std::to_string(problem.num_rows()) + " scalar rows",
          "contacts only, for Siconos");
  Require(problem.num_contacts() > 0, name, "has no contacts", "contacts, for Siconos");
  for (int c = 0; c < problem.num_contacts(); ++c) {
    Require(problem.friction(c).isotropic(), name, "has an elliptic friction cone at contact " + std::to_string(c),
            "circular ones, for Siconos");
  }
}

SiconosInput::SiconosInput(const ContactProblem& problem)
    : contacts_(problem.num_contacts()), q_(problem.size()), mu_(problem.num_contacts()), W_(problem) {
  VectorX sigma_free;
  problem.CalcSigma(VectorX::Zero(problem.size()), &sigma_free);
  for (int c = 0; c < contacts_; ++c) {
    mu_[c] = problem.friction(c).mu1;
    for (int k = 0; k < 3; ++k) q_[3 * c + k] = sigma_free[3 * c + kOurs[k]];
  }
}

Attempt SiconosInput::Solve(const SiconosSolver& solver, SiconosStorage storage, double tolerance) const {
  numerics_set_verbose(0);
  FrictionContactProblem* problem =
      frictionContactProblem_new_with_data(3, contacts_, MakeMatrix(W_, storage), CopyOf(q_), CopyOf(mu_));
  SolverOptions* options = solver_options_create(solver.id);
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = solver.max_iterations;
  VectorX r = VectorX::Zero(3 * contacts_), u = VectorX::Zero(3 * contacts_);

  const Timer wall;
  const ThreadCpuTimer cpu;
  const int info = fc3d_driver(problem, r.data(), u.data(), options);
  Attempt attempt;
  attempt.cpu = cpu.seconds();
  attempt.wall = wall.seconds();

  attempt.claimed = info == 0;
  attempt.iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
  attempt.impulse.resize(3 * contacts_);
  for (int c = 0; c < contacts_; ++c) {
    for (int k = 0; k < 3; ++k) attempt.impulse[3 * c + kOurs[k]] = r[3 * c + k];
  }
  solver_options_delete(options);
  frictionContactProblem_free(problem);
  return attempt;
}

}  // namespace tactus::bench
