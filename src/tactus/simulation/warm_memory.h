// Impulses of the last step, for the next one to start from.
#pragma once

#include <cstdint>
#include <vector>

#include "tactus/simulation/step_report.h"

namespace tactus {

struct WarmMemory {
  struct Contact {
    int a = 0, b = 0;  // objects
    std::uint64_t feature = 0;
    Vector3 impulse = Vector3::Zero();  // in world axes
  };
  struct Row {
    std::uint64_t key = 0;
    double impulse = 0;
  };
  std::vector<Contact> contacts;  // sorted, as CompareContacts has it
  std::vector<Row> rows;          // sorted by key

  void Clear();
  /// Active contacts and rows in the order of the problem, with its impulses.
  void Store(const std::vector<ContactState>& states, const std::vector<std::uint64_t>& row_keys,
             const VectorX& impulse);
  /// Impulses in the order of a problem, zero for what is new.
  void Recall(const std::vector<ContactState>& states, const std::vector<std::uint64_t>& row_keys,
              VectorX* impulse) const;
};

}  // namespace tactus
