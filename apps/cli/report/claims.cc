#include "apps/cli/report/claims.h"

namespace tactus::cli {

const std::vector<Claim>& Claims() {
  static const std::vector<Claim> claims = {
      {"subadmm", "8 laikagos: no-sub over subadmm", "000, Table III",
       "8 Laikagos, 100 iterations: No Sub over SubADMM", 2.78, true,
       "our kernels go four bodies at a time, the ablations are plain code"},
      {"subadmm", "8 laikagos: no-body over subadmm", "000, Table III", "8 Laikagos: No Body over SubADMM", 1.46, true,
       "our kernels go four bodies at a time, the ablations are plain code"},
      {"subadmm", "27 laikagos: no-sub over subadmm", "000, Table III", "27 Laikagos: No Sub over SubADMM", 3.63, true,
       "our No Sub has a block factorization that keeps its analysis, and is itself fast"},
      {"subadmm", "8 laikagos: subadmm beside the paper's", "000, Table III",
       "8 Laikagos, SubADMM, 100 iterations [ms]", 0.435, false, "another machine"},
      {"subadmm", "granular-stir: exponent of time over particles", "000, section VI",
       "cost grows linearly with bodies: exponent", 1.05, false,
       "larger piles have more contacts a body (exponent 1.03), and leave the second cache"},
      {"subadmm", "laikago-drop: exponent of time over robots", "000, section VI",
       "cost grows linearly with robots: exponent", 1.05, false,
       "more robots touch each other more often: contacts grow with an exponent of 1.04"},
      {"cond", "comparison: apgd over cond (paper: 20)", "001, Table II", "soft mat: APGD's time over COND's", 20, true,
       "our APGD works matrix-free through a fast factorization, and needs few iterations on this mat"},
      {"cond", "comparison: pgs over cond (paper: 150)", "001, Table II", "soft mat: PGS's time over COND's", 150, true,
       "our PGS assembles W eight columns at a time; most of its time is that"},
      {"cond", "soft-ball, to 1e-6: plain over Chebyshev", "001, Table IX", "soft ball: iterations saved by Chebyshev",
       3, true, "to a true residual, where the paper counts until the iterate moves little"},
      {"cond", "cable-winding links=320, to 1e-6: plain over Chebyshev", "001, Table IX",
       "cable: iterations saved by Chebyshev", 2, true, "rods are eliminated here; the paper iterates on them"},
      {"cond", "mats: exponent of an iteration's time over dofs", "001, section IV",
       "an iteration's cost grows linearly: exponent", 1.05, false, "large meshes leave the shared cache"},
      {"scenarios", "bolt-nut: done", "000, section VII", "the nut is screwed on under 0.5 ms a step", 1, true, ""},
  };
  return claims;
}

}  // namespace tactus::cli
