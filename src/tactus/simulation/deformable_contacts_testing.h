// Deformables and rigid shapes at rest, for tests of what they touch with.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "tactus/deformable/fem/fem_body.h"
#include "tactus/deformable/mesh/tet_shapes.h"
#include "tactus/simulation/deformable_contacts.h"

namespace tactus {

constexpr double kSearchMargin = 1e-3;

inline std::shared_ptr<const FemBody> MakeMat(double length, int cells) {
  return std::make_shared<const FemBody>(MakeMatTets(length, 0.1, 0.01, {cells, 5, 1}), FemMaterial{});
}

// Rigid shapes and deformables at rest.
struct Search {
  int AddShape(ShapeType type, const Vector3& size, const Pose& X) {
    Shape shape;
    shape.type = type;
    shape.size = size;
    return AddShape(shape, X);
  }
  int AddShape(const Shape& shape, const Pose& X) {
    SimulatorObject object;
    object.shape = CollisionShape::Make(shape, "shape");
    object.body = 0;
    boxes.push_back(object.shape->CalcBox(X));
    objects.push_back(object);
    poses.push_back(X);
    motions.emplace_back();
    return static_cast<int>(objects.size()) - 1;
  }
  void Add(std::shared_ptr<const Deformable> body, bool self_contact = false) {
    DeformableSetup setup;
    setup.self_contact = self_contact;
    states.push_back({body->initial_q(), VectorX::Zero(body->nv()), VectorX::Zero(body->num_held_dofs())});
    bodies.push_back(std::move(body));
    finder.Add(*bodies.back(), setup, 100 + static_cast<int>(bodies.size()) - 1);
  }
  const std::vector<ContactState>& Find() {
    contacts.clear();
    finder.Find({objects, poses, boxes, motions}, states, 0.01, kSearchMargin, &pool, &contacts);
    return contacts;
  }

  std::vector<SimulatorObject> objects;
  std::vector<Pose> poses;
  std::vector<Aabb> boxes;
  std::vector<ObjectMotion> motions;
  std::vector<std::shared_ptr<const Deformable>> bodies;
  std::vector<DeformableState> states;
  ThreadPool pool{1};
  DeformableContacts finder{1};
  std::vector<ContactState> contacts;
};

}  // namespace tactus
