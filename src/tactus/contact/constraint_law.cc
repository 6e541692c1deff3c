#include "tactus/contact/constraint_law.h"

namespace tactus {

ContactProblem MakeIsotropic(const ContactProblem& p, VectorX* scale) {
  *scale = VectorX::Ones(p.size());
  std::vector<Friction> friction(p.num_contacts());
  for (int i = 0; i < p.num_contacts(); ++i) {
    friction[i] = p.friction(i);
    if (friction[i].isotropic()) continue;
    (*scale)[3 * i] = friction[i].mu1;
    (*scale)[3 * i + 1] = friction[i].mu2;
    friction[i] = Friction(1.0);
  }
  return p.WithScaledRows(*scale, friction);
}

}  // namespace tactus
