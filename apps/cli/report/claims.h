// What the papers claim, item by item in their order, beside the rows of our suites that measure it.
#pragma once

#include <vector>

namespace tactus::cli {

struct Claim {
  enum class Test {
    AtLeast,     ///< agrees where ours is the paper's figure or more
    AtMost,      ///< ... or less
    Near,        ///< ... within a quarter of it
    OtherUnits,  ///< shown beside each other and not compared; `why` says which units
    Laboratory,  ///< needs laboratory measurements; `why` says which
    NotRebuilt,  ///< `why` says why
  };

  /// Whose line it is: only the papers' count.
  enum class Source {
    Paper,
    Ours,   ///< what we say of methods of our own, beside the paper's
    As000,  ///< the same rows as a line of paper 000
  };

  const char* item;  ///< table or figure
  const char* says;  ///< the claim, in full: lines are sorted and filtered
  const char* suite;
  const char* row;   ///< its name; `*` stands for any text, as quick runs have smaller cases
  const char* over;  ///< another row of the suite by which the first is divided; empty: none
  double theirs;     ///< the paper's figure, in the unit of the row; of rows "of N" the share
  Test test;
  const char* why;  ///< one sentence for where ours does not agree, whatever its number
  Source source = Source::Paper;
};

struct PaperClaims {
  const char* paper;
  std::vector<Claim> claims;
};

const std::vector<PaperClaims>& AllClaims();

/// A file each.
PaperClaims MakeClaims000();
PaperClaims MakeClaims001();
PaperClaims MakeClaims002();
PaperClaims MakeClaims003();
PaperClaims MakeClaims004();

/// Whether a name is of a pattern in which `*` stands for any text.
bool MatchesPattern(const char* pattern, const char* name);

}  // namespace tactus::cli
