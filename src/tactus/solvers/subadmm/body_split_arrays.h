// Places of arrays within BodySplitEngine's memory, for its own files.
#pragma once

namespace tactus {

// Arrays over rows on one dof.
enum { kValue = 0, kJointBeta, kJointInverse, kSlope, kShift, kLow, kHigh, kJointZ, kJointPull, kJointArrays };

// To whole vectors.
inline int RoundUp(int n) { return (n + 3) & ~3; }

// Contacts whose sums are added up by one thread.
inline constexpr int kScoreChunk = 64;

// Of idle contacts' penalties: not 0, so that what is kept times beta is not lost.
inline constexpr double kIdleBeta = 1e-12;

// Rough costs, in cycles: of four bodies or one, of four copies, of four contacts.
inline constexpr int kFourCost = 50, kOneCost = 50, kCopiesCost = 12, kContactsCost = 75;

}  // namespace tactus
