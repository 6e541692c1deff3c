// Which parts of deformables may touch; what they touch with is in deformable_pairs.cc.
#include "tactus/simulation/deformable_contacts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace tactus {

namespace {

constexpr int kCandidatesPerChunk = 64;

bool Before(const ContactState& x, const ContactState& y) {
  if (x.object_a != y.object_a) return x.object_a < y.object_a;
  if (x.object_b != y.object_b) return x.object_b < y.object_b;
  if (x.geometry.feature != y.geometry.feature) return x.geometry.feature < y.geometry.feature;
  return x.geometry.gap < y.geometry.gap;
}

// A node against a triangle, as CollideNodeTriangle finds it; `face` points from the triangle to the node's side.
struct NodeOnFace {
  int node = -1;  // none: another kind of contact
  bool second = false, on_border = false;
  double gap = 0;
  Vector3 face, foot;
};

NodeOnFace ReadNode(const ContactState& c) {
  NodeOnFace out;
  const auto is_node = [](const DeformablePoint& p, std::uint64_t feature) {
    return p.count == 1 && static_cast<std::uint32_t>(feature) == FeatureId(FeatureKind::Vertex, p.items[0]);
  };
  if (c.point_a.count == 0 || c.point_b.count == 0) return out;
  const bool first = is_node(c.point_a, c.geometry.feature >> 32);
  if (!first && !is_node(c.point_b, c.geometry.feature)) return out;
  out.second = !first;
  out.node = (first ? c.point_a : c.point_b).items[0];
  out.on_border = (first ? c.point_b : c.point_a).count < 3;
  out.gap = c.geometry.gap;
  out.face = first ? c.geometry.normal : Vector3(-c.geometry.normal);
  out.foot = c.geometry.point - 0.5 * out.gap * out.face;
  return out;
}

// Whether a nearer contact of the same node shows that one to be none.
bool IsFalse(const NodeOnFace& contact, const NodeOnFace& nearer, double margin) {
  constexpr double kOpposite = -0.5, kPart = 1e-3;
  // What is that near may be on both.
  if (std::abs(nearer.gap) >= std::abs(contact.gap) || std::abs(contact.gap) < kPart * margin) return false;
  const double ahead = (nearer.foot - contact.foot).dot(contact.face);
  // Beside an edge a node is behind two faces as soon as it is behind one, and must not be pushed out of the farther
  // one, behind which the foot on the nearer one lies. In a notch feet lie in front, and both faces hold.
  if (contact.gap < 0) return ahead < 0.5 * contact.gap;
  // The border of a triangle beside the one that the node is above is no wall. Of a true edge all of the surface there
  // lies behind; other sheets, which face the other way, are another matter.
  return contact.on_border && nearer.face.dot(contact.face) > kOpposite && ahead > kPart * contact.gap;
}

// A feature that no contact has.
constexpr std::uint64_t kDropped = ~std::uint64_t{0};

// Each triangle is held against a node by itself; here those of a node, side by side, are looked at together.
void DropFalseContacts(double margin, std::vector<ContactState>* contacts, std::ptrdiff_t first) {
  std::vector<ContactState>& all = *contacts;
  const std::size_t size = all.size();
  for (std::size_t i = static_cast<std::size_t>(first), end = i; i < size; i = end) {
    const NodeOnFace node = ReadNode(all[i]);
    for (end = i + 1; end < size && node.node >= 0; ++end) {
      const NodeOnFace next = ReadNode(all[end]);
      if (next.node != node.node || next.second != node.second || all[end].object_a != all[i].object_a ||
          all[end].object_b != all[i].object_b) {
        break;
      }
    }
    for (std::size_t k = i; k < end && end > i + 1; ++k) {
      const NodeOnFace contact = ReadNode(all[k]);
      for (std::size_t l = i; l < end; ++l) {
        if (l != k && IsFalse(contact, ReadNode(all[l]), margin)) all[k].geometry.feature = kDropped;
      }
    }
  }
  contacts->erase(std::remove_if(contacts->begin() + first, contacts->end(),
                                 [](const ContactState& c) { return c.geometry.feature == kDropped; }),
                  contacts->end());
}

}  // namespace

void DeformableContacts::Add(const Deformable& body, const DeformableSetup& setup, int object) {
  Part part;
  part.body = &body;
  part.object = object;
  part.self_contact = setup.self_contact;
  part.collides = setup.collides;
  part.contact_type = setup.contact_type;
  part.contact_affinity = setup.contact_affinity;
  const DeformableSurface& surface = body.surface();
  const VectorX& q = body.initial_q();
  std::vector<Vector3> centres;
  for (const int node : surface.nodes) centres.emplace_back(q.segment<3>(3 * node));
  part.nodes.Build(centres);
  centres.clear();
  for (const auto& t : surface.triangles) {
    centres.emplace_back((q.segment<3>(3 * t[0]) + q.segment<3>(3 * t[1]) + q.segment<3>(3 * t[2])) / 3);
  }
  part.triangles.Build(centres);
  centres.clear();
  for (const SegmentCapsule& c : surface.capsules) centres.emplace_back(q.segment<3>(7 * c.segment));
  part.segments.Build(centres);
  MakeEdges(&part);
  if (!surface.capsules.empty()) {
    // All segments of a rod are alike.
    const SegmentCapsule& c = surface.capsules.front();
    Shape shape;
    shape.type = ShapeType::Capsule;
    shape.size = Vector3(c.radius, c.half_length, 0);
    part.capsule = CollisionShape::Make(shape, "rod");
    part.edge = 2 * c.half_length;
    // Two turns of the tightest loop are a diameter apart; what is nearer along the rod is a bend.
    part.neighbours = 1 + static_cast<int>(std::ceil(4 * c.radius / part.edge));
  }
  for (int i = 0; i < body.num_items(); ++i) part.carriers.push_back(body.first_dof(i) < 0 ? -1 : kOwn);
  parts_.push_back(std::move(part));
}

