// Projections on the contact law, weighted: given (l~, s~) of one contact,
//
//     min  eta/2 |l - l~|^2 + rho/2 |s - s~|^2    over (l, s) in S                             (paper 004, eq. 22)
//
// S is a union of three branches, and the projection is the best of the three. With the weights it is easier to speak
// of what a branch gains over (0, 0), twice the cost saved:
//
//     stick  l = P_K(l~), s = 0                       gains eta |P_K(l~)|^2
//     break  l = 0, s = (s~_t, [s~_n]+)               gains rho (|s~_t|^2 + [s~_n]+^2)
//     slide  l = l_n (-mu d, 1), s = (s d, 0), |d| = 1 gains psi(d)
//
// with l_n = [l~_n - mu d.l~_t]+/(1 + mu^2), s = [d.s~_t]+. In the frame of e1 = s~_t/|s~_t| and e2 on the side of
// -l~_t the best d = (cos th, sin th) has th in [0, min(beta, pi/2)], beta the angle of -l~_t, and maximizes
//
//     psi(th) = eta/(1 + mu^2) [l~_n + mu |l~_t| cos(th - beta)]+^2 + rho |s~_t|^2 cos^2 th,
//
// which may have two maxima: all that a grid shows are refined. The paper's own scheme, alternating between lengths and
// direction, finds a local one and with it the wrong branch in some 3 % of the cases where sliding is best.
#pragma once

#include "tactus/inverse/qpcc_problem.h"
#include "tactus/math/contact_mode.h"

namespace tactus {

/// How the direction of sliding is found (3-D friction only).
enum class SlideProjection { Exact, Alternating };

struct ProjectionWeights {
  double eta = 1;  ///< of impulses, > 0
  double rho = 1;  ///< of velocities, > 0
};

/// One contact of kind Lcp (l, s: 1 number), Planar (2) or Ncp (3), in place. Stick means "touches" for Lcp. Among
/// branches that are as good as each other `previous` is kept, if it is one of them.
ContactMode ProjectOnLcp(const ProjectionWeights& weights, ContactMode previous, double* l, double* s);
ContactMode ProjectOnPlanarNcp(double mu, const ProjectionWeights& weights, ContactMode previous, double* l, double* s);
ContactMode ProjectOnNcp(double mu, const ProjectionWeights& weights, SlideProjection slide, ContactMode previous,
                         double* l, double* s);

/// All contacts of a problem: l and s have kind rows a contact; `modes` holds the previous ones and receives the new.
void ProjectContacts(QpccKind kind, int count, const double* mu, const ProjectionWeights& weights,
                     SlideProjection slide, double* l, double* s, ContactMode* modes);

}  // namespace tactus
