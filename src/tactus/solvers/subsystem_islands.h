// Subsystems that constraints hold together, directly or through others.
#pragma once

#include <vector>

#include "tactus/contact/contact_problem.h"

namespace tactus {

class SubsystemIslands {
 public:
  /// Of a Delassus pair all constraints are one.
  void Build(const ContactProblem& problem);
  /// As many names as there may be; an island is named by its first subsystem.
  int num_names() const { return static_cast<int>(root_.size()); }
  int Find(int subsystem);

 private:
  void Join(int a, int b);

  std::vector<int> root_;
};

}  // namespace tactus
