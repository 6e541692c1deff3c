// Ipopt on an inverse problem, as paper 004 compares with it (section IV): cones as inequalities, complementarity as
// equations x . (sigma + Gamma(sigma)) = 0, or as inequalities <= eps with eps going to 0 (homotopy).
//
//     v = (x_a, x_c, sigma, r),  min 1/2 |r|^2   s.t.   C x_a + D x_c - sigma = -g,   A x_a + B x_c - r = -b,
//     x . sigma + mu x_n w(sigma_t) = 0 or <= eps,   mu^2 x_n^2 - |x_t|^2 >= 0,   x_n >= 0,   sigma_n >= 0
//
// with w = sqrt(|sigma_t|^2 + delta^2) - delta in place of |sigma_t|, which has no derivative at 0. The residual r as
// an unknown keeps the Hessian sparse. All in the scaled units that ours uses too.
#include "apps/cli/inverse/inverse_methods.h"

#include "tactus/core/error.h"

#if TACTUS_HAVE_IPOPT

#include <algorithm>
#include <cmath>

#include <IpStdCInterface.h>

#include "tactus/inverse/qpcc_clock.h"
#include "tactus/inverse/qpcc_residual.h"
#include "tactus/inverse/qpcc_unscale.h"

namespace tactus::cli {

namespace {

constexpr double kSmoothing = 1e-6, kUnbounded = 2e19;
constexpr int kMostIterations = 500;
constexpr double kFirstRelaxation = 1, kLastRelaxation = 1e-8, kShrink = 0.1;

struct Program {
  const QpccScaled& p;
  int na, m, ne, nc, dim, t;
  int x_c, sigma, r, num_variables;            // where parts of v begin
  int complementarity, cone, num_constraints;  // where parts of the constraints begin

  explicit Program(const QpccScaled& scaled)
      : p(scaled),
        na(scaled.na),
        m(scaled.m),
        ne(static_cast<int>(scaled.b.size())),
        nc(scaled.num_contacts()),
        dim(scaled.dim()),
        t(scaled.dim() - 1) {
    x_c = na;
    sigma = x_c + m;
    r = sigma + m;
    num_variables = r + ne;
    complementarity = m + ne;
    cone = complementarity + nc;
    num_constraints = cone + (t > 0 ? nc : 0);
  }

  double Speed2(const double* s) const {
    double sum = 0;
    for (int k = 0; k < t; ++k) sum += s[k] * s[k];
    return sum;
  }
  double Root(const double* s) const { return std::sqrt(Speed2(s) + kSmoothing * kSmoothing); }

  // Entries: dense rows of dynamics and task over (x_a, x_c), their -1, then the contacts' blocks.
  int num_jacobian() const { return (m + ne) * (na + m) + m + ne + nc * 2 * dim + (t > 0 ? nc * dim : 0); }

  void JacobianPattern(int* row, int* col) const {
    int k = 0;
    for (int i = 0; i < m + ne; ++i) {
      for (int j = 0; j < na + m; ++j) row[k] = i, col[k++] = j;
    }
    for (int i = 0; i < m; ++i) row[k] = i, col[k++] = sigma + i;
    for (int i = 0; i < ne; ++i) row[k] = m + i, col[k++] = r + i;
    for (int c = 0; c < nc; ++c) {
      for (int j = 0; j < dim; ++j) row[k] = complementarity + c, col[k++] = x_c + c * dim + j;
      for (int j = 0; j < dim; ++j) row[k] = complementarity + c, col[k++] = sigma + c * dim + j;
    }
    for (int c = 0; c < nc && t > 0; ++c) {
      for (int j = 0; j < dim; ++j) row[k] = cone + c, col[k++] = x_c + c * dim + j;
    }
  }

