// What a controller by inverse dynamics keeps of its last answer: which contacts it had, to start from them again.
#pragma once

#include <cstdint>
#include <vector>

#include "tactus/inverse/qpcc_solution.h"
#include "tactus/simulation/step_report.h"

namespace tactus {

class ContactMemory {
 public:
  /// Contacts of now, in the order of the problem's; those of the last answer are remembered.
  void Begin(const std::vector<ContactState>& contacts);
  /// The last answer for the contacts of now; those that are new are open.
  void MakeWarmStart(const QpccSolution& last, QpccSolution* warm);
  /// Of an answer that is no good.
  void Forget() { keys_.clear(); }

  void Save(const QpccSolution& solution, std::vector<double>* state) const;
  /// Reads what Save wrote, from `at` on; returns where it ends. Throws InputError that names the snapshot.
  std::size_t Load(const std::vector<double>& state, std::size_t at, QpccSolution* solution);

 private:
  // Which contact: objects and features, as WarmMemory knows them.
  struct Key {
    int a = 0, b = 0;
    std::uint64_t feature = 0;
    auto operator<=>(const Key& other) const = default;
  };

  std::vector<Key> keys_, last_;
  std::vector<std::size_t> order_;  // of last_, sorted
};

/// One more number of a controller's state, after Load. Throws InputError where there is none.
double ReadSnapshotNumber(const std::vector<double>& state, std::size_t* at);

}  // namespace tactus
