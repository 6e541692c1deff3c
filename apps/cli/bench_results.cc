#include "apps/cli/bench_results.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "apps/cli/json_output.h"
#include "tactus/core/error.h"
#include "tactus/core/output_file.h"
#include "tactus/core/simd.h"
#include "tactus/io/data_folder.h"
#include "tactus/version.h"

namespace tactus::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFormat = "tactus-bench-1";

std::string Now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::string ReadLine(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// Without running git, which may not be there.
std::string FindCommit() {
  try {
    const fs::path git = fs::path(FindDataFolder("scenes")).parent_path() / ".git";
    std::string head = ReadLine(git / "HEAD");
    constexpr std::string_view kRef = "ref: ";
    if (head.rfind(kRef, 0) == 0) {
      const std::string ref = head.substr(kRef.size());
      head = ReadLine(git / ref);
      std::ifstream packed(git / "packed-refs");
      for (std::string line; head.empty() && std::getline(packed, line);) {
        if (line.size() > ref.size() && line.compare(line.size() - ref.size(), ref.size(), ref) == 0) head = line;
      }
    }
    if (head.size() >= 12) return head.substr(0, 12);
  } catch (const InputError&) {
  }
  return "unknown";
}

std::string FindProcessor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

const char* ToText(BenchRow::Better better) {
  switch (better) {
    case BenchRow::Better::Lower: return "lower";
    case BenchRow::Better::Higher: return "higher";
    case BenchRow::Better::Unknown: break;
  }
  return "unknown";
}

bool IsTime(const std::string& unit) {
  return unit == "s" || unit == "ms" || unit == "us" || unit == "µs" || unit == "ns";
}

// The member of a file, or an error that says where.
template <typename T>
T Get(const fs::path& file, const Json& json, const char* name, const char* expected) {
  try {
    return json.at(name).get<T>();
  } catch (const Json::exception&) {
    throw InputError(file.string(), fmt::format("'{}' is missing or is something else", name), expected);
  }
}

double GetNumber(const fs::path& file, const Json& json, const char* name) {
  const bool is_null = json.contains(name) && json.at(name).is_null();
  return is_null ? std::nan("") : Get<double>(file, json, name, "a number or null");
}

BenchRow ReadRow(const fs::path& file, const Json& json) {
  BenchRow row;
  row.name = Get<std::string>(file, json, "name", "a text");
  row.unit = Get<std::string>(file, json, "unit", "a text");
  row.value = GetNumber(file, json, "value");
  if (json.contains("bar") && !json.at("bar").is_null()) row.bar = GetNumber(file, json, "bar");
  if (json.contains("spread") && !json.at("spread").is_null()) row.spread = GetNumber(file, json, "spread");
  row.pass = Get<bool>(file, json, "pass", "true or false");
  const std::string better = Get<std::string>(file, json, "better", "lower, higher or unknown");
  row.better = better == "lower"    ? BenchRow::Better::Lower
               : better == "higher" ? BenchRow::Better::Higher
                                    : BenchRow::Better::Unknown;
  return row;
}

}  // namespace

BenchRun MakeBenchRun(const std::string& suite, const BenchSettings& settings) {
  BenchRun run;
  run.suite = suite;
  run.settings = settings;
  run.date = Now();
  run.commit = FindCommit();
  run.version = LibraryVersion();
  run.compiler = __VERSION__;
  run.processor = FindProcessor();
  run.simd = ToString(ActiveSimdLevel());
  run.cores = static_cast<int>(std::thread::hardware_concurrency());
  return run;
}

