#include "tactus/deformable/mesh/tet_edit.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tactus/core/error.h"

namespace tactus {

namespace {

bool Within(const TetBox& box, const Vector3& p, double slack) {
  return (p.array() >= box.low.array() - slack).all() && (p.array() <= box.high.array() + slack).all();
}

}  // namespace

TetMesh CutHoles(const TetMesh& mesh, const std::vector<TetBox>& holes) {
  TetMesh out;
  std::vector<int> number(mesh.nodes.size(), -1);
  for (const std::array<int, 4>& tet : mesh.tets) {
    Vector3 middle = Vector3::Zero();
    for (const int node : tet) middle += 0.25 * mesh.nodes[static_cast<std::size_t>(node)];
    if (std::any_of(holes.begin(), holes.end(), [&](const TetBox& hole) { return Within(hole, middle, 0); })) continue;
    for (const int node : tet) number[static_cast<std::size_t>(node)] = 0;
    out.tets.push_back(tet);
  }
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    if (number[i] < 0) continue;
    number[i] = static_cast<int>(out.nodes.size());
    out.nodes.push_back(mesh.nodes[i]);
  }
  for (std::array<int, 4>& tet : out.tets) {
    for (int& node : tet) node = number[static_cast<std::size_t>(node)];
  }
  CheckTetMesh(out, "mesh with holes");
  return out;
}

void TaperAlongZ(double taper, TetMesh* mesh) {
  Require(std::isfinite(taper) && taper > 0, "taper", fmt::format("is {}", taper), "a number > 0");
  if (mesh->nodes.empty()) return;
  const auto less = [](const Vector3& a, const Vector3& b) { return a.z() < b.z(); };
  const auto [low, high] = std::minmax_element(mesh->nodes.begin(), mesh->nodes.end(), less);
  const double from = low->z(), length = high->z() - from;
  for (Vector3& p : mesh->nodes) p.head<2>() *= 1 + (taper - 1) * (p.z() - from) / length;
}

void SetLayers(const std::vector<double>& layers, TetMesh* box) {
  double sum = 0;
  for (const double x : layers) {
    Require(std::isfinite(x) && x > 0, "layers", fmt::format("one is {}", x), "numbers > 0");
    sum += x;
  }
  const auto less = [](const Vector3& a, const Vector3& b) { return a.z() < b.z(); };
  const auto [low, high] = std::minmax_element(box->nodes.begin(), box->nodes.end(), less);
  const double from = low->z(), height = high->z() - from;
  std::vector<double> z = {from};
  for (const double x : layers) z.push_back(z.back() + height * x / sum);
  const auto count = static_cast<double>(layers.size());
  for (Vector3& p : box->nodes) p.z() = z.at(static_cast<std::size_t>(std::lround((p.z() - from) / height * count)));
}

std::vector<std::array<int, 3>> FindWalls(const TetMesh& mesh, const TetBox& box) {
  const double slack = 1e-9 * std::max(1.0, (box.high - box.low).norm());
  std::vector<std::array<int, 3>> out;
  for (const std::array<int, 3>& t : CalcSurface(mesh)) {
    if (std::all_of(t.begin(), t.end(),
                    [&](int i) { return Within(box, mesh.nodes[static_cast<std::size_t>(i)], slack); })) {
      out.push_back(t);
    }
  }
  return out;
}

}  // namespace tactus