  void JacobianValues(const double* v, double* out) const {
    int k = 0;
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < na + m; ++j) out[k++] = p.CD(i, j);
    }
    for (int i = 0; i < ne; ++i) {
      for (int j = 0; j < na + m; ++j) out[k++] = p.AB(i, j);
    }
    for (int i = 0; i < m + ne; ++i) out[k++] = -1;
    for (int c = 0; c < nc; ++c) {
      const double *x = v + x_c + c * dim, *s = v + sigma + c * dim;
      const double mu = p.friction(c), root = t > 0 ? Root(s) : 0;
      for (int j = 0; j < t; ++j) out[k++] = s[j];
      out[k++] = s[t] + mu * (t > 0 ? root - kSmoothing : 0);
      for (int j = 0; j < t; ++j) out[k++] = x[j] + mu * x[t] * s[j] / root;
      out[k++] = x[t];
    }
    for (int c = 0; c < nc && t > 0; ++c) {
      const double* x = v + x_c + c * dim;
      for (int j = 0; j < t; ++j) out[k++] = -2 * x[j];
      out[k++] = 2 * p.friction(c) * p.friction(c) * x[t];
    }
  }

  void Constraints(const double* v, double* out) const {
    Eigen::Map<const VectorX> x(v, na + m);
    Eigen::Map<VectorX> dynamics(out, m), task(out + m, ne);
    dynamics = p.CD * x - Eigen::Map<const VectorX>(v + sigma, m);
    task = p.AB * x - Eigen::Map<const VectorX>(v + r, ne);
    for (int c = 0; c < nc; ++c) {
      const double *l = v + x_c + c * dim, *s = v + sigma + c * dim;
      double product = 0, square = 0;
      for (int j = 0; j < dim; ++j) product += l[j] * s[j];
      for (int j = 0; j < t; ++j) square += l[j] * l[j];
      const double mu = p.friction(c);
      if (t > 0) {
        product += mu * l[t] * (Root(s) - kSmoothing);
        out[cone + c] = mu * mu * l[t] * l[t] - square;
      }
      out[complementarity + c] = product;
    }
  }

  // Lower triangle: r r, (sigma_j, x_j), (sigma_j, x_n), (sigma_i, sigma_j), cone diagonal.
  int num_hessian() const { return ne + nc * (dim + t + t * (t + 1) / 2 + (t > 0 ? dim : 0)); }

  void HessianPattern(int* row, int* col) const {
    int k = 0;
    for (int i = 0; i < ne; ++i) row[k] = r + i, col[k++] = r + i;
    for (int c = 0; c < nc; ++c) {
      const int x = x_c + c * dim, s = sigma + c * dim;
      for (int j = 0; j < dim; ++j) row[k] = s + j, col[k++] = x + j;
      for (int j = 0; j < t; ++j) row[k] = s + j, col[k++] = x + t;
      for (int i = 0; i < t; ++i) {
        for (int j = 0; j <= i; ++j) row[k] = s + i, col[k++] = s + j;
      }
      for (int j = 0; j < dim && t > 0; ++j) row[k] = x + j, col[k++] = x + j;
    }
  }

  void HessianValues(const double* v, double objective, const double* lambda, double* out) const {
    int k = 0;
    for (int i = 0; i < ne; ++i) out[k++] = objective;
    for (int c = 0; c < nc; ++c) {
      const double *x = v + x_c + c * dim, *s = v + sigma + c * dim;
      const double y = lambda[complementarity + c], mu = p.friction(c), root = t > 0 ? Root(s) : 1;
      for (int j = 0; j < dim; ++j) out[k++] = y;
      for (int j = 0; j < t; ++j) out[k++] = y * mu * s[j] / root;
      for (int i = 0; i < t; ++i) {
        for (int j = 0; j <= i; ++j) {
          out[k++] = y * mu * x[t] * ((i == j ? 1 / root : 0) - s[i] * s[j] / (root * root * root));
        }
      }
      for (int j = 0; j < dim && t > 0; ++j) out[k++] = lambda[cone + c] * (j < t ? -2 : 2 * mu * mu);
    }
  }
};

const Program& ProgramOf(UserDataPtr data) { return *static_cast<const Program*>(data); }

Bool EvalF(Index, Number* v, Bool, Number* value, UserDataPtr data) {
  const Program& q = ProgramOf(data);
  *value = 0.5 * Eigen::Map<const VectorX>(v + q.r, q.ne).squaredNorm();
  return TRUE;
}

