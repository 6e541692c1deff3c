// Mutations of the message of the child process that reads an HDF5 file. Included once by a fuzz program.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "tactus/contact/hdf5_tree.h"
#include "tactus/core/error.h"

namespace {

using tactus::Hdf5Array;
using tactus::Hdf5Tree;

constexpr std::int64_t kIntegers[] = {-3,
                                      -2,
                                      -1,
                                      0,
                                      1,
                                      2,
                                      3,
                                      5,
                                      6,
                                      7,
                                      12,
                                      100,
                                      1 << 20,
                                      2147483647,
                                      2147483648,
                                      -2147483649,
                                      std::numeric_limits<std::int64_t>::max(),
                                      std::numeric_limits<std::int64_t>::min()};
constexpr double kReals[] = {0,
                             -0.0,
                             1,
                             -1,
                             0.5,
                             1e-300,
                             1e300,
                             -1e300,
                             5e-324,
                             1e-12,
                             std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()};

// Changes one array of a message that can be parsed: byte flips alone would rarely get past the framing.
void MutateArray(std::mt19937* random, Hdf5Array* array) {
  const auto pick = [random](std::size_t count) { return static_cast<std::size_t>((*random)()) % count; };
  const std::size_t size = array->size();
  const bool integral = array->type == Hdf5Array::Type::Integer, real = array->type == Hdf5Array::Type::Real;
  switch (pick(6)) {
    case 0:
    case 1:
    case 2:
      if (integral && size > 0) array->integers[pick(size)] = kIntegers[pick(std::size(kIntegers))];
      if (real && size > 0) array->reals[pick(size)] = kReals[pick(std::size(kReals))];
      break;
    case 3:
      if (integral && size > 0) array->integers[pick(size)] ^= static_cast<std::int64_t>(pick(4));
      if (real && size > 0) array->reals[pick(size)] *= -1.5;
      break;
    case 4:
      if (integral) array->integers.resize(pick(size + 3));
      if (real) array->reals.resize(pick(size + 3));
      break;
    case 5:
      if (integral) array->integers.clear();
      if (real) array->reals.clear();
      if (array->type == Hdf5Array::Type::Text) array->texts.assign(1, "other");
      break;
  }
  if (integral || real) array->shape = {array->size()};
}

std::vector<std::uint8_t> Encode(const Hdf5Tree& tree) {
  std::vector<std::uint8_t> message;
  for (const auto& entry : tree.arrays) tactus::AppendHdf5Array(entry.first, entry.second, &message);
  tactus::AppendHdf5End(&message);
  return message;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size)
    __attribute__((weak));

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  std::mt19937 random(seed);
  if (random() % 4 != 0) {
    try {
      Hdf5Tree tree = tactus::ParseHdf5Message({data, size}, "fuzz");
      if (!tree.arrays.empty()) {
        auto it = std::next(tree.arrays.begin(), static_cast<std::ptrdiff_t>(random() % tree.arrays.size()));
        if (random() % 32 == 0) {
          tree.arrays.erase(it);
        } else {
          MutateArray(&random, &it->second);
        }
        const std::vector<std::uint8_t> message = Encode(tree);
        if (message.size() <= max_size) {
          std::memcpy(data, message.data(), message.size());
          return message.size();
        }
      }
    } catch (const tactus::InputError&) {
      // Not a message: mutate its bytes.
    }
  }
  return LLVMFuzzerMutate != nullptr ? LLVMFuzzerMutate(data, size, max_size) : size;
}
