#include "tactus/control/soft_contacts.h"

#include <algorithm>
#include <numeric>

#include "tactus/deformable/fem/fem_body.h"

namespace tactus {

SurfaceElements::SurfaceElements(const Deformable& body) {
  const auto* fem = dynamic_cast<const FemBody*>(&body);
  if (fem == nullptr) return;
  fem_ = true;
  elements_.resize(static_cast<std::size_t>(body.num_items()));
  const auto& tets = fem->mesh().tets;
  for (std::size_t t = 0; t < tets.size(); ++t) {
    for (const int node : tets[t]) elements_[static_cast<std::size_t>(node)].push_back(static_cast<int>(t));
  }
}

int SurfaceElements::Find(const DeformablePoint& point) const {
  if (!fem_) return point.items[0];
  for (const int element : elements_[static_cast<std::size_t>(point.items[0])]) {
    bool all = true;
    for (int k = 1; k < point.count && all; ++k) {
      const auto& of_node = elements_[static_cast<std::size_t>(point.items[static_cast<std::size_t>(k)])];
      all = std::binary_search(of_node.begin(), of_node.end(), element);
    }
    if (all) return element;
  }
  return -1;
}

void SoftContactFilter::Apply(std::vector<ContactState>* contacts) {
  const std::vector<ContactState>& in = *contacts;
  order_.resize(in.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::sort(order_.begin(), order_.end(), [&](std::size_t x, std::size_t y) {
    return in[x].geometry.gap != in[y].geometry.gap ? in[x].geometry.gap < in[y].geometry.gap : x < y;
  });
  keep_.assign(in.size(), true);
  taken_.clear();
  for (const std::size_t i : order_) {
    const ContactState& c = in[i];
    std::array<std::array<int, 3>, 2> keys{};
    std::size_t count = 0;
    const auto* of_a = objects_[static_cast<std::size_t>(c.object_a)];
    const auto* of_b = objects_[static_cast<std::size_t>(c.object_b)];
    if (of_a != nullptr) keys[count++] = {c.object_a, of_a->Find(c.point_a), c.object_b};
    if (of_b != nullptr) keys[count++] = {c.object_b, of_b->Find(c.point_b), c.object_a};
    for (std::size_t k = 0; k < count; ++k) {
      if (std::binary_search(taken_.begin(), taken_.end(), keys[k])) keep_[i] = false;
    }
    for (std::size_t k = 0; k < count && keep_[i]; ++k) {
      taken_.insert(std::lower_bound(taken_.begin(), taken_.end(), keys[k]), keys[k]);
    }
  }
  std::size_t to = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (keep_[i]) (*contacts)[to++] = (*contacts)[i];
  }
  contacts->resize(to);
}

}  // namespace tactus
