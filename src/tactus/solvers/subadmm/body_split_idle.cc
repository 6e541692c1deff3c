// Contacts that SubADMM leaves out of its iterations while they are open.
//
// An open contact changes nothing about the answer, but its copies hold the bodies back at every iteration, beta J^T J,
// and cost as much as those of others: of dishes in each other half of the contacts are open. So those that are open to
// begin with have next to no penalty, their copies lie behind all others of their bodies, and iterations end before
// them. Whenever the residual is looked at, so are they, and those that close take part.
#include <algorithm>

#include "tactus/solvers/subadmm/body_split_arrays.h"
#include "tactus/solvers/subadmm/body_split_engine.h"

namespace tactus {

namespace {

// How far open a contact must be to be idle, as a share of the greatest change of velocity that forces make at one.
// With 0.5 in place of it dishes do not come to rest in 130 iterations a step, with 0.02 they do.
constexpr double kOpenMargin = 0.02;

}  // namespace

void BodySplitEngine::ChooseIdle(const VectorX* lambda, const VectorX* velocity) {
  const ContactProblem& p = *problem_;
  idle_.assign(num_contacts_, 0);
  closing_.assign(num_contacts_, 0);
  if (lambda == nullptr || velocity == nullptr || num_contacts_ == 0) return;
  // Twists of free bodies to begin with, and how forces change them. Those of trees have their copies in every
  // iteration.
  twists_.resize(2 * p.bodies().size());
  const auto is_free = [&](BodyIndex b) { return p.bodies()[b].kind == ContactBody::Kind::Free; };
  for (std::size_t b = 0; b < p.bodies().size(); ++b) {
    if (!is_free(static_cast<BodyIndex>(b))) continue;
    const int dof = p.mass().subsystem(p.bodies()[b].subsystem).dof;
    twists_[2 * b] = velocity->segment<6>(dof);
    twists_[2 * b + 1] = p.free_velocity().segment<6>(dof) - velocity->segment<6>(dof);
  }
  // Of a contact: how fast it opens, and what forces add to that.
  const auto calc = [&](int i, double* opening, double* change) {
    const ContactGeometry& g = p.geometry()[i];
    const Vector3 n = g.frame.row(2);
    *opening = p.e()[3 * i + 2];
    *change = 0;
    for (const auto& [b, sign] : {std::pair(g.a, 1.0), std::pair(g.b, -1.0)}) {
      if (b == kWorld) continue;
      if (!is_free(b)) return false;
      const Vector3 moment = (g.point - p.bodies()[b].reference).cross(n);
      const Vector6 &V = twists_[2 * static_cast<std::size_t>(b)], &D = twists_[2 * static_cast<std::size_t>(b) + 1];
      *opening += sign * (n.dot(V.head<3>()) + moment.dot(V.tail<3>()));
      *change += sign * (n.dot(D.head<3>()) + moment.dot(D.tail<3>()));
    }
    return true;
  };
  opening_.assign(num_contacts_, 0.0);
  double most = 0;
  for (int i = 0; i < num_contacts_; ++i) {
    double change = 0;
    if (!calc(i, &opening_[i], &change)) opening_[i] = 0;
    most = std::max(most, std::abs(change));
  }
  for (int i = 0; i < num_contacts_; ++i) {
    const double* l = lambda->data() + 3 * static_cast<std::size_t>(i);
    idle_[i] = opening_[i] > kOpenMargin * most && l[0] == 0 && l[1] == 0 && l[2] == 0 ? 1 : 0;
  }
}

// How far iterations go into each body's copies. Others' copies there must be of contacts that are projected, or what
// they hold would be taken for a pull.
void BodySplitEngine::FindReach() {
  busy_units_ = units_;
  for (SplitUnit& unit : busy_units_) {
    unit.owned = unit.other_quads = 0;
    std::fill_n(unit.others, 4, 0.0);
  }
  for (int at = 0; at < owned_; ++at) {
    if (order_[at] < 0 || idle_[order_[at]] != 0) continue;
    ReachOwned(at);
    if (unit_of_b_[at] < 0) continue;
    SplitUnit& unit = busy_units_[unit_of_b_[at]];
    const int index = slot_b_[at] - unit.begin - 4 * unit.others_at;
    double& others = unit.others[unit.four ? index % 4 : 0];
    others = std::max<double>(others, unit.four ? index / 4 + 1 : index + 1);
    unit.other_quads = std::max(unit.other_quads, index / 4 + 1);
  }
  for (int at = 0; at < owned_; ++at) {
    if (order_[at] < 0 || idle_[order_[at]] == 0 || unit_of_b_[at] < 0) continue;
    const SplitUnit& unit = busy_units_[unit_of_b_[at]];
    const int index = slot_b_[at] - unit.begin - 4 * unit.others_at;
    if ((unit.four ? index / 4 : index) < unit.others[unit.four ? index % 4 : 0]) ReachOwned(at);
  }
}

void BodySplitEngine::ReachOwned(int at) {
  SplitUnit& unit = busy_units_[unit_of_a_[at]];
  unit.owned = std::max(unit.owned, (slot_a_[at] - unit.begin) / 4 + 1);
}

// In the motion that the copies hold.
bool BodySplitEngine::IsClosing(int at) const {
  const double *a = x_of(place_a_[at]), *b = x_of(place_b_[at]);
  double sigma = 0;
  for (int k = 0; k < 3; ++k) {
    const double e = contact(kE + k, at) * contact_weights_[SplitWeightIndex(kInverse, at)];
    sigma += contact(kN + k, at) * (a[4 * k] - contact(kHasB, at) * b[4 * k] + e);
  }
  return sigma < 0;
}

bool BodySplitEngine::WakeIdle() {
  bool woken = false;
  for (int i = 0; i < num_contacts_; ++i) {
    if (closing_[i] == 0) continue;
    idle_[i] = closing_[i] = 0;
    woken = true;
  }
  if (woken) FindReach();
  return woken;
}

}  // namespace tactus
