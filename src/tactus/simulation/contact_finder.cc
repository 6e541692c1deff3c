#include "tactus/simulation/contact_finder.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>

#include "tactus/core/error.h"
#include "tactus/dynamics/kinematics.h"

namespace tactus {

namespace {

constexpr int kPairsPerChunk = 32;
// Shapes may be close without touching, so there may be more pairs than contacts.
constexpr std::size_t kPairsPerContact = 8;
// Shapes that overlap by less only touch, as closed fingers do [m].
constexpr double kTouching = 1e-6;

// Rows t1, t2, n. The tangents depend on the normal only.
Matrix3 MakeFrame(const Vector3& n) {
  int least = 0;
  for (int k = 1; k < 3; ++k) {
    if (std::abs(n[k]) < std::abs(n[least])) least = k;
  }
  const Vector3 t1 = Vector3::Unit(least).cross(n).normalized();
  Matrix3 frame;
  frame.row(0) = t1;
  frame.row(1) = n.cross(t1);
  frame.row(2) = n;
  return frame;
}

// The same with t1 along a direction as far as possible.
Matrix3 MakeFrame(const Vector3& n, const Vector3& direction) {
  const Vector3 along = direction - n * n.dot(direction);
  const double length = along.norm();
  if (!(length > 1e-9 * direction.norm())) return MakeFrame(n);
  Matrix3 frame;
  frame.row(0) = along / length;
  frame.row(1) = n.cross(along / length);
  frame.row(2) = n;
  return frame;
}

}  // namespace

void ContactFinderSettings::Validate() const {
  Require(std::isfinite(margin) && margin >= 0, "margin", "is " + std::to_string(margin), "a number >= 0 [m]");
  Require(max_points >= 4, "max_points", "is " + std::to_string(max_points), "4 or more");
  Require(max_contacts >= 1 && max_contacts <= 10000000, "max_contacts", "is " + std::to_string(max_contacts),
          "1 to 10000000");
}

ContactFinder::ContactFinder(const Model& model, const ContactFinderSettings& settings, int threads)
    : model_(model),
      settings_(settings),
      pool_(threads),
      workers_(static_cast<std::size_t>(threads)),
      deformable_(threads) {
  settings.Validate();
  const ModelDescription& description = model.description();
  broad_phase_.SetMaxPairs(kPairsPerContact * static_cast<std::size_t>(settings.max_contacts));
  // Boxes go where things start: if all lay at the origin at first, the tree would take a time quadratic in them.
  ModelData start(model);
  CalcFrames(model, model.MakeInitial(), &start);
  for (const ShapeInstance& shape : description.world_shapes) AddObject(shape, -1, -1, shape.X_LS, 0, Pose());
  for (std::size_t l = 0; l < description.links.size(); ++l) {
    const ModelLink& link = model.links()[l];
    for (const ShapeInstance& shape : description.links[l].shapes) {
      AddObject(shape, static_cast<int>(l), link.body, link.X_BL * shape.X_LS, BodyNumber(static_cast<int>(l)),
                link.body < 0 ? Pose() : start.BodyPose(link.body));
    }
    // What hangs on each other by a joint does not collide.
    if (link.moving && link.parent >= 0) {
      broad_phase_.ExcludeBodies(BodyNumber(link.parent), BodyNumber(static_cast<int>(l)));
    }
  }
  AddPairs();
  rigid_ = objects_.size();
}

// 0: the world, then the bodies, then what hangs on the world without joints, each piece on its own.
int ContactFinder::BodyNumber(int link) const {
  const ModelLink* l = &model_.links()[static_cast<std::size_t>(link)];
  if (l->body >= 0) return 1 + l->body;
  while (l->parent >= 0) {
    link = l->parent;
    l = &model_.links()[static_cast<std::size_t>(link)];
  }
  return 1 + model_.num_bodies() + link;
}

void ContactFinder::AddObject(const ShapeInstance& shape, int link, int body, const Pose& X_BS, int number,
                              const Pose& X_WB) {
  if (!shape.collides) return;
  const std::string where = "shape '" + shape.name + "'";
  shape.material.Validate(where);
  SimulatorObject object;
  object.link = link;
  object.body = body;
  object.name = shape.name;
  object.shape = CollisionShape::Make(shape.shape, where);
  object.X_BS = X_BS;
  object.X_LS = shape.X_LS;
  object.material = shape.material;
  object.contact_type = shape.contact_type;
  object.contact_affinity = shape.contact_affinity;
  BroadPhaseObject entry;
  entry.body = number;
  entry.contact_type = shape.contact_type;
  entry.contact_affinity = shape.contact_affinity;
  entry.fixed = body < 0;
  const Aabb box = object.shape->CalcBox(body < 0 ? X_BS : Pose());
  broad_phase_.Add(entry, body < 0 ? box : object.shape->CalcBox(X_WB * X_BS));
  radius_.push_back(0.5 * (box.high - box.low).norm());
  searched_.push_back(box);
  poses_.push_back(X_BS);
  motions_.emplace_back();
  moving_.push_back(body >= 0);
  objects_.push_back(std::move(object));
}

void ContactFinder::AddPairs() {
  const ModelDescription& description = model_.description();
  for (const auto& [first, second] : description.contact_excludes) {
    const int a = model_.FindLink(first), b = model_.FindLink(second);
    Require(a >= 0, "contact exclude", "there is no link '" + first + "'", "links of the model");
    Require(b >= 0, "contact exclude", "there is no link '" + second + "'", "links of the model");
    broad_phase_.ExcludeBodies(BodyNumber(a), BodyNumber(b));
  }
  if (description.contact_pairs.empty()) return;
  std::map<std::string, int> by_name;
  for (std::size_t k = 0; k < objects_.size(); ++k) by_name.emplace(objects_[k].name, static_cast<int>(k));
  for (const ContactPairDescription& pair : description.contact_pairs) {
    const auto a = by_name.find(pair.first), b = by_name.find(pair.second);
    Require(a != by_name.end(), "contact pair", "there is no shape '" + pair.first + "'", "shapes that collide");
    Require(b != by_name.end(), "contact pair", "there is no shape '" + pair.second + "'", "shapes that collide");
    broad_phase_.AddPair(a->second, b->second);
    explicit_.push_back({{std::min(a->second, b->second), std::max(a->second, b->second)}, pair.friction});
  }
  std::sort(explicit_.begin(), explicit_.end(), [](const PairFriction& x, const PairFriction& y) {
    return x.pair.a != y.pair.a ? x.pair.a < y.pair.a : x.pair.b < y.pair.b;
  });
}

Pose ContactFinder::ObjectPose(const FinderInput& input, int object) const {
  const SimulatorObject& o = objects_[static_cast<std::size_t>(object)];
  if (o.body >= 0) return input.data->BodyPose(o.body) * o.X_BS;
  if (o.link < 0 || input.prescribed == nullptr) return o.X_BS;
  return (*input.prescribed)[static_cast<std::size_t>(o.link)].pose * o.X_LS;
}

Vector6 ContactFinder::ObjectVelocity(const FinderInput& input, int object, const Vector3& p_W) const {
  const SimulatorObject& o = objects_[static_cast<std::size_t>(object)];
  if (o.body >= 0) return CalcPointVelocity(model_, *input.data, o.body, p_W);
  Vector6 out = Vector6::Zero();
  if (o.link < 0 || input.prescribed == nullptr) return out;
  const PrescribedState& state = (*input.prescribed)[static_cast<std::size_t>(o.link)];
  out = state.velocity;
  out.head<3>() += state.velocity.tail<3>().cross(p_W - state.pose.p);
  return out;
}

Vector3 ContactFinder::PrescribedVelocity(const FinderInput& input, int object, const Vector3& p_W) const {
  if (objects_[static_cast<std::size_t>(object)].body >= 0) return Vector3::Zero();
  return ObjectVelocity(input, object, p_W).head<3>();
}

Vector3 ContactFinder::RelativeVelocity(const FinderInput& input, const ContactState& contact) const {
  const Vector3& p = contact.geometry.point;
  return SideVelocity(input, contact.object_a, contact.point_a, p) -
         SideVelocity(input, contact.object_b, contact.point_b, p);
}

void ContactFinder::Place(const FinderInput& input) {
  for (std::size_t k = 0; k < objects_.size(); ++k) {
    if (!moving_[k]) continue;
    poses_[k] = ObjectPose(input, static_cast<int>(k));
    const Vector6 V = ObjectVelocity(input, static_cast<int>(k), poses_[k] * objects_[k].shape->centre());
    motions_[k] = {V.head<3>(), V.tail<3>()};
  }
}

Aabb ContactFinder::SweptBox(std::size_t k, double h) const {
  Aabb box = objects_[k].shape->CalcBox(poses_[k]);
  if (!box.bounded()) return box;
  const Vector3 way = h * motions_[k].v;
  Aabb swept = box;
  swept.Extend(Aabb{box.low + way, box.high + way});
  return swept.Padded(h * motions_[k].w.norm() * radius_[k]);
}

void ContactFinder::SetMaterial(const ObjectPair& pair, ContactState* contact) const {
  const SimulatorObject &a = objects_[static_cast<std::size_t>(pair.a)],
                        &b = objects_[static_cast<std::size_t>(pair.b)];
  const ContactMaterial material = Combine(a.material, b.material);
  contact->friction1 = material.friction1;
  contact->friction2 = material.friction2;
  contact->restitution = material.restitution;
  contact->stiffness = material.stiffness;
  contact->damping = material.damping;
  const Vector3& n = contact->geometry.normal;
  if (material.direction != nullptr) {
    const std::size_t owner = static_cast<std::size_t>(material.direction_of_b ? pair.b : pair.a);
    contact->frame = MakeFrame(n, poses_[owner].R * *material.direction);
  } else {
    contact->frame = MakeFrame(n);
  }
  if (const PairFriction* given = FindPairFriction(pair)) contact->friction1 = contact->friction2 = given->friction;
}

const ContactFinder::PairFriction* ContactFinder::FindPairFriction(const ObjectPair& pair) const {
  const auto found = std::lower_bound(
      explicit_.begin(), explicit_.end(), pair,
      [](const PairFriction& x, const ObjectPair& y) { return x.pair.a != y.a ? x.pair.a < y.a : x.pair.b < y.b; });
  return found != explicit_.end() && found->pair == pair ? &*found : nullptr;
}

void ContactFinder::CollidePair(const ObjectPair& pair, double h, Worker* worker, Chunk* out) const {
  const std::size_t a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
  if (!overlapping_.empty() &&
      std::binary_search(overlapping_.begin(), overlapping_.end(), std::pair(pair.a, pair.b))) {
    return;
  }
  // As far as the two can come towards each other.
  const Motion &ma = motions_[a], &mb = motions_[b];
  double way = (ma.v - mb.v).norm();
  for (const std::size_t k : {a, b}) {
    if (const double w = motions_[k].w.norm(); w > 0 && std::isfinite(radius_[k])) way += w * radius_[k];
  }
  const double margin = settings_.margin + h * way;
  CollideShapes(*objects_[a].shape, poses_[a], *objects_[b].shape, poses_[b], margin, &worker->scratch,
                &worker->manifold);
  if (worker->manifold.size() > settings_.max_points) {
    const ContactMaterial material = Combine(objects_[a].material, objects_[b].material);
    ClusterSettings cluster;
    cluster.cap = settings_.max_points;
    const PairFriction* given = FindPairFriction(pair);
    cluster.friction = given != nullptr ? given->friction : std::max(material.friction1, material.friction2);
    ClusterContacts(cluster, &worker->cluster, &worker->manifold);
    out->merged += worker->manifold.merged;
  }
  for (const ContactPoint& point : worker->manifold.points) {
    ContactState contact;
    contact.object_a = pair.a;
    contact.object_b = pair.b;
    contact.geometry = point;
    const Vector3 ra = point.point - poses_[a] * objects_[a].shape->centre();
    const Vector3 rb = point.point - poses_[b] * objects_[b].shape->centre();
    const Vector3 velocity = ma.v + ma.w.cross(ra) - mb.v - mb.w.cross(rb);
    const double approach = std::min(point.normal.dot(velocity), 0.0);
    contact.active = point.gap + h * approach <= settings_.margin;
    SetMaterial(pair, &contact);
    out->contacts.push_back(contact);
  }
}

void ContactFinder::Find(const FinderInput& input, std::vector<ContactState>* contacts) {
  if (!settings_.enabled) return contacts->clear();
  Place(input);
  for (std::size_t k = 0; k < objects_.size(); ++k) {
    if (!moving_[k]) continue;
    searched_[k] = SweptBox(k, input.h).Padded(0.5 * settings_.margin);
    broad_phase_.SetBox(static_cast<int>(k), searched_[k]);
  }
  const std::vector<ObjectPair>& pairs = broad_phase_.FindPairs();
  const int count = (static_cast<int>(pairs.size()) + kPairsPerChunk - 1) / kPairsPerChunk;
  if (chunks_.size() < static_cast<std::size_t>(count)) chunks_.resize(static_cast<std::size_t>(count));
  // Too many are refused below, whatever the order in which chunks are done.
  std::atomic<std::size_t> total = 0;
  const std::size_t most = static_cast<std::size_t>(settings_.max_contacts);
  pool_.ForEach(count, [&](int c, int thread) {
    Chunk& chunk = chunks_[static_cast<std::size_t>(c)];
    chunk.contacts.clear();
    chunk.merged = 0;
    if (total > most) return;
    const std::size_t begin = static_cast<std::size_t>(c) * kPairsPerChunk;
    const std::size_t end = std::min(begin + kPairsPerChunk, pairs.size());
    for (std::size_t p = begin; p < end; ++p) {
      CollidePair(pairs[p], input.h, &workers_[static_cast<std::size_t>(thread)], &chunk);
    }
    total += chunk.contacts.size();
  });
  if (total > most) FailTooMany();
  contacts->clear();
  merged_ = 0;
  for (int c = 0; c < count; ++c) {
    const Chunk& chunk = chunks_[static_cast<std::size_t>(c)];
    contacts->insert(contacts->end(), chunk.contacts.begin(), chunk.contacts.end());
    merged_ += chunk.merged;
  }
  if (!deformable_.empty()) FindDeformable(input, contacts);
}

void ContactFinder::FailTooMany() const {
  // The object with the most of those that were found tells where to look.
  std::vector<int> counts(objects_.size(), 0);
  for (const Chunk& chunk : chunks_) {
    for (const ContactState& c : chunk.contacts) {
      ++counts[static_cast<std::size_t>(c.object_a)];
      ++counts[static_cast<std::size_t>(c.object_b)];
    }
  }
  const auto crowded = static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  throw InputError("contacts",
                   "there are more than " + std::to_string(settings_.max_contacts) + ", many of them at '" +
                       objects_[crowded].name + "'",
                   "bodies that are not all in one place, or a greater max_contacts");
}

bool ContactFinder::LeavesSearched(const FinderInput& input) {
  if (!settings_.enabled) return false;
  Place(input);
  for (std::size_t k = 0; k < objects_.size(); ++k) {
    if (!moving_[k] || !searched_[k].bounded()) continue;
    if (!searched_[k].Contains(SweptBox(k, input.h))) return true;
  }
  return !deformable_.empty() && deformable_.LeavesSearched(*input.deformables, input.h);
}

std::vector<InitialOverlap> ContactFinder::ExcludeOverlapping(const FinderInput& input) {
  std::vector<ContactState> contacts;
  Find(input, &contacts);
  const auto root = [&](int object) {
    int link = objects_[static_cast<std::size_t>(object)].link;
    while (link >= 0 && model_.links()[static_cast<std::size_t>(link)].parent >= 0) {
      link = model_.links()[static_cast<std::size_t>(link)].parent;
    }
    return link;
  };
  std::vector<InitialOverlap> out;
  std::pair<int, int> last(-1, -1);
  for (const ContactState& c : contacts) {
    if (c.geometry.gap > -kTouching) continue;
    const std::pair<int, int> pair(c.object_a, c.object_b);
    if (pair == last) {
      out.back().depth = std::max(out.back().depth, -c.geometry.gap);
      continue;
    }
    last = pair;
    const int tree = root(c.object_a);
    const bool excluded = tree >= 0 && tree == root(c.object_b);
    if (excluded) overlapping_.push_back(pair);
    out.push_back({objects_[static_cast<std::size_t>(pair.first)].name,
                   objects_[static_cast<std::size_t>(pair.second)].name, -c.geometry.gap, excluded});
  }
  std::sort(overlapping_.begin(), overlapping_.end());
  return out;
}

std::size_t ContactFinder::CalcObjectMemory() const {
  return objects_.capacity() * (sizeof(SimulatorObject) + sizeof(Pose) + sizeof(Motion) + 3 * sizeof(Aabb));
}

std::size_t ContactFinder::CalcContactMemory() const {
  std::size_t bytes = deformable_.CalcMemory();
  for (const Chunk& chunk : chunks_) bytes += chunk.contacts.capacity() * sizeof(ContactState);
  return bytes;
}

}  // namespace tactus
