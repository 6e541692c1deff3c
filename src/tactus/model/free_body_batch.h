// Free single bodies, four at a time: what vector kernels need to know of them.
#pragma once

namespace tactus {

/// Four bodies, one a lane. A model's last batch repeats a body in the lanes that are left over.
struct FreeBodyBatch {
  static constexpr int kLanes = 4;
  int body[kLanes];
  int q[kLanes], v[kLanes];  ///< first entries of q and v
  int mass_start[kLanes];    ///< first of the body's 21 entries in matrices with branch sparsity
  double mass[kLanes], inverse_mass[kLanes];
  double com[3][kLanes];              ///< of the centre of mass, in the body's axes [m]
  double inertia[6][kLanes];          ///< about the body's origin: xx, yy, zz, xy, xz, yz
  double central[6][kLanes];          ///< about the centre of mass
  double central_inverse[6][kLanes];  ///< its inverse
};

}  // namespace tactus
