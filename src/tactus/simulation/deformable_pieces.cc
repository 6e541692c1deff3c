// Deformables of a simulation that are cut into pieces.
#include "tactus/simulation/deformable_set.h"

namespace tactus {

void DeformableSet::MakePieces(Part* part) {
  part->cut = CutDeformable(*part->body, part->setup.pieces);
  for (const DeformablePiece& cut : part->cut.pieces) {
    const Deformable& body = *cut.body;
    Piece piece;
    piece.first_dof = num_dofs_;
    num_dofs_ += body.nv();
    piece.data = body.MakeData();
    piece.A = body.pattern();
    piece.b = piece.inertia = piece.v_hat = VectorX::Zero(body.nv());
    piece.bodies.assign(static_cast<std::size_t>(body.num_items()), kWorld);
    part->pieces.push_back(std::move(piece));
  }
}

void DeformableSet::CutState(const Part& part, const DeformableState& whole, std::size_t p, DeformableState* out) {
  const DeformablePiece& piece = part.cut.pieces[p];
  const Deformable& body = *piece.body;
  const int stride = body.nq() / body.num_items(), n = body.dofs_per_item();
  out->q.resize(body.nq());
  out->v.resize(body.nv());
  out->held_velocity.resize(body.num_held_dofs());
  for (int i = 0; i < body.num_items(); ++i) {
    const int from = piece.items[static_cast<std::size_t>(i)];
    out->q.segment(stride * i, stride) = whole.q.segment(stride * from, stride);
    if (body.first_dof(i) >= 0) {
      out->v.segment(body.first_dof(i), n) = whole.v.segment(part.body->first_dof(from), n);
    } else {
      out->held_velocity.segment(body.first_held_dof(i), n) =
          whole.held_velocity.segment(part.body->first_held_dof(from), n);
    }
  }
}

bool DeformableSet::AssemblePieces(ThreadPool* pool, bool about_v_hat, Part* part, const DeformableInput& whole) {
  for (std::size_t p = 0; p < part->pieces.size(); ++p) {
    Piece& piece = part->pieces[p];
    const DeformablePiece& cut = part->cut.pieces[p];
    DeformableInput input = whole;
    input.q = &piece.state.q;
    input.v = &piece.state.v;
    input.held_velocity = &piece.state.held_velocity;
    if (about_v_hat) {
      const int n = cut.body->dofs_per_item();
      for (int i = 0; i < cut.body->num_items(); ++i) {
        const int to = cut.body->first_dof(i), from = part->body->first_dof(cut.items[static_cast<std::size_t>(i)]);
        if (to >= 0) piece.v_hat.segment(to, n) = whole.v_hat->segment(from, n);
      }
      input.v_hat = &piece.v_hat;
    }
    if (!cut.body->Assemble(scheme_, input, pool, piece.data.get(), &piece.A, &piece.b)) return false;
  }
  if (part->cut.joints.empty()) return true;
  part->q_joints = *whole.q;
  if (about_v_hat) {
    part->body->Integrate(*whole.v_hat, whole.held_velocity, (1 - scheme_.theta) * scheme_.step, &part->q_joints);
  }
  return true;
}

void DeformableSet::AddPieceRows(int first_key, ConstraintRows* rows) {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& part = parts_[k];
    if (part.pieces.empty()) continue;
    const int key = first_key + static_cast<int>(k);
    if (part.cut.joints.empty()) {
      AddTies(part, key, problem_dofs_, rows);
    } else {
      AddJointRows(part, k, key, problem_dofs_, rows);
    }
  }
}

// A node's copies move as the first of them does.
void DeformableSet::AddTies(const Part& part, int key, int first, ConstraintRows* rows) {
  const double values[2] = {1, -1};
  int number = 0;
  for (std::size_t item = 0; item < part.cut.places.size(); ++item) {
    const std::vector<DeformablePieces::Place>& places = part.cut.places[item];
    if (places.size() < 2 || part.body->first_dof(static_cast<int>(item)) < 0) continue;
    const auto dof = [&](const DeformablePieces::Place& place) {
      const std::size_t p = static_cast<std::size_t>(place.piece);
      return first + part.pieces[p].first_dof + part.cut.pieces[p].body->first_dof(place.item);
    };
    for (std::size_t copy = 1; copy < places.size(); ++copy) {
      for (int axis = 0; axis < part.body->dofs_per_item(); ++axis) {
        const int columns[2] = {dof(places[0]) + axis, dof(places[copy]) + axis};
        rows->AddVelocity(RowKey(key, number++), RowLaw::Equality(), columns, values, 0);
      }
    }
  }
}

