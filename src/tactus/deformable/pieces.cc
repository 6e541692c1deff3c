#include "tactus/deformable/pieces.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Eigenvalues>

#include "tactus/core/error.h"
#include "tactus/deformable/fem/fem_body.h"
#include "tactus/deformable/rods/rod.h"

namespace tactus {

namespace {

// Parts of [0, elements): recursive bisection of their middles.
class Bisection {
 public:
  Bisection(const TetMesh& mesh, int parts) : part_(mesh.tets.size()), order_(mesh.tets.size()) {
    for (const std::array<int, 4>& tet : mesh.tets) {
      Vector3 sum = Vector3::Zero();
      for (const int node : tet) sum += mesh.nodes[static_cast<std::size_t>(node)];
      middles_.push_back(sum / 4);
    }
    std::iota(order_.begin(), order_.end(), 0);
    Split(0, order_.size(), 0, parts);
  }
  const std::vector<int>& part() const { return part_; }

 private:
  void Split(std::size_t begin, std::size_t end, int first, int count) {
    if (count == 1) {
      for (std::size_t k = begin; k < end; ++k) part_[static_cast<std::size_t>(order_[k])] = first;
      return;
    }
    Vector3 low = middles_[static_cast<std::size_t>(order_[begin])], high = low;
    for (std::size_t k = begin; k < end; ++k) {
      low = low.cwiseMin(middles_[static_cast<std::size_t>(order_[k])]);
      high = high.cwiseMax(middles_[static_cast<std::size_t>(order_[k])]);
    }
    Eigen::Index axis = 0;
    (high - low).maxCoeff(&axis);
    const int left = count / 2;
    const std::size_t cut = begin + (end - begin) * static_cast<std::size_t>(left) / static_cast<std::size_t>(count);
    const auto at = [this](std::size_t k) { return order_.begin() + static_cast<std::ptrdiff_t>(k); };
    std::sort(at(begin), at(end), [&](int a, int b) {
      const double x = middles_[static_cast<std::size_t>(a)][axis], y = middles_[static_cast<std::size_t>(b)][axis];
      return x != y ? x < y : a < b;
    });
    Split(begin, cut, first, left);
    Split(cut, end, first + left, count - left);
  }

