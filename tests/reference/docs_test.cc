// Documents promise things; these tests hold them to it where a program can.

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/solvers/registry.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

std::string ReadText(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// All pages of the source tree; build folders are left out.
std::vector<fs::path> Pages() {
  std::vector<fs::path> pages;
  for (const char* file : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}) {
    pages.push_back(fs::path(TACTUS_PROJECT_DIR) / file);
  }
  for (const char* folder : {"docs", "src", "examples", "bench", "apps", "tests", "models"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(TACTUS_PROJECT_DIR) / folder)) {
      if (entry.path().extension() == ".md") pages.push_back(entry.path());
    }
  }
  return pages;
}

TEST(Docs, EveryLinkLeadsToAFile) {
  const std::regex link(R"(\]\(([^)#\s]+)(#[^)]*)?\))");
  int count = 0;
  for (const fs::path& page : Pages()) {
    const std::string text = ReadText(page);
    ASSERT_FALSE(text.empty()) << page;
    for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it) {
      const std::string target = (*it)[1];
      if (target.find("://") != std::string::npos) continue;
      EXPECT_TRUE(fs::exists(page.parent_path() / target)) << page << " links to " << target;
      ++count;
    }
  }
  EXPECT_GT(count, 20);
}

TEST(Docs, ReadmeListsEverySolver) {
  const std::string readme = ReadText(fs::path(TACTUS_PROJECT_DIR) / "README.md");
  for (const SolverEntry& solver : Solvers()) {
    const std::string row = "| `" + std::string(solver.name) + "` | " + (solver.exact ? "exact" : "approx.") + " | ";
    EXPECT_NE(readme.find(row + solver.what_for + " |"), std::string::npos)
        << "the table of solvers in README.md lacks the row: " << row << solver.what_for << " |";
  }
}

}  // namespace
}  // namespace tactus
