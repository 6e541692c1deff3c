// Contact by springs and dampers, as a baseline: the force of a point is a function of its overlap and velocity.
//
//     f_n = [k d - c v_n]_+ where the overlap is d > 0, and 0 elsewhere;      f_t = -min(c_t, mu f_n/|v_t|) v_t.
//
// Overlap and velocity are those at the beginning of the step, as in paper 001 (section V-B); or, with `implicit`, at
// its end, by one linear law a contact: normal forces are clipped at 0, friction has the viscosity of the beginning.
// What holds otherwise (drives, limits, attachments) is solved as always. Things sink in by f_n/k, hover or bounce
// where k h^2 is not small beside their mass, and creep where they should stick.
#pragma once

namespace tactus {

struct PenaltySettings {
  double stiffness = 1000;        ///< k of a point [N/m], > 0
  double damping = 10;            ///< c of a point [N s/m], >= 0
  double friction_damping = 100;  ///< c_t of a point [N s/m], > 0: below mu f_n/c_t it creeps instead of sticking
  bool implicit = false;          ///< forces of the end of the step

  void Validate() const;  ///< throws InputError
};

}  // namespace tactus
