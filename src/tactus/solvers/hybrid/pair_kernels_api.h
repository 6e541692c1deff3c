// Kernels over the contacts between two rigid bodies, four contacts at a time, compiled once per instruction-set level.
//
// Contacts of a pair act through one relative twist V = [v; w] at the pair's origin. Everything is in world axes, so an
// isotropic contact needs its normal but no tangents: with x = lambda_k - beta (v + w x r + e),
//   slip:  lambda = x_n n + s x_t,  s = mu x_n/|x_t|,    d lambda/dx = s I + a n^T - s h h^T,
//          a = (1 - s) n + mu h,  h = x_t/|x_t|;   stick: s = 1, a = h = 0;   open: 0.
// With X = [I, -[r]x] the sum of X^T (beta D) X is ten numbers for the multiples of I and a 6x6 matrix of rank-one
// terms.
#pragma once

namespace tactus {

/// Structure of arrays over contacts; every pair starts at a multiple of four and is padded with zeros.
struct PairContactArrays {
  const double* r[3];  // point relative to the pair's origin
  const double* n[3];  // normal
  const double* m[3];  // r x n
  const double* e[3];  // velocity offset
  const double* mu;
  const double* radius = nullptr;  // of the disc of friction where it is given, else mu x_n
  const double* rho;               // local effective mass; beta = factor * rho
  const double* lambda_k[3];       // impulses of the last outer iteration
  double* lambda[3];               // out: impulses
};

struct PairKernels {
  /// lambda = T(lambda_k - beta sigma(twist)) for contacts [begin, end) and its wrench about the pair's origin.
  void (*evaluate)(const PairContactArrays& c, int begin, int end, const double* twist, double factor, double* wrench);
  /// The same, and K = sum X^T (beta D) X, row major 6x6.
  void (*evaluate_jacobian)(const PairContactArrays& c, int begin, int end, const double* twist, double factor,
                            double* wrench, double* K);
  /// Sums over contacts of |l - P(l - rho sigma~)|^2/rho and |l|^2/rho at impulses l = c.lambda.
  void (*score)(const PairContactArrays& c, int begin, int end, const double* twist, double* error, double* length);
  /// Wrench of the impulses c.lambda.
  void (*wrench)(const PairContactArrays& c, int begin, int end, double* wrench);
  /// What K of a pair adds to H: out[0] += K, out[1] -= K S, out[2] -= S^T K, out[3] += S^T K S, row major with the
  /// given strides, where S = [I, -[d]x; 0, I] moves twists of the second body to the pair's origin.
  void (*add_blocks)(const double* K, const double* d, double* const out[4], const int stride[4]);
};

const PairKernels& GetPairKernels();

}  // namespace tactus
