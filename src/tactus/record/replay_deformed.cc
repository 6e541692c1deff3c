#include "tactus/record/replay_deformed.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tactus/core/types.h"
#include "tactus/math/spatial.h"

namespace tactus {

namespace {

constexpr double kMostSteps = 2e9;  // that a 32-bit integer counts

// Shading shows steps of a surface long before its outline does: a 10000th of the smallest body, and 10 um or less.
double ChooseFinest(const RecordHeader& header, const ReplayFrame& frame) {
  double smallest = std::numeric_limits<double>::infinity();
  std::size_t first = 0;
  const auto measure = [&](int points) {
    const auto count = static_cast<std::size_t>(points);
    const Eigen::Map<const Eigen::Matrix3Xf> all(frame.vertices.data() + 3 * first, 3, points);
    if (count > 1) {
      const double size = static_cast<double>((all.rowwise().maxCoeff() - all.rowwise().minCoeff()).norm());
      if (size > 0) smallest = std::min(smallest, size);
    }
    first += count;
  };
  for (const RecordDeformable& d : header.deformables) measure(d.vertices);
  for (const RecordRod& rod : header.rods) measure(CalcPointCount(rod));
  double unit = 1e-5;
  while (unit > 1e-9 && unit > 1e-4 * smallest) unit /= 10;
  return unit;
}

double RoundUp(double x) {
  if (!(x > 0)) return 1;
  const double power = std::pow(10, std::floor(std::log10(x)) - 1);
  return std::ceil(x / power - 1e-9) * power;
}

// Of the stresses [first, last) of all frames.
StressRange FindRange(const std::vector<const ReplayFrame*>& frames, std::size_t first, std::size_t last) {
  constexpr std::size_t kSamples = 1000000;
  StressRange out;
  std::vector<float> samples;
  const std::size_t stride = 1 + frames.size() * (last - first) / kSamples;
  std::size_t next = 0;
  for (const ReplayFrame* frame : frames) {
    for (std::size_t i = first; i < last; ++i, ++next) {
      out.most = std::max(out.most, static_cast<double>(frame->stress[i]));
      if (next % stride == 0) samples.push_back(frame->stress[i]);
    }
  }
  const auto at = samples.begin() + static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), at, samples.end());
  out.high = RoundUp(*at > 0 ? static_cast<double>(*at) : out.most);
  return out;
}

}  // namespace

double ChooseUnit(double finest, double largest) {
  double unit = finest;
  while (largest / unit > kMostSteps) unit *= 10;
  return unit;
}

std::int32_t Round(double x, double unit) { return static_cast<std::int32_t>(std::lround(x / unit)); }

int CalcPointCount(const RecordRod& rod) { return rod.segments > 0 ? rod.segments + 2 : 0; }

int CalcPointCount(const RecordHeader& header) {
  int sum = header.num_vertices();
  for (const RecordRod& rod : header.rods) sum += CalcPointCount(rod);
  return sum;
}

void AppendRodPoints(const RecordHeader& header, std::span<const float> segments, std::vector<float>* points) {
  std::size_t first = 0;
  for (const RecordRod& rod : header.rods) {
    const auto count = static_cast<std::size_t>(rod.segments);
    const auto add_end = [&](std::size_t segment, double side) {
      const float* pose = &segments[kRecordPoseSize * (first + segment)];
      const Eigen::Quaternionf q(pose[3], pose[4], pose[5], pose[6]);
      const auto reach = static_cast<float>(side * 0.5 * rod.spacing);
      const Eigen::Vector3f end = Eigen::Vector3f::Map(pose) + q.normalized() * (reach * Eigen::Vector3f::UnitX());
      points->insert(points->end(), end.begin(), end.end());
    };
    if (count == 0) continue;
    add_end(0, -1);
    for (std::size_t s = 0; s < count; ++s) {
      const float* place = &segments[kRecordPoseSize * (first + s)];
      points->insert(points->end(), place, place + 3);
    }
    add_end(count - 1, 1);
    first += count;
  }
}

DeformedRange PackDeformed(const RecordHeader& header, const std::vector<const ReplayFrame*>& frames, std::size_t from,
                           std::size_t count, ReplayPack* pack) {
  DeformedRange out;
  float largest = 0;
  for (const ReplayFrame* frame : frames) {
    for (const float x : frame->vertices) largest = std::max(largest, std::abs(x));
  }
  out.unit = ChooseUnit(ChooseFinest(header, *frames.front()), static_cast<double>(largest));
  const std::span<const ReplayFrame* const> shown(frames.data() + from, count);
  std::vector<std::int32_t> vertices;
  for (const ReplayFrame* frame : shown) {
    for (const float x : frame->vertices) vertices.push_back(Round(static_cast<double>(x), out.unit));
  }
  pack->AddSmooth("vertices", vertices, 3 * CalcPointCount(header));
  if (!header.stress) return out;
  const auto solids = static_cast<std::size_t>(header.num_vertices()),
             all = static_cast<std::size_t>(header.num_stresses());
  if (solids > 0) out.solids = FindRange(frames, 0, solids);
  if (all > solids) out.rods = FindRange(frames, solids, all);
  for (const ReplayFrame* frame : frames) {
    out.most.push_back(frame->stress.empty() ? 0 : *std::max_element(frame->stress.begin(), frame->stress.end()));
  }
  std::vector<std::uint8_t> levels;
  for (const ReplayFrame* frame : shown) {
    for (std::size_t i = 0; i < all; ++i) {
      const double high = i < solids ? out.solids->high : out.rods->high;
      const double level = std::clamp(static_cast<double>(frame->stress[i]) / high, 0.0, 1.0);
      levels.push_back(static_cast<std::uint8_t>(std::lround(255 * level)));
    }
  }
  pack->Add("stress", levels, header.num_stresses());
  return out;
}

}  // namespace tactus