  std::vector<Vector3> middles_;
  std::vector<int> part_, order_;
};

// Elements of one part in sets that share nodes, each ascending.
std::vector<std::vector<int>> FindComponents(const TetMesh& mesh, const std::vector<int>& elements) {
  std::vector<int> root(mesh.nodes.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int node) {
    while (root[static_cast<std::size_t>(node)] != node) {
      int& up = root[static_cast<std::size_t>(node)];
      up = root[static_cast<std::size_t>(up)];
      node = up;
    }
    return node;
  };
  for (const int e : elements) {
    const std::array<int, 4>& tet = mesh.tets[static_cast<std::size_t>(e)];
    for (const int node : tet) root[static_cast<std::size_t>(find(node))] = find(tet[0]);
  }
  std::vector<std::vector<int>> out;
  std::vector<int> number(mesh.nodes.size(), -1);
  for (const int e : elements) {
    int& k = number[static_cast<std::size_t>(find(mesh.tets[static_cast<std::size_t>(e)][0]))];
    if (k < 0) {
      k = static_cast<int>(out.size());
      out.emplace_back();
    }
    out[static_cast<std::size_t>(k)].push_back(e);
  }
  return out;
}

DeformablePiece MakeFemPiece(const FemBody& whole, const std::vector<int>& elements) {
  const TetMesh& mesh = whole.mesh();
  DeformablePiece piece;
  for (const int e : elements) {
    const std::array<int, 4>& tet = mesh.tets[static_cast<std::size_t>(e)];
    piece.items.insert(piece.items.end(), tet.begin(), tet.end());
  }
  std::sort(piece.items.begin(), piece.items.end());
  piece.items.erase(std::unique(piece.items.begin(), piece.items.end()), piece.items.end());
  TetMesh part;
  FemSettings settings = whole.settings();
  settings.held.clear();
  std::vector<int> local(mesh.nodes.size(), -1);
  for (const int node : piece.items) {
    local[static_cast<std::size_t>(node)] = static_cast<int>(part.nodes.size());
    if (whole.first_dof(node) < 0) settings.held.push_back(static_cast<int>(part.nodes.size()));
    part.nodes.push_back(mesh.nodes[static_cast<std::size_t>(node)]);
  }
  for (const int e : elements) {
    std::array<int, 4> tet = mesh.tets[static_cast<std::size_t>(e)];
    for (int& node : tet) node = local[static_cast<std::size_t>(node)];
    part.tets.push_back(tet);
  }
  piece.body = std::make_shared<const FemBody>(std::move(part), whole.material(), settings);
  return piece;
}

void CutFem(const FemBody& whole, int count, DeformablePieces* out) {
  Require(count >= 2 && count <= whole.num_elements(), "pieces", "there are to be " + std::to_string(count),
          "2 to " + std::to_string(whole.num_elements()) + ", the number of elements");
  const Bisection bisection(whole.mesh(), count);
  std::vector<std::vector<int>> parts(static_cast<std::size_t>(count));
  for (int e = 0; e < whole.num_elements(); ++e) {
    parts[static_cast<std::size_t>(bisection.part()[static_cast<std::size_t>(e)])].push_back(e);
  }
  for (const std::vector<int>& part : parts) {
    for (const std::vector<int>& component : FindComponents(whole.mesh(), part)) {
      out->pieces.push_back(MakeFemPiece(whole, component));
    }
  }
}

void CutRod(const Rod& whole, int count, DeformablePieces* out) {
  const int n = whole.num_segments();
  Require(count >= 2 && count <= n / 2, "pieces", "there are to be " + std::to_string(count),
          "2 to " + std::to_string(n / 2) + ", as each has two segments");
  const double l = whole.segment_length();
  for (int k = 0; k < count; ++k) {
    const int first = static_cast<int>(static_cast<long>(n) * k / count);
    const int end = static_cast<int>(static_cast<long>(n) * (k + 1) / count);
    RodSettings settings = whole.settings();
    settings.segments = end - first;
    settings.length = l * settings.segments;
    settings.start += settings.axes * Vector3(first * l, 0, 0);
    settings.held.clear();
    DeformablePiece piece;
    for (int i = first; i < end; ++i) {
      piece.items.push_back(i);
      if (whole.first_dof(i) < 0) settings.held.push_back(i - first);
    }
    piece.body = std::make_shared<const Rod>(settings);
    out->pieces.push_back(std::move(piece));
    if (end < n) out->joints.push_back(end - 1);
  }
}

void AddRow(const Vector12& J, double d, double ke, RodJointRows* rows) {
  const std::size_t k = static_cast<std::size_t>(rows->count++);
  rows->J[k] = J;
  rows->d[k] = d;
  rows->ke[k] = ke;
}

}  // namespace

int DeformablePieces::FindPiece(const int* items, int count) const {
  for (const Place& place : places[static_cast<std::size_t>(items[0])]) {
    const auto has = [&](int item) {
      const std::vector<Place>& other = places[static_cast<std::size_t>(item)];
      return std::any_of(other.begin(), other.end(), [&](const Place& p) { return p.piece == place.piece; });
    };
    if (std::all_of(items, items + count, has)) return place.piece;
  }
  return -1;
}

DeformablePieces CutDeformable(const Deformable& whole, int count) {
  DeformablePieces out;
  if (const auto* fem = dynamic_cast<const FemBody*>(&whole)) {
    CutFem(*fem, count, &out);
  } else if (const auto* rod = dynamic_cast<const Rod*>(&whole)) {
    CutRod(*rod, count, &out);
  } else {
    throw InputError("pieces", "the deformable is of a kind that cannot be cut", "finite elements or a rod");
  }
  out.places.resize(static_cast<std::size_t>(whole.num_items()));
  for (std::size_t k = 0; k < out.pieces.size(); ++k) {
    const std::vector<int>& items = out.pieces[k].items;
    for (std::size_t i = 0; i < items.size(); ++i) {
      out.places[static_cast<std::size_t>(items[i])].push_back({static_cast<int>(k), static_cast<int>(i)});
    }
  }
  return out;
}

// As Rod::FillMatrix and Rod::RightSide have it: the impulse on both segments is
// -J^T K (h e + (c h^2 + h beta) J V) - c h^2 X V, and in fully implicit steps c h^2 (J^T K J + X) v_hat more.
void CalcRodJointRows(const Deformable& body, const DeformableScheme& scheme, const DeformableInput& input,
                      const VectorX& q, int segment, RodJointRows* rows) {
  const auto& rod = dynamic_cast<const Rod&>(body);
  const double h = scheme.step, implicit = (1 - scheme.theta) * h * h;
  const double scale = implicit + h * rod.settings().stiffness_damping, half = 0.5 * rod.segment_length();
  const Vector6 stiffness = CalcRodStiffness(rod.settings());
  const Vector3 a = Rod::position(q, segment), b = Rod::position(q, segment + 1);
  const Quaternion Ra = Rod::rotation(q, segment), Rb = Rod::rotation(q, segment + 1);
  const RodJoint joint = CalcRodJoint(a, Ra, b, Rb, half);
  Vector12 held = Vector12::Zero(), guess = Vector12::Zero();  // velocities of what is held, and v_hat of both
  std::array<bool, 2> free{};
  for (int side = 0; side < 2; ++side) {
    const int i = segment + side;
    free[static_cast<std::size_t>(side)] = rod.first_dof(i) >= 0;
    if (free[static_cast<std::size_t>(side)]) {
      if (input.v_hat) guess.segment<6>(6 * side) = input.v_hat->segment<6>(rod.first_dof(i));
    } else if (input.held_velocity) {
      held.segment<6>(6 * side) = input.held_velocity->segment<6>(rod.first_held_dof(i));
      if (input.v_hat) guess.segment<6>(6 * side) = held.segment<6>(6 * side);
    }
  }
  // Turns count as the motion of the cross section at its radius of gyration: then all rows are velocities, with about
  // the same stiffness, and penalties that weigh rows alike suit them.
  const double arm = 0.5 * rod.settings().radius;
  rows->count = 0;
  const auto add = [&](Vector12 J, double d, double implicit_stiffness, double impulse) {
    const double ke = impulse - implicit_stiffness * J.dot(guess) + d * J.dot(held);
    for (int side = 0; side < 2; ++side) {
      if (!free[static_cast<std::size_t>(side)]) J.segment<6>(6 * side).setZero();
    }
    if (!J.isZero(0)) AddRow(J, d, ke, rows);
  };
  for (int k = 0; k < 6; ++k) {
    const double unit = k < 3 ? 1 : arm, K = stiffness[k] / (unit * unit);
    add(unit * joint.J.row(k).transpose(), scale * K, implicit * K, h * K * unit * joint.e[k]);
  }
  if (rod.settings().geometry == RodGeometry::None) return;
  const Matrix12 G = CalcGeometricStiffness(a, Ra, b, Rb, half, stiffness.cwiseProduct(joint.e));
  if (rod.settings().geometry == RodGeometry::Bound) {
    const Vector12 sums = G.cwiseAbs().colwise().sum();
    for (int k = 0; k < 12; ++k) add(Vector12::Unit(k), implicit * sums[k], implicit * sums[k], 0);
    return;
  }
  // The positive part by its own eigenvectors; of those there is rounding beside the springs of the joint.
  const Eigen::SelfAdjointEigenSolver<Matrix12> eigen(0.5 * (G + G.transpose()));
  const double least = 1e-14 * stiffness.maxCoeff();
  for (int k = 0; k < 12; ++k) {
    const double sigma = eigen.eigenvalues()[k];
    if (!(sigma > least)) continue;
    const Vector12 u = eigen.eigenvectors().col(k);
    const double turns = u.segment<3>(3).squaredNorm() + u.segment<3>(9).squaredNorm();
    const double unit = 1 / std::sqrt(1 - turns + turns / (arm * arm)), K = implicit * sigma / (unit * unit);
    add(unit * u, K, K, 0);
  }
}

}  // namespace tactus
