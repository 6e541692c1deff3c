#include "tactus/record/deformable_sampler.h"

#include <algorithm>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/deformable/fem/fem_body.h"
#include "tactus/deformable/rods/rod.h"

namespace tactus {

// Finite elements; each surface node with the elements around it and their shares, which add up to 1.
struct DeformableSampler::Solid {
  std::string name;
  std::size_t body;
  const Deformable* fem;
  std::unique_ptr<DeformableData> data;
  VectorX stress;                  // of elements or joints
  std::vector<std::size_t> begin;  // of each surface node in `element`, and the end
  std::vector<int> element;
  std::vector<double> share;
};

struct DeformableSampler::Chain {
  std::string name;
  std::size_t body;
  const Rod* rod;
  std::unique_ptr<DeformableData> data;
  VectorX stress;  // of elements or joints
};

namespace {

void FindElements(const FemBody& fem, std::vector<std::size_t>* begin, std::vector<int>* element,
                  std::vector<double>* share) {
  std::vector<std::vector<int>> around(static_cast<std::size_t>(fem.num_nodes()));
  for (int e = 0; e < fem.num_elements(); ++e) {
    for (const int node : fem.mesh().tets[static_cast<std::size_t>(e)])
      around[static_cast<std::size_t>(node)].push_back(e);
  }
  *begin = {0};
  for (const int node : fem.surface().nodes) {
    double sum = 0;
    for (const int e : around[static_cast<std::size_t>(node)])
      sum += CalcTetVolume(fem.mesh(), static_cast<std::size_t>(e));
    for (const int e : around[static_cast<std::size_t>(node)]) {
      element->push_back(e);
      share->push_back(CalcTetVolume(fem.mesh(), static_cast<std::size_t>(e)) / sum);
    }
    begin->push_back(element->size());
  }
}

void AppendPlace(const VectorX& q, Eigen::Index first, Eigen::Index count, std::vector<float>* out) {
  for (Eigen::Index k = first; k < first + count; ++k) out->push_back(static_cast<float>(q[k]));
}

}  // namespace

DeformableSampler::DeformableSampler(const std::vector<SampledBody>& bodies) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto& [name, body] = bodies[i];
    Require(body != nullptr, "deformable '" + name + "'", "is missing", "a body");
    if (const auto* fem = dynamic_cast<const FemBody*>(body)) {
      Solid solid{name, i, body, body->MakeData(), {}, {}, {}, {}};
      FindElements(*fem, &solid.begin, &solid.element, &solid.share);
      solids_.push_back(std::move(solid));
    } else {
      const auto* rod = dynamic_cast<const Rod*>(body);
      Require(rod != nullptr, "deformable '" + name + "'", "cannot be recorded", "finite elements or a rod");
      chains_.push_back({name, i, rod, body->MakeData(), {}});
    }
  }
}

DeformableSampler::~DeformableSampler() = default;
DeformableSampler::DeformableSampler(DeformableSampler&&) noexcept = default;
DeformableSampler& DeformableSampler::operator=(DeformableSampler&&) noexcept = default;

void DeformableSampler::AddTo(RecordHeader* header) const {
  for (const Solid& solid : solids_) {
    const DeformableSurface& surface = solid.fem->surface();
    RecordDeformable out{solid.name, static_cast<int>(surface.nodes.size()), {}, surface.nodes};
    const auto number = [&surface](int node) {
      return static_cast<int>(std::lower_bound(surface.nodes.begin(), surface.nodes.end(), node) -
                              surface.nodes.begin());
    };
    for (const auto& [a, b, c] : surface.triangles) out.triangles.push_back({number(a), number(b), number(c)});
    header->deformables.push_back(std::move(out));
  }
  for (const Chain& chain : chains_) {
    header->rods.push_back(
        {chain.name, chain.rod->num_segments(), chain.rod->settings().radius, chain.rod->segment_length()});
  }
  header->stress = !solids_.empty() || !chains_.empty();
}

void DeformableSampler::Sample(std::span<const VectorX* const> q) {
  Require(q.size() == solids_.size() + chains_.size(), "deformables", fmt::format("{} states are given", q.size()),
          fmt::format("{}", solids_.size() + chains_.size()));
  vertices_.clear();
  segments_.clear();
  stress_.clear();
  for (Solid& solid : solids_) {
    const VectorX& place = *q[solid.body];
    for (const int node : solid.fem->surface().nodes) AppendPlace(place, 3 * node, 3, &vertices_);
    solid.fem->CalcStress(place, solid.data.get(), &solid.stress);
    for (std::size_t n = 0; n + 1 < solid.begin.size(); ++n) {
      double sum = 0;
      for (std::size_t k = solid.begin[n]; k < solid.begin[n + 1]; ++k) {
        sum += solid.share[k] * solid.stress[solid.element[k]];
      }
      stress_.push_back(static_cast<float>(sum));
    }
  }
  for (Chain& chain : chains_) {
    const VectorX& place = *q[chain.body];
    const int count = chain.rod->num_segments();
    AppendPlace(place, 0, kRecordPoseSize * count, &segments_);
    chain.rod->CalcStress(place, chain.data.get(), &chain.stress);
    for (int s = 0; s < count; ++s) {
      const double before = s > 0 ? chain.stress[s - 1] : 0, after = s + 1 < count ? chain.stress[s] : 0;
      stress_.push_back(static_cast<float>(std::max(before, after)));
    }
  }
}

void DeformableSampler::Fill(RecordFrame* frame) const {
  frame->vertices = vertices_;
  frame->segments = segments_;
  frame->stress = stress_;
}

}  // namespace tactus
