#include "bench/collision/peers.h"

#include <cmath>

#include <ccd/ccd.h>
#include <fcl/fcl.h>

#include "tactus/geometry/convex_hull.h"

namespace tactus {

namespace {

// libccd asks for support points: those of the definition of the shapes.
struct CcdObject {
  const Shape* shape = nullptr;
  Pose X;
};

void CcdSupport(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* out) {
  const auto& o = *static_cast<const CcdObject*>(object);
  const Vector3 d = o.X.R.transpose() * Vector3(direction->v[0], direction->v[1], direction->v[2]);
  const Vector3& s = o.shape->size;
  const auto sign = [](double x) { return x < 0 ? -1.0 : 1.0; };
  Vector3 p = Vector3::Zero();
  switch (o.shape->type) {
    case ShapeType::Box: p = Vector3(sign(d[0]) * s[0], sign(d[1]) * s[1], sign(d[2]) * s[2]); break;
    case ShapeType::Cylinder: {
      const double r = std::hypot(d[0], d[1]);
      if (r > 0) p = Vector3(s[0] * d[0] / r, s[0] * d[1] / r, 0);
      p[2] = sign(d[2]) * s[1];
      break;
    }
    case ShapeType::Ellipsoid: {
      const Vector3 e = s.cwiseProduct(d);
      const double length = e.norm();
      if (length > 0) p = s.cwiseProduct(e) / length;
      break;
    }
    default: {
      double best = -1e300;
      for (const Vector3& v : o.shape->mesh->vertices) {
        const double h = v.dot(d);
        if (h > best) {
          best = h;
          p = v;
        }
      }
    }
  }
  const Vector3 w = o.X * p;
  ccdVec3Set(out, w[0], w[1], w[2]);
}

void CcdCentre(const void* object, ccd_vec3_t* out) {
  const Vector3& p = static_cast<const CcdObject*>(object)->X.p;
  ccdVec3Set(out, p[0], p[1], p[2]);
}

class CcdPeer : public Peer {
 public:
  CcdPeer(std::string name, double tolerance, bool mpr) : name_(std::move(name)), mpr_(mpr) {
    CCD_INIT(&ccd_);
    ccd_.support1 = ccd_.support2 = CcdSupport;
    ccd_.center1 = ccd_.center2 = CcdCentre;
    ccd_.max_iterations = 500;
    if (tolerance > 0) ccd_.epa_tolerance = ccd_.mpr_tolerance = ccd_.dist_tolerance = tolerance;
  }
  std::string name() const override { return name_; }
  void Prepare(const Shape& a, const Shape& b) override {
    a_.shape = &a;
    b_.shape = &b;
  }
  PeerAnswer Ask(const Pose& X_WA, const Pose& X_WB) override {
    a_.X = X_WA;
    b_.X = X_WB;
    ccd_real_t depth = 0;
    ccd_vec3_t direction, position;
    const int result = mpr_ ? ccdMPRPenetration(&a_, &b_, &ccd_, &depth, &direction, &position)
                            : ccdGJKPenetration(&a_, &b_, &ccd_, &depth, &direction, &position);
    PeerAnswer answer;
    if (result == 0) {  // its direction moves b out
      answer = {true, -depth, true, -Vector3(direction.v[0], direction.v[1], direction.v[2])};
    }  // It knows no distances.
    return answer;
  }

 private:
  std::string name_;
  bool mpr_;
  ccd_t ccd_;
  CcdObject a_, b_;
};

class FclPeer : public Peer {
 public:
  FclPeer(std::string name, double tolerance) : name_(std::move(name)), tolerance_(tolerance) {}
  std::string name() const override { return name_; }
  bool may_die() const override { return true; }
  void Prepare(const Shape& a, const Shape& b) override {
    a_ = Make(a);
    b_ = Make(b);
  }
  PeerAnswer Ask(const Pose& X_WA, const Pose& X_WB) override {
    a_->setTransform(X_WA.R, X_WA.p);
    b_->setTransform(X_WB.R, X_WB.p);
    a_->computeAABB();
    b_->computeAABB();
    fcl::DistanceRequest<double> request(true, true);
    request.gjk_solver_type = fcl::GST_LIBCCD;
    request.distance_tolerance = tolerance_;
    fcl::DistanceResult<double> result;
    PeerAnswer answer;
    try {
      fcl::distance(a_.get(), b_.get(), request, result);
    } catch (const std::exception&) {
      return answer;
    }
    answer.answered = true;
    answer.gap = result.min_distance;
    const Vector3 between = result.nearest_points[0] - result.nearest_points[1];
    const double length = between.norm();
    if (length > 0) {
      answer.has_normal = true;
      answer.normal = between / (answer.gap >= 0 ? length : -length);
    }
    return answer;
  }

 private:
  using Object = fcl::CollisionObject<double>;

  static std::unique_ptr<Object> Make(const Shape& shape) {
    std::shared_ptr<fcl::CollisionGeometry<double>> geometry;
    const Vector3& s = shape.size;
    switch (shape.type) {
      case ShapeType::Box: geometry = std::make_shared<fcl::Box<double>>(2 * s[0], 2 * s[1], 2 * s[2]); break;
      case ShapeType::Cylinder: geometry = std::make_shared<fcl::Cylinder<double>>(s[0], 2 * s[1]); break;
      case ShapeType::Ellipsoid: geometry = std::make_shared<fcl::Ellipsoid<double>>(s[0], s[1], s[2]); break;
      default: {
        const TriangleMesh hull = MakeConvexHull(shape.mesh->vertices, "peer");
        auto vertices = std::make_shared<std::vector<fcl::Vector3d>>(hull.vertices.begin(), hull.vertices.end());
        auto faces = std::make_shared<std::vector<int>>();
        for (const auto& triangle : hull.triangles) {
          faces->push_back(3);
          faces->insert(faces->end(), triangle.begin(), triangle.end());
        }
        geometry = std::make_shared<fcl::Convex<double>>(vertices, static_cast<int>(hull.triangles.size()), faces);
      }
    }
    return std::make_unique<Object>(geometry);
  }

  std::string name_;
  double tolerance_;
  std::unique_ptr<Object> a_, b_;
};

}  // namespace

std::vector<std::unique_ptr<Peer>> MakePeers() {
  std::vector<std::unique_ptr<Peer>> peers;
  peers.push_back(std::make_unique<CcdPeer>("libccd", 0, false));
  peers.push_back(std::make_unique<CcdPeer>("libccd, 1e-8", 1e-8, false));
  peers.push_back(std::make_unique<CcdPeer>("libccd, MPR", 1e-8, true));
  peers.push_back(std::make_unique<FclPeer>("FCL", 1e-6));
  peers.push_back(std::make_unique<FclPeer>("FCL, 1e-8", 1e-8));
  return peers;
}

}  // namespace tactus
