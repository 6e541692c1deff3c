#include "tactus/math/block_tridiagonal.h"

#include <Eigen/Cholesky>

#include "tactus/core/simd.h"

namespace tactus {

namespace baseline {
extern const TridiagonalKernels kTridiagonalKernels;
}
#if TACTUS_HAVE_V3_KERNELS
namespace v3 {
extern const TridiagonalKernels kTridiagonalKernels;
}
#endif

const TridiagonalKernels& GetTridiagonalKernels() {
#if TACTUS_HAVE_V3_KERNELS
  if (ActiveSimdLevel() == SimdLevel::V3) return v3::kTridiagonalKernels;
#endif
  return baseline::kTridiagonalKernels;
}

namespace {

// A block of the factor, without what fills up its columns.
using Padded = Eigen::Map<Matrix6, Eigen::Unaligned, Eigen::OuterStride<TridiagonalFactor::kColumn>>;
using ConstPadded = Eigen::Map<const Matrix6, Eigen::Unaligned, Eigen::OuterStride<TridiagonalFactor::kColumn>>;

std::size_t Place(int i) { return static_cast<std::size_t>(TridiagonalFactor::kBlock) * i; }

}  // namespace

bool BlockTridiagonal::Fits(const SparseMatrix& A) {
  for (int r = 0; r < A.rows(); ++r) {
    for (SparseMatrix::InnerIterator it(A, r); it; ++it) {
      if (std::abs(static_cast<int>(it.col()) / kSize - r / kSize) > 1) return false;
    }
  }
  return true;
}

void BlockTridiagonal::Assign(const SparseMatrix& A) {
  const int size = static_cast<int>(A.rows()), count = (size + kSize - 1) / kSize;
  diagonal_.assign(count, Matrix6::Zero());
  below_.assign(count, Matrix6::Zero());
  for (int r = 0; r < size; ++r) {
    const int i = r / kSize;
    for (SparseMatrix::InnerIterator it(A, r); it; ++it) {
      const int column = static_cast<int>(it.col()), j = column / kSize;
      if (j == i) diagonal_[i](r % kSize, column % kSize) = it.value();
      if (j == i - 1) below_[i](r % kSize, column % kSize) = it.value();
    }
  }
  for (int r = size; r < kSize * count; ++r) diagonal_.back()(r % kSize, r % kSize) = 1;
}

bool BlockTridiagonal::Factorize() {
  const std::size_t values = Place(num_blocks());
  coupling_.assign(values, 0.0);
  coupling_transposed_.assign(values, 0.0);
  inverse_.assign(values, 0.0);
  for (int i = 0; i < num_blocks(); ++i) {
    Matrix6 D = diagonal_[i];
    if (i > 0) {
      const Matrix6 C = below_[i] * ConstPadded(inverse_.data() + Place(i - 1));
      Padded(coupling_.data() + Place(i)) = C;
      Padded(coupling_transposed_.data() + Place(i)) = C.transpose();
      D.noalias() -= C * below_[i].transpose();
    }
    const Eigen::LLT<Matrix6> llt(D);
    if (llt.info() != Eigen::Success) return false;
    const Matrix6 inverse = llt.solve(Matrix6::Identity());
    Padded(inverse_.data() + Place(i)) = 0.5 * (inverse + inverse.transpose());
  }
  return true;
}

void BlockTridiagonal::CalcInverseBlocks(std::vector<Matrix6>* blocks) const {
  blocks->resize(num_blocks());
  for (int i = num_blocks() - 1; i >= 0; --i) {
    Matrix6& G = (*blocks)[i];
    G = ConstPadded(inverse_.data() + Place(i));
    if (i + 1 == num_blocks()) continue;
    const ConstPadded C(coupling_.data() + Place(i + 1));
    G += C.transpose() * (*blocks)[i + 1] * C;
  }
}

}  // namespace tactus
