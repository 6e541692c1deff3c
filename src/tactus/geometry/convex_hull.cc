#include "tactus/geometry/convex_hull.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>

#include <libqhull_r/qhull_ra.h>

#include "tactus/core/error.h"

namespace tactus {

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Qhull's state, freed whatever happens.
class Qhull {
 public:
  Qhull() { qh_zero(&qh_, nullptr); }
  ~Qhull() {
    qh_freeqhull(&qh_, !qh_ALL);
    int count = 0, bytes = 0;
    qh_memfreeshort(&qh_, &count, &bytes);
  }
  Qhull(const Qhull&) = delete;
  Qhull& operator=(const Qhull&) = delete;

  // Coordinates must outlive this object. False if Qhull finds no hull.
  bool Run(std::vector<double>* coordinates) {
    // Its messages speak of its own options; what they come to is that there is no volume.
    const std::unique_ptr<std::FILE, CloseFile> messages(std::fopen("/dev/null", "w"));
    if (!messages) return false;
    char command[] = "qhull Qt Pp";  // faces in triangles
    const int count = static_cast<int>(coordinates->size() / 3);
    return qh_new_qhull(&qh_, 3, count, coordinates->data(), False, command, nullptr, messages.get()) == qh_ERRnone;
  }

  // Calls add(a, b, c) with the numbers of the corners of each facet, all facets turned alike.
  template <typename Add>
  bool ForEachTriangle(Add add) {
    for (facetT* facet = qh_.facet_list; facet != nullptr && facet->next != nullptr; facet = facet->next) {
      if (qh_setsize(&qh_, facet->vertices) != 3) return false;
      int corner[3];
      for (int i = 0; i < 3; ++i) {
        auto* vertex = static_cast<vertexT*>(facet->vertices->e[i].p);
        corner[i] = qh_pointid(&qh_, vertex->point);
      }
      if (facet->toporient) std::swap(corner[1], corner[2]);
      add(corner[0], corner[1], corner[2]);
    }
    return true;
  }

 private:
  qhT qh_;
};

// Points moved and scaled into a cube of size 1 about the origin, so that nothing over- or underflows.
std::vector<double> Normalize(const std::vector<Vector3>& points, const std::string& where) {
  Vector3 low = points[0], high = points[0];
  for (const Vector3& p : points) {
    Require(p.allFinite(), where, "a point is not finite", "finite coordinates");
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const double size = (high - low).maxCoeff();
  Require(size > 0 && std::isfinite(size), where, "the points have no extent, or too much", "points around a volume");
  const Vector3 centre = low / 2 + high / 2;
  std::vector<double> coordinates;
  coordinates.reserve(3 * points.size());
  for (const Vector3& p : points) {
    for (int i = 0; i < 3; ++i) coordinates.push_back((p[i] - centre[i]) / size);
  }
  return coordinates;
}

}  // namespace

double CalcVolume(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) return 0;
  const auto vertex = [&](int i) -> const Vector3& { return mesh.vertices[static_cast<std::size_t>(i)]; };
  const Vector3& origin = vertex(mesh.triangles[0][0]);
  double six_volumes = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    six_volumes += (vertex(a) - origin).dot((vertex(b) - origin).cross(vertex(c) - origin));
  }
  return six_volumes / 6;
}

TriangleMesh MakeConvexHull(const std::vector<Vector3>& points, const std::string& where) {
  const std::string expected = "points around a volume";
  Require(points.size() >= 4, where, "there are fewer than four points", expected);
  Require(points.size() < static_cast<std::size_t>(std::numeric_limits<int>::max() / 3), where, "too many points",
          "fewer");
  std::vector<double> coordinates = Normalize(points, where);
  Qhull qhull;
  Require(qhull.Run(&coordinates), where, "the points lie in one plane, or nearly so", expected);

  TriangleMesh hull;
  std::vector<int> number(points.size(), -1);
  const bool triangles = qhull.ForEachTriangle([&](int a, int b, int c) {
    hull.triangles.push_back({a, b, c});
    for (const int corner : {a, b, c}) number[static_cast<std::size_t>(corner)] = 0;
  });
  Require(triangles, where, "the hull could not be split into triangles", expected);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (number[i] < 0) continue;
    number[i] = static_cast<int>(hull.vertices.size());
    hull.vertices.push_back(points[i]);
  }
  for (auto& triangle : hull.triangles) {
    for (int& corner : triangle) corner = number[static_cast<std::size_t>(corner)];
  }
  if (CalcVolume(hull) < 0) {
    for (auto& triangle : hull.triangles) std::swap(triangle[1], triangle[2]);
  }
  return hull;
}

}  // namespace tactus
