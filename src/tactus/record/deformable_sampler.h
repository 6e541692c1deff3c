// Deformables as recordings have them: where their surfaces are, and how much they are stressed.
//
//     DeformableSampler sampler({{"ball", &ball}, {"rope", &rope}});
//     sampler.AddTo(&header);
//     Recorder recorder(path, header);
//     for each step: sampler.Sample(q), sampler.Fill(&frame), recorder.Append(frame)
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tactus/core/types.h"
#include "tactus/deformable/deformable.h"
#include "tactus/record/record_frame.h"

namespace tactus {

struct SampledBody {
  std::string name;
  const Deformable* body = nullptr;  ///< must outlive the sampler
};

class DeformableSampler {
 public:
  /// Throws InputError for a kind of body that it does not know.
  explicit DeformableSampler(const std::vector<SampledBody>& bodies = {});
  ~DeformableSampler();
  DeformableSampler(DeformableSampler&&) noexcept;
  DeformableSampler& operator=(DeformableSampler&&) noexcept;

  /// Fills deformables, rods and `stress`.
  void AddTo(RecordHeader* header) const;
  /// Looks at all bodies, given q of each. Stresses of finite elements are those of the elements around a node,
  /// averaged by their volumes at rest; of a rod's segment the larger of its two joints.
  void Sample(std::span<const VectorX* const> q);
  /// What was sampled last; the spans hold until the next time.
  void Fill(RecordFrame* frame) const;

 private:
  struct Solid;
  struct Chain;

  // In the order of the bodies: solids and rods apart, as recordings have them.
  std::vector<Solid> solids_;
  std::vector<Chain> chains_;
  std::vector<float> vertices_, segments_, stress_;
};

}  // namespace tactus