Bool EvalGradF(Index n, Number* v, Bool, Number* gradient, UserDataPtr data) {
  const Program& q = ProgramOf(data);
  std::fill(gradient, gradient + n, 0.0);
  std::copy(v + q.r, v + q.r + q.ne, gradient + q.r);
  return TRUE;
}

Bool EvalG(Index, Number* v, Bool, Index, Number* g, UserDataPtr data) {
  ProgramOf(data).Constraints(v, g);
  return TRUE;
}

Bool EvalJacG(Index, Number* v, Bool, Index, Index, Index* row, Index* col, Number* values, UserDataPtr data) {
  if (values == nullptr) {
    ProgramOf(data).JacobianPattern(row, col);
  } else {
    ProgramOf(data).JacobianValues(v, values);
  }
  return TRUE;
}

Bool EvalH(Index, Number* v, Bool, Number objective, Index, Number* lambda, Bool, Index, Index* row, Index* col,
           Number* values, UserDataPtr data) {
  if (values == nullptr) {
    ProgramOf(data).HessianPattern(row, col);
  } else {
    ProgramOf(data).HessianValues(v, objective, lambda, values);
  }
  return TRUE;
}

// One run from v; multipliers are kept for the next.
struct Ipopt {
  VectorX v, lambda, z_lower, z_upper, g;

  bool Run(Program& q, double relaxation, bool warm, double seconds, double tolerance) {
    VectorX lower = VectorX::Constant(q.num_variables, -kUnbounded);
    VectorX upper = VectorX::Constant(q.num_variables, kUnbounded);
    lower.head(q.na) = q.p.lower.cwiseMax(-kUnbounded);
    upper.head(q.na) = q.p.upper.cwiseMin(kUnbounded);
    VectorX g_lower = VectorX::Zero(q.num_constraints), g_upper = g_lower;
    g_lower.head(q.m) = g_upper.head(q.m) = -q.p.g;
    g_lower.segment(q.m, q.ne) = g_upper.segment(q.m, q.ne) = -q.p.b;
    for (int c = 0; c < q.nc; ++c) {
      lower[q.x_c + c * q.dim + q.t] = lower[q.sigma + c * q.dim + q.t] = 0;
      if (relaxation > 0) g_lower[q.complementarity + c] = -kUnbounded;
      g_upper[q.complementarity + c] = relaxation;
      if (q.t > 0) g_upper[q.cone + c] = kUnbounded;
    }
    IpoptProblem ipopt = CreateIpoptProblem(q.num_variables, lower.data(), upper.data(), q.num_constraints,
                                            g_lower.data(), g_upper.data(), q.num_jacobian(), q.num_hessian(), 0, EvalF,
                                            EvalG, EvalGradF, EvalJacG, EvalH);
    if (ipopt == nullptr) return false;
    const auto text = [ipopt](const char* key, const char* value) {
      AddIpoptStrOption(ipopt, const_cast<char*>(key),
                        const_cast<char*>(value));  // NOLINT: as the C interface wants it
    };
    const auto number = [ipopt](const char* key, double value) {
      AddIpoptNumOption(ipopt, const_cast<char*>(key), value);  // NOLINT
    };
    AddIpoptIntOption(ipopt, const_cast<char*>("print_level"), 0);             // NOLINT
    AddIpoptIntOption(ipopt, const_cast<char*>("max_iter"), kMostIterations);  // NOLINT
    text("sb", "yes");
    text("jac_d_constant", "no");
    number("tol", tolerance);
    if (seconds > 0) number("max_cpu_time", seconds);
    if (warm) {
      text("warm_start_init_point", "yes");
      number("mu_init", std::max(1e-9, 0.1 * relaxation));
    }
    g.resize(q.num_constraints);
    double loss = 0;
    const ApplicationReturnStatus status =
        IpoptSolve(ipopt, v.data(), g.data(), &loss, lambda.data(), z_lower.data(), z_upper.data(), &q);
    FreeIpoptProblem(ipopt);
    return (status == Solve_Succeeded || status == Solved_To_Acceptable_Level) && v.allFinite();
  }
};

