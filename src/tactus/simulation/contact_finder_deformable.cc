// What deforms, among the objects of a ContactFinder.
#include <algorithm>
#include <utility>

#include "tactus/simulation/contact_finder.h"

namespace tactus {

void ContactFinder::AddDeformable(const Deformable& body, const DeformableSetup& setup) {
  SimulatorObject object;
  object.name = setup.name;
  object.material = setup.material;
  object.contact_type = setup.contact_type;
  object.contact_affinity = setup.contact_affinity;
  object.deformable = static_cast<int>(objects_.size() - rigid_);
  deformable_.Add(body, setup, static_cast<int>(objects_.size()));
  // Places of rigid objects that nobody looks at, so that lists are alike.
  radius_.push_back(0);
  searched_.emplace_back();
  poses_.emplace_back();
  motions_.emplace_back();
  moving_.push_back(false);
  objects_.push_back(std::move(object));
}

// What is welded together is one body.
int ContactFinder::AddAttachment(int k, const std::vector<int>& items, int link) {
  const auto number = [&](int l) { return l < 0 ? 0 : BodyNumber(l); };
  std::vector<bool> same(rigid_);
  for (std::size_t o = 0; o < rigid_; ++o) same[o] = number(objects_[o].link) == number(link);
  const int body = link < 0 ? -1 : model_.links()[static_cast<std::size_t>(link)].body;
  return deformable_.AddBond(k, items, body, std::move(same));
}

Vector3 ContactFinder::SideVelocity(const FinderInput& input, int object, const DeformablePoint& point,
                                    const Vector3& p_W) const {
  const int k = objects_[static_cast<std::size_t>(object)].deformable;
  if (k >= 0) return deformable_.PointVelocity(*input.deformables, k, point, p_W);
  return ObjectVelocity(input, object, p_W).head<3>();
}

void ContactFinder::FindDeformable(const FinderInput& input, std::vector<ContactState>* contacts) {
  const std::size_t first = contacts->size();
  const RigidObjects rigid{
      {objects_.data(), rigid_}, {poses_.data(), rigid_}, {searched_.data(), rigid_}, {motions_.data(), rigid_}};
  deformable_.Find(rigid, *input.deformables, input.h, settings_.margin, &pool_, contacts);
  if (contacts->size() > static_cast<std::size_t>(settings_.max_contacts)) FailTooMany();
  for (std::size_t i = first; i < contacts->size(); ++i) {
    ContactState& contact = (*contacts)[i];
    SetMaterial({contact.object_a, contact.object_b}, &contact);
    const DeformablePair* pair = deformable_.FindPair(contact.object_a, contact.object_b);
    if (pair != nullptr) contact.friction1 = contact.friction2 = *pair->friction;
  }
  // Those of rigid pairs are sorted by pairs; with deformables everything is, by features too.
  std::sort(contacts->begin(), contacts->end(), [](const ContactState& x, const ContactState& y) {
    if (x.object_a != y.object_a) return x.object_a < y.object_a;
    if (x.object_b != y.object_b) return x.object_b < y.object_b;
    return x.geometry.feature < y.geometry.feature;
  });
}

}  // namespace tactus