void DeformableContacts::MakeEdges(Part* part) const {
  std::map<std::pair<int, int>, int> numbers;
  const VectorX& q = part->body->initial_q();
  double sum = 0;
  for (const auto& t : part->body->surface().triangles) {
    std::array<int, 3>& edges = part->edges.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = t[(k + 1) % 3], b = t[(k + 2) % 3];
      const auto [entry, is_new] =
          numbers.emplace(std::pair(std::min(a, b), std::max(a, b)), static_cast<int>(numbers.size()));
      if (is_new) sum += (q.segment<3>(3 * a) - q.segment<3>(3 * b)).norm();
      edges[k] = entry->second;
    }
  }
  if (!numbers.empty()) part->edge = sum / static_cast<double>(numbers.size());
}

Aabb DeformableContacts::NodeBox(const Part& part, const DeformableState& state, int node, double h) const {
  const Vector3 x = state.q.segment<3>(3 * node), v = CalcItemVelocity(*part.body, state, node).head<3>();
  Aabb box{x, x};
  box.Extend(Vector3(x + h * v));
  return box;
}

Aabb DeformableContacts::SegmentBox(const Part& part, const DeformableState& state, int segment, double h) const {
  const Pose X = CalcItemPose(*part.body, state.q, segment);
  const Vector6 V = CalcItemVelocity(*part.body, state, segment);
  const SegmentCapsule& capsule = part.body->surface().capsules.front();
  const Vector3 half = (X.R.col(0) * capsule.half_length).cwiseAbs() +
                       Vector3::Constant(capsule.radius + h * V.tail<3>().norm() * capsule.half_length);
  Aabb box{X.p - half, X.p + half};
  const Vector3 way = h * V.head<3>();
  box.Extend(Aabb{box.low + way, box.high + way});
  return box;
}

void DeformableContacts::Place(const Input& in) {
  const double pad = 0.5 * in.margin;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    Part& part = parts_[k];
    const DeformableState& state = (*in.states)[k];
    const DeformableSurface& surface = part.body->surface();
    for (std::size_t i = 0; i < surface.nodes.size(); ++i) {
      part.nodes.SetBox(static_cast<int>(i), NodeBox(part, state, surface.nodes[i], in.h).Padded(pad));
    }
    for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
      Aabb box;
      for (const int node : surface.triangles[t]) box.Extend(NodeBox(part, state, node, in.h));
      part.triangles.SetBox(static_cast<int>(t), box.Padded(pad));
    }
    for (std::size_t s = 0; s < surface.capsules.size(); ++s) {
      part.segments.SetBox(static_cast<int>(s), SegmentBox(part, state, surface.capsules[s].segment, in.h).Padded(pad));
    }
    part.nodes.Refit();
    part.triangles.Refit();
    part.segments.Refit();
  }
}

void DeformableContacts::AddWithRigid(const Input& in, int k) {
  const Part& part = parts_[static_cast<std::size_t>(k)];
  const DeformableSurface& surface = part.body->surface();
  for (std::size_t o = 0; o < in.rigid->objects.size(); ++o) {
    const SimulatorObject& object = in.rigid->objects[o];
    const int b = static_cast<int>(o);
    if (!MayTouch(part, b, object.contact_type, object.contact_affinity)) continue;
    const Aabb box = in.rigid->boxes[o].Padded(0.5 * in.margin);
    part.nodes.Find(box, &stack_, [&](int i) {
      candidates_.push_back({Kind::NodeShape, k, surface.nodes[static_cast<std::size_t>(i)], b, 0});
    });
    part.segments.Find(box, &stack_, [&](int i) { candidates_.push_back({Kind::SegmentShape, k, i, b, 0}); });
    // Nothing of a plane comes between nodes; surfaces of triangles are held against nodes only.
    const CollisionKind kind = object.shape->kind();
    if (kind == CollisionKind::HalfSpace || kind == CollisionKind::Surface) continue;
    part.triangles.Find(box, &stack_, [&](int t) { candidates_.push_back({Kind::TriangleShape, k, t, b, 0}); });
  }
}