// Multipliers in our sign convention, and modes by what is larger.
void ReadAnswer(const Program& q, const Ipopt& ipopt, QpccIterate* it) {
  const QpccScaled& p = q.p;
  it->x_hat = ipopt.v.head(p.n);
  it->x_hat.head(p.na) = it->x_hat.head(p.na).cwiseMax(p.lower).cwiseMin(p.upper);
  it->s_hat = ipopt.v.segment(q.sigma, p.m);
  it->y_s = ipopt.lambda.head(p.m);
  it->y_x = -(p.H * it->x_hat + p.q + p.CD.transpose() * it->y_s);
  for (int c = 0; c < q.nc; ++c) {
    const double normal = it->x_hat[p.na + c * q.dim + q.t], up = it->s_hat[c * q.dim + q.t];
    double speed = 0;
    for (int k = 0; k < q.t; ++k) speed = std::hypot(speed, it->s_hat[c * q.dim + k]);
    it->modes[static_cast<std::size_t>(c)] = normal <= up                             ? ContactMode::Open
                                             : q.t > 0 && speed > 1e-6 * (1 + normal) ? ContactMode::Slip
                                                                                      : ContactMode::Stick;
  }
}

}  // namespace

bool HasIpopt() { return true; }

InverseAnswer SolveWithIpopt(const QpccProblem& problem, const QpccSettings& settings, bool homotopy) {
  problem.Validate();
  const QpccClock clock(settings.time_budget);
  QpccScaled p;
  ScaleQpcc(problem, settings.scaling_iterations, &p);
  Program program(p);
  Ipopt ipopt;
  ipopt.v.setZero(program.num_variables);
  ipopt.v.head(p.na) = p.lower.cwiseMax(0).cwiseMin(p.upper);
  // Inside the cones; velocities and residuals as they follow.
  for (int c = 0; c < program.nc; ++c) ipopt.v[program.x_c + c * program.dim + program.t] = 0.1;
  ipopt.v.segment(program.sigma, p.m) = p.CD * ipopt.v.head(p.n) + p.g;
  ipopt.v.tail(program.ne) = p.AB * ipopt.v.head(p.n) + p.b;
  ipopt.lambda.setZero(program.num_constraints);
  ipopt.z_lower.setOnes(program.num_variables);
  ipopt.z_upper.setOnes(program.num_variables);
  InverseAnswer answer;
  bool ok = false;
  const auto left = [&] {
    return settings.time_budget > 0 ? std::max(1e-3, settings.time_budget - clock.seconds()) : 0;
  };
  if (homotopy) {
    bool first = true;
    for (double eps = kFirstRelaxation; eps >= 0.99 * kLastRelaxation && !clock.over(); eps *= kShrink) {
      ok = ipopt.Run(program, eps, !first, left(), std::max(1e-8, std::min(1e-4, eps)));
      first = false;
      ++answer.report.starts;
    }
  } else {
    ok = ipopt.Run(program, 0, false, left(), 1e-8);
    answer.report.starts = 1;
  }
  QpccIterate it;
  it.Resize(p);
  if (ipopt.v.allFinite() && ipopt.lambda.allFinite()) ReadAnswer(program, ipopt, &it);
  UnscaleIterate(p, it, &answer.solution);
  QpccJudgeMemory memory;
  JudgeQpcc(problem, p, answer.solution, &memory, &answer.report);
  // Its tolerances are looser than ours: what it calls solved is feasible if the judge says so.
  const bool feasible = answer.report.primal <= 1e-6 && answer.report.complementarity <= 1e-3;
  answer.report.status = feasible       ? QpccStatus::Feasible
                         : clock.over() ? QpccStatus::TimeBudget
                                        : QpccStatus::Approximate;
  if (!ok) answer.report.message = "Ipopt did not report success";
  answer.report.time = clock.seconds();
  answer.report.cpu_time = clock.cpu_seconds();
  return answer;
}

}  // namespace tactus::cli

#else

namespace tactus::cli {

bool HasIpopt() { return false; }

InverseAnswer SolveWithIpopt(const QpccProblem&, const QpccSettings&, bool) {
  throw InputError("Ipopt", "is not part of this build", "a build where it was found (Debian: coinor-libipopt-dev)");
}

}  // namespace tactus::cli

#endif