fs::path WriteBenchRun(const BenchRun& run, const fs::path& folder) {
  std::string name = run.suite + (run.settings.quick ? "-quick" : "");
  if (!run.settings.only.empty()) {
    std::string part = run.settings.only;
    std::replace_if(
        part.begin(), part.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    name += "-" + part;
  }
  const fs::path path = folder / run.date.substr(0, 10) / (name + ".json");
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  Json rows = Json::array();
  for (const BenchRow& row : run.rows) {
    rows.push_back({{"name", row.name},
                    {"value", Number(row.value)},
                    {"unit", row.unit},
                    {"bar", row.bar ? Number(*row.bar) : Json(nullptr)},
                    {"better", ToText(row.better)},
                    {"pass", row.pass}});
    if (row.spread) rows.back()["spread"] = Number(*row.spread);
  }
  const Json json = {{"format", kFormat},
                     {"suite", run.suite},
                     {"quick", run.settings.quick},
                     {"only", run.settings.only},
                     {"date", run.date},
                     {"commit", run.commit},
                     {"version", run.version},
                     {"compiler", run.compiler},
                     {"machine", {{"processor", run.processor}, {"cores", run.cores}, {"simd", run.simd}}},
                     {"seconds", run.seconds},
                     {"rows", rows}};
  OutputFile out(path.string());
  out.Write(Dump(json) + "\n");
  out.Commit();
  return path;
}

BenchRun ReadBenchRun(const fs::path& file) {
  std::ifstream in(file);
  if (!in) throw InputError(file.string(), "cannot be read", "a file that `tactus bench` wrote");
  const Json json = Json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || Get<std::string>(file, json, "format", kFormat) != kFormat) {
    throw InputError(file.string(), "is not a result of `tactus bench`", std::string("JSON of format ") + kFormat);
  }
  BenchRun run;
  run.suite = Get<std::string>(file, json, "suite", "a text");
  run.settings.quick = Get<bool>(file, json, "quick", "true or false");
  run.settings.only = Get<std::string>(file, json, "only", "a text");
  run.date = Get<std::string>(file, json, "date", "a text");
  run.commit = Get<std::string>(file, json, "commit", "a text");
  run.version = Get<std::string>(file, json, "version", "a text");
  run.compiler = Get<std::string>(file, json, "compiler", "a text");
  const Json machine = Get<Json>(file, json, "machine", "an object");
  run.processor = Get<std::string>(file, machine, "processor", "a text");
  run.cores = Get<int>(file, machine, "cores", "a whole number");
  run.simd = Get<std::string>(file, machine, "simd", "a text");
  run.seconds = GetNumber(file, json, "seconds");
  const Json rows = Get<Json>(file, json, "rows", "an array");
  if (!rows.is_array()) throw InputError(file.string(), "'rows' is something else", "an array");
  for (const Json& row : rows) run.rows.push_back(ReadRow(file, row));
  return run;
}

const char* ToString(BenchChange::Kind kind) {
  switch (kind) {
    case BenchChange::Kind::Slower: return "slower";
    case BenchChange::Kind::Faster: return "faster";
    case BenchChange::Kind::LessAccurate: return "worse";
    case BenchChange::Kind::MoreAccurate: return "better";
    case BenchChange::Kind::Fails: return "fails now";
    case BenchChange::Kind::Passes: return "passes now";
    case BenchChange::Kind::Gone: return "gone";
    case BenchChange::Kind::New: return "new";
  }
  return "?";
}

std::vector<BenchChange> CompareBenchRuns(const BenchRun& before, const BenchRun& after, double noise) {
  using Kind = BenchChange::Kind;
  // Below this part of a bar errors are rounding.
  constexpr double kFarBelow = 0.01;
  std::vector<BenchChange> out;
  std::map<std::string, const BenchRow*> old;
  for (const BenchRow& row : before.rows) old[row.name] = &row;
  for (const BenchRow& row : after.rows) {
    const auto found = old.find(row.name);
    if (found == old.end()) {
      out.push_back({Kind::New, row.name, row.unit, std::nan(""), row.value});
      continue;
    }
    const BenchRow& was = *found->second;
    old.erase(found);
    const bool time = IsTime(row.unit);
    BenchChange change{Kind::Passes, row.name, row.unit, was.value, row.value};
    if (was.pass != row.pass) {
      change.kind = row.pass ? Kind::Passes : Kind::Fails;
      out.push_back(change);
      continue;
    }
    const bool lower = row.better == BenchRow::Better::Lower || (time && row.better == BenchRow::Better::Unknown);
    if (!lower && row.better != BenchRow::Better::Higher) continue;
    if (lower && !time && row.bar && std::max(was.value, row.value) <= kFarBelow * *row.bar) continue;
    const double good = lower ? was.value : row.value, bad = lower ? row.value : was.value;
    const bool worse = bad > good * (1 + noise) || (std::isnan(row.value) && !std::isnan(was.value));
    const bool better = good > bad * (1 + noise);
    if (!worse && !better) continue;
    change.kind = worse ? (time ? Kind::Slower : Kind::LessAccurate) : (time ? Kind::Faster : Kind::MoreAccurate);
    out.push_back(change);
  }
  for (const auto& [name, row] : old) out.push_back({Kind::Gone, name, row->unit, row->value, std::nan("")});
  return out;
}

}  // namespace tactus::cli