// Of two deformables, or of one with itself.
void DeformableContacts::AddBetween(int k, int l) {
  const Part &a = parts_[static_cast<std::size_t>(k)], &b = parts_[static_cast<std::size_t>(l)];
  const auto nodes_against_triangles = [&](int n, int m) {
    const Part &from = parts_[static_cast<std::size_t>(n)], &to = parts_[static_cast<std::size_t>(m)];
    for (int i = 0; i < from.nodes.num_items(); ++i) {
      if (!to.triangles.root().Overlaps(from.nodes.box(i))) continue;
      const int node = from.body->surface().nodes[static_cast<std::size_t>(i)];
      to.triangles.Find(from.nodes.box(i), &stack_, [&](int t) {
        const std::array<int, 3>& corners = to.body->surface().triangles[static_cast<std::size_t>(t)];
        if (n == m && std::find(corners.begin(), corners.end(), node) != corners.end()) return;
        candidates_.push_back({Kind::NodeTriangle, n, node, m, t});
      });
    }
  };
  const auto segments_against_triangles = [&](int n, int m) {
    const Part &from = parts_[static_cast<std::size_t>(n)], &to = parts_[static_cast<std::size_t>(m)];
    for (int i = 0; i < from.segments.num_items(); ++i) {
      to.triangles.Find(from.segments.box(i), &stack_, [&](int t) {
        candidates_.push_back({Kind::SegmentTriangle, n, i, m, t});
      });
    }
  };
  nodes_against_triangles(k, l);
  if (k != l) {
    nodes_against_triangles(l, k);
    segments_against_triangles(k, l);
    segments_against_triangles(l, k);
  }
  for (int i = 0; i < a.segments.num_items(); ++i) {
    b.segments.Find(a.segments.box(i), &stack_, [&](int j) {
      if (k != l || j > i + a.neighbours) candidates_.push_back({Kind::SegmentSegment, k, i, l, j});
    });
  }
}

void DeformableContacts::FindCandidates(const Input& in) {
  candidates_.clear();
  for (int k = 0; k < static_cast<int>(parts_.size()); ++k) {
    const Part& part = parts_[static_cast<std::size_t>(k)];
    if (!part.collides) continue;
    AddWithRigid(in, k);
    if (TouchesItself(part)) AddBetween(k, k);
    for (int l = k + 1; l < static_cast<int>(parts_.size()); ++l) {
      const Part& other = parts_[static_cast<std::size_t>(l)];
      if (!other.collides || !MayTouch(part, other.object, other.contact_type, other.contact_affinity)) continue;
      AddBetween(k, l);
    }
  }
}

void DeformableContacts::Find(const RigidObjects& rigid, const std::vector<DeformableState>& states, double h,
                              double margin, ThreadPool* pool, std::vector<ContactState>* contacts) {
  const Input in{&rigid, &states, h, margin};
  Place(in);
  FindCandidates(in);
  const std::size_t per = kCandidatesPerChunk, chunks = (candidates_.size() + per - 1) / per;
  if (chunks_.size() < chunks) chunks_.resize(chunks);
  pool->ForEach(static_cast<int>(chunks), [&](int index, int thread) {
    const std::size_t c = static_cast<std::size_t>(index);
    chunks_[c].clear();
    for (std::size_t i = c * per; i < std::min((c + 1) * per, candidates_.size()); ++i) {
      Collide(candidates_[i], in, &workers_[static_cast<std::size_t>(thread)], &chunks_[c]);
    }
  });
  const auto first = static_cast<std::ptrdiff_t>(contacts->size());
  for (std::size_t c = 0; c < chunks; ++c) contacts->insert(contacts->end(), chunks_[c].begin(), chunks_[c].end());
  DropFalseContacts(margin, contacts, first);
  std::sort(contacts->begin() + first, contacts->end(), Before);
  // Triangles that share an edge or a node find the same there; the nearest stays.
  const auto same = [](const ContactState& x, const ContactState& y) {
    return x.object_a == y.object_a && x.object_b == y.object_b && x.geometry.feature == y.geometry.feature;
  };
  contacts->erase(std::unique(contacts->begin() + first, contacts->end(), same), contacts->end());
}

bool DeformableContacts::LeavesSearched(const std::vector<DeformableState>& states, double h) const {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& part = parts_[k];
    if (!part.collides) continue;
    const DeformableSurface& surface = part.body->surface();
    for (std::size_t i = 0; i < surface.nodes.size(); ++i) {
      if (!part.nodes.box(static_cast<int>(i)).Contains(NodeBox(part, states[k], surface.nodes[i], h))) return true;
    }
    for (std::size_t s = 0; s < surface.capsules.size(); ++s) {
      const Aabb box = SegmentBox(part, states[k], surface.capsules[s].segment, h);
      if (!part.segments.box(static_cast<int>(s)).Contains(box)) return true;
    }
  }
  return false;
}

std::size_t DeformableContacts::CalcMemory() const {
  std::size_t bytes = candidates_.capacity() * sizeof(Candidate);
  for (const auto& chunk : chunks_) bytes += chunk.capacity() * sizeof(ContactState);
  return bytes;
}

}  // namespace tactus
