#include "apps/cli/report/claims.h"

namespace tactus::cli {

const std::vector<PaperClaims>& AllClaims() {
  static const std::vector<PaperClaims> all = {MakeClaims000(), MakeClaims001(), MakeClaims002(), MakeClaims003(),
                                               MakeClaims004()};
  return all;
}

bool MatchesPattern(const char* pattern, const char* name) {
  if (*pattern == '\0') return *name == '\0';
  if (*pattern == '*') return MatchesPattern(pattern + 1, name) || (*name != '\0' && MatchesPattern(pattern, name + 1));
  return *pattern == *name && MatchesPattern(pattern + 1, name + 1);
}

}  // namespace tactus::cli
