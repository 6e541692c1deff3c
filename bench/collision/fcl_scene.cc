#include "bench/collision/fcl_scene.h"

#include <cstdint>

#include <fcl/fcl.h>

namespace tactus {

namespace {

int BodyOf(const fcl::CollisionObject<double>* object) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(object->getUserData()));
}

struct Search {
  fcl::CollisionRequest<double> request;
  fcl::CollisionResult<double> result;
  FclScene::Counts counts;
};

bool CollidePair(fcl::CollisionObject<double>* a, fcl::CollisionObject<double>* b, void* data) {
  auto& search = *static_cast<Search*>(data);
  const int body_a = BodyOf(a), body_b = BodyOf(b);
  if (body_a == body_b || (body_a < 0 && body_b < 0)) return false;
  search.result.clear();
  ++search.counts.pairs;
  search.counts.contacts += static_cast<long long>(fcl::collide(a, b, search.request, search.result));
  return false;  // go on
}

}  // namespace

struct FclScene::Data {
  std::vector<std::unique_ptr<fcl::CollisionObject<double>>> objects;
  std::vector<fcl::CollisionObject<double>*> half_spaces;  // unbounded boxes crash the manager: tested one by one
  fcl::DynamicAABBTreeCollisionManager<double> manager;
};

FclScene::FclScene() : data_(std::make_unique<Data>()) {}
FclScene::~FclScene() = default;

bool FclScene::Add(const Shape& shape, const Pose& X_WS, int body) {
  std::shared_ptr<fcl::CollisionGeometry<double>> geometry;
  const Vector3& s = shape.size;
  switch (shape.type) {
    case ShapeType::Sphere: geometry = std::make_shared<fcl::Sphere<double>>(s[0]); break;
    case ShapeType::Box: geometry = std::make_shared<fcl::Box<double>>(2 * s[0], 2 * s[1], 2 * s[2]); break;
    case ShapeType::HalfSpace: geometry = std::make_shared<fcl::Halfspace<double>>(fcl::Vector3d::UnitZ(), 0); break;
    default: return false;
  }
  auto object = std::make_unique<fcl::CollisionObject<double>>(geometry, X_WS.R, X_WS.p);
  object->computeAABB();
  object->setUserData(reinterpret_cast<void*>(static_cast<std::intptr_t>(body)));
  data_->objects.push_back(std::move(object));
  return true;
}

void FclScene::Finish() {
  std::vector<fcl::CollisionObject<double>*> bounded;
  for (const auto& object : data_->objects) {
    (object->getNodeType() == fcl::GEOM_HALFSPACE ? data_->half_spaces : bounded).push_back(object.get());
  }
  data_->manager.registerObjects(bounded);
  data_->manager.setup();
}

FclScene::Counts FclScene::Find(const std::vector<Pose>& poses) {
  for (std::size_t k = 0; k < poses.size(); ++k) {
    fcl::CollisionObject<double>& object = *data_->objects[k];
    if (BodyOf(&object) < 0) continue;
    object.setTransform(poses[k].R, poses[k].p);
    object.computeAABB();
  }
  data_->manager.update();
  Search search;
  search.request.num_max_contacts = 8;
  search.request.enable_contact = true;
  data_->manager.collide(&search, CollidePair);
  for (fcl::CollisionObject<double>* plane : data_->half_spaces) {
    const double height = plane->getTranslation()[2];
    for (const auto& object : data_->objects) {
      if (object.get() != plane && object->getAABB().min_[2] <= height) CollidePair(object.get(), plane, &search);
    }
  }
  return search.counts;
}

}  // namespace tactus