void DeformableSet::AddJointRows(const Part& part, std::size_t k, int key, int first, ConstraintRows* rows) {
  int columns[12];
  double values[12];
  for (std::size_t j = 0; j < part.cut.joints.size(); ++j) {
    const int segment = part.cut.joints[j];
    CalcRodJointRows(*part.body, scheme_, MakeInput(k), part.q_joints, segment, &joint_rows_);
    for (int row = 0; row < joint_rows_.count; ++row) {
      std::size_t count = 0;
      for (int side = 0; side < 2; ++side) {
        const DeformablePieces::Place& place = part.cut.places[static_cast<std::size_t>(segment + side)][0];
        const std::size_t p = static_cast<std::size_t>(place.piece);
        const int dof = part.cut.pieces[p].body->first_dof(place.item);
        for (int axis = 0; dof >= 0 && axis < 6; ++axis) {
          columns[count] = first + part.pieces[p].first_dof + dof + axis;
          values[count++] = joint_rows_.J[static_cast<std::size_t>(row)][6 * side + axis];
        }
      }
      const std::size_t r = static_cast<std::size_t>(row);
      rows->AddVelocity(RowKey(key, RodJointRows::kMost * static_cast<int>(j) + row),
                        RowLaw::Soft(joint_rows_.d[r], joint_rows_.ke[r]), {columns, count}, {values, count}, 0);
    }
  }
}

BodyIndex DeformableSet::AddPieceBody(Part* part, const DeformablePoint& point, const VectorX& q,
                                      ContactProblemBuilder* builder) {
  const int found = part->cut.FindPiece(point.items.data(), point.count);
  Require(found >= 0, "deformable '" + part->setup.name + "'", "no piece has all nodes of a contact",
          "contacts within one element");
  Piece& piece = part->pieces[static_cast<std::size_t>(found)];
  const DeformablePiece& cut = part->cut.pieces[static_cast<std::size_t>(found)];
  const auto item_of = [&](int item) {
    for (const DeformablePieces::Place& place : part->cut.places[static_cast<std::size_t>(item)]) {
      if (place.piece == found) return place.item;
    }
    return -1;
  };
  const Vector3 p = CalcPointPlace(*part->body, q, point);
  if (point.count == 1) {
    const int item = item_of(point.items[0]);
    BodyIndex& known = piece.bodies[static_cast<std::size_t>(item)];
    if (known != kWorld) return known;
    const int dof = cut.body->first_dof(item);
    known = cut.body->dofs_per_item() == 6 ? builder->AddSegment(piece.subsystem, dof, p)
                                           : builder->AddNode(piece.subsystem, dof, p);
    return known;
  }
  int nodes[3];
  double weights[3];
  std::size_t count = 0;
  for (int i = 0; i < point.count; ++i) {
    const int dof = cut.body->first_dof(item_of(point.items[static_cast<std::size_t>(i)]));
    if (dof < 0) continue;
    nodes[count] = dof;
    weights[count++] = point.weights[static_cast<std::size_t>(i)];
  }
  return builder->AddInterpolatedNode(piece.subsystem, {nodes, count}, {weights, count}, p);
}

// The mean of a node's copies.
void DeformableSet::Extract(int k, const ConstVectorRef& v_all, VectorX* v) const {
  const Part& part = parts_[static_cast<std::size_t>(k)];
  if (part.pieces.empty()) {
    *v = v_all.segment(part.first_dof, part.body->nv());
    return;
  }
  v->setZero(part.body->nv());
  for (std::size_t p = 0; p < part.pieces.size(); ++p) {
    const DeformablePiece& cut = part.cut.pieces[p];
    const int n = cut.body->dofs_per_item();
    for (std::size_t i = 0; i < cut.items.size(); ++i) {
      const int from = cut.body->first_dof(static_cast<int>(i)), to = part.body->first_dof(cut.items[i]);
      if (from < 0) continue;
      const double copies = static_cast<double>(part.cut.places[static_cast<std::size_t>(cut.items[i])].size());
      v->segment(to, n) += v_all.segment(part.pieces[p].first_dof + from, n) / copies;
    }
  }
}

}  // namespace tactus
