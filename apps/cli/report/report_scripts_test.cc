// Scripts of the page that need no browser, run by Node where it is installed.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "apps/cli/report/report_plots.h"
#include "apps/cli/report/report_template.h"

namespace tactus::cli {
namespace {

// What the scripts do with a document as they are loaded.
constexpr const char* kDocument = R"JS('use strict';
const assert = require('assert');
const document = {body: {append() {}}, addEventListener() {}};
const el = (tag, props = {}, ...kids) => ({...props, kids});
)JS";

// The template's `num`, the plots, and a check.
void RunScript(const std::string& check) {
  if (std::system("node --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "node is not installed";
  const std::string page = kReportTemplate;
  const std::size_t begin = page.find("const num ="), end = page.find("function table(");
  ASSERT_LT(begin, end);
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("tactus_report_script_" + std::to_string(getpid()) + ".js");
  std::ofstream(file) << kDocument << page.substr(begin, end - begin) << kReportPlots << check;
  EXPECT_EQ(std::system(("node '" + file.string() + "'").c_str()), 0);
  std::filesystem::remove(file);
}

TEST(ReportScripts, LargeNumbersHaveExponents) {
  RunScript(R"JS(
assert.deepEqual([156300000000000000000, 1e6, 999999, 123456, -2e7, 0.00012, 0, null].map(num),
                 ['1.56e20', '1e6', '1e6', '123500', '-2e7', '1.2e-4', '0', '']);
)JS");
}

TEST(ReportScripts, CurvesOfAPlotLookDifferent) {
  RunScript(R"JS(
const different = looks => assert.equal(new Set(looks.map(L => L.color + '|' + L.dash)).size, looks.length);
const many = Array.from({length: 20}, (_, k) => `x${k}`);
different(paint(many));
different(paint(['canal', 'subadmm-icra', 'subadmm-aba', 'hybrid', ...many.slice(4)]));
different(paint(Array.from({length: 20}, (_, k) => `tactus ${k}`)));
let drawn;
chart = (title, lines) => { drawn = lines; };
fclibPart({rows: [...many, ...many.slice(8).map(n => 'Siconos ' + n)].map(n => [`at 1e-08: ${n}: part within 2 times the best`, 0.5])});
assert.equal(drawn.length, 32);
different(drawn);
)JS");
}

}  // namespace
}  // namespace tactus::cli
