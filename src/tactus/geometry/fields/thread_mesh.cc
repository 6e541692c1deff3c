#include "tactus/geometry/fields/thread_mesh.h"

#include <cmath>
#include <numbers>

namespace tactus {

namespace {

// Vertex `key` of a column is corner key mod n of the ridge key div n; ends have keys beyond all of these.
struct ColumnVertex {
  int key;
  int vertex;
};

class ThreadMesher {
 public:
  ThreadMesher(const ThreadSection& section, double half, int segments)
      : section_(section), half_(half), segments_(segments), corners_(static_cast<int>(section.corners.size())) {}

  ThreadMesh Run() {
    for (int j = 0; j < segments_; ++j) columns_.push_back(MakeColumn(j));
    for (int j = 0; j < segments_; ++j) {
      const auto& left = columns_[static_cast<std::size_t>(j)];
      const bool around = j + 1 == segments_;
      // After a turn the same vertex is one ridge lower.
      Sew(left, columns_[around ? 0 : static_cast<std::size_t>(j) + 1], around ? corners_ : 0);
    }
    for (const auto& column : columns_) {
      out_.lower.push_back(column.front().vertex);
      out_.upper.push_back(column.back().vertex);
    }
    return std::move(out_);
  }

 private:
  // z relative to this angle's ridge 0.
  double Radius(double z) const {
    const auto& c = section_.corners;
    const double folded = z - section_.pitch * std::floor((z - c[0].y()) / section_.pitch);
    for (std::size_t i = 0; i < c.size(); ++i) {
      const Vector2 next = i + 1 < c.size() ? c[i + 1] : Vector2(c[0].x(), c[0].y() + section_.pitch);
      if (folded < c[i].y() || folded > next.y()) continue;
      const double length = next.y() - c[i].y();
      return length > 0 ? c[i].x() + (next.x() - c[i].x()) * (folded - c[i].y()) / length : c[i].x();
    }
    return c[0].x();
  }

  std::vector<ColumnVertex> MakeColumn(int j) {
    const double angle = 2 * std::numbers::pi * j / segments_;
    const double shift = section_.pitch * j / segments_;
    const double slack = 1e-6 * section_.pitch;  // no slivers at the ends
    std::vector<ColumnVertex> column;
    const auto add = [&](int key, double r, double z) {
      column.push_back({key, static_cast<int>(out_.mesh.vertices.size())});
      out_.mesh.vertices.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
    };
    const int lowest = static_cast<int>(std::floor((-half_ - shift) / section_.pitch)) - 1;
    const int highest = static_cast<int>(std::ceil((half_ - shift) / section_.pitch)) + 1;
    add((lowest - 2) * corners_, Radius(-half_ - shift), -half_);
    for (int ridge = lowest; ridge <= highest; ++ridge) {
      for (int i = 0; i < corners_; ++i) {
        const Vector2& c = section_.corners[static_cast<std::size_t>(i)];
        const double z = c.y() + ridge * section_.pitch + shift;
        if (z > -half_ + slack && z < half_ - slack) add(ridge * corners_ + i, c.x(), z);
      }
    }
    add((highest + 3) * corners_, Radius(half_ - shift), half_);
    return column;
  }

  // Triangles between two columns, from the bottom up; `offset` is taken off the keys of the right one.
  void Sew(const std::vector<ColumnVertex>& left, const std::vector<ColumnVertex>& right, int offset) {
    std::size_t i = 0, j = 0;
    const auto add = [&](int a, int b, int c) { out_.mesh.triangles.push_back({a, b, c}); };
    while (i + 1 < left.size() || j + 1 < right.size()) {
      const bool left_done = i + 1 == left.size(), right_done = j + 1 == right.size();
      const bool left_last = i + 2 >= left.size(), right_last = j + 2 >= right.size();
      int order = 0;  // < 0: the left one rises first
      if (left_done || right_done) {
        order = left_done ? 1 : -1;
      } else if (left_last != right_last) {
        order = left_last ? 1 : -1;
      } else if (!left_last) {
        order = left[i + 1].key - (right[j + 1].key - offset);
      }
      if (order == 0) {
        add(left[i].vertex, right[j].vertex, right[j + 1].vertex);
        add(left[i].vertex, right[j + 1].vertex, left[i + 1].vertex);
        ++i, ++j;
      } else if (order < 0) {
        add(left[i].vertex, right[j].vertex, left[i + 1].vertex);
        ++i;
      } else {
        add(left[i].vertex, right[j].vertex, right[j + 1].vertex);
        ++j;
      }
    }
  }

  const ThreadSection& section_;
  double half_;
  int segments_;
  int corners_;
  std::vector<std::vector<ColumnVertex>> columns_;
  ThreadMesh out_;
};

}  // namespace

ThreadMesh MakeThreadMesh(const ThreadSection& section, double half, int segments) {
  return ThreadMesher(section, half, segments).Run();
}

}  // namespace tactus
