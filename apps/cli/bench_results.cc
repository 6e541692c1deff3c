#include "apps/cli/bench_results.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "apps/cli/bench_traces.h"
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
constexpr const char* kSummaryFormat = "tactus-bench-summary-1";
constexpr const char* kOnProblems = "; on ";  // before what of `how` is about problems

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

// Everything but the rows.
Json MakeHead(const BenchRun& run) {
  return {{"format", kFormat},
          {"suite", run.suite},
          {"quick", run.settings.quick},
          {"only", run.settings.only},
          {"trials", run.settings.trials},
          {"soft_problems", run.settings.soft_problems},
          {"compared", run.settings.compared},
          {"soft_seed", run.settings.soft_seed},
          {"folder", run.settings.folder},
          {"how", run.how},
          {"problems", run.problems},
          {"date", run.date},
          {"commit", run.commit},
          {"version", run.version},
          {"compiler", run.compiler},
          {"machine", {{"processor", run.processor}, {"cores", run.cores}, {"simd", run.simd}}},
          {"seconds", run.seconds}};
}

Json MakeShortRow(const BenchRow& row) {
  Json json = {{"name", row.name}, {"value", ShortNumber(row.value)}, {"unit", row.unit}};
  if (row.spread) json["spread"] = ShortNumber(*row.spread);
  if (row.bar) json["bar"] = ShortNumber(*row.bar);
  if (row.better != BenchRow::Better::Unknown) json["better"] = ToText(row.better);
  json["pass"] = row.pass;
  return json;
}

void MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error && !fs::is_directory(folder)) {
    throw InputError(folder.string(), "cannot be made: " + error.message(), "a folder that can be written to");
  }
}

void WriteText(const fs::path& path, const std::string& text) {
  MakeFolder(path.parent_path());
  OutputFile out(path.string());
  out.Write(text);
  out.Commit();
}

// Older files of fclib count "solved of 6" without a unit.
void MendOldCount(BenchRow* row) {
  constexpr std::string_view kOld = ": solved of ";
  const auto at = row->name.rfind(kOld);
  if (!row->unit.empty() || at == std::string::npos) return;
  row->unit = row->name.substr(at + kOld.size() - 3);
  row->name.resize(at + kOld.size() - 4);
}

// Older files of fclib name problems only in rows of times: "at 1e-08: CubeH8: hybrid".
std::vector<std::string> FindOldProblems(const BenchRun& run) {
  std::set<std::string> names;
  for (const BenchRow& row : run.rows) {
    const auto first = row.name.find(": "), last = row.name.rfind(": ");
    if (run.suite == "fclib" && row.unit == "ms" && first < last) {
      names.insert(row.name.substr(first + 2, last - first - 2));
    }
  }
  return {names.begin(), names.end()};
}

BenchRow ReadRow(const fs::path& file, const Json& json) {
  BenchRow row;
  row.name = Get<std::string>(file, json, "name", "a text");
  row.unit = Get<std::string>(file, json, "unit", "a text");
  MendOldCount(&row);
  row.value = GetNumber(file, json, "value");
  if (json.contains("bar") && !json.at("bar").is_null()) row.bar = GetNumber(file, json, "bar");
  if (json.contains("spread") && !json.at("spread").is_null()) row.spread = GetNumber(file, json, "spread");
  row.pass = Get<bool>(file, json, "pass", "true or false");
  const std::string better =
      json.contains("better") ? Get<std::string>(file, json, "better", "lower, higher or unknown") : "unknown";
  row.better = better == "lower"    ? BenchRow::Better::Lower
               : better == "higher" ? BenchRow::Better::Higher
                                    : BenchRow::Better::Unknown;
  return row;
}

BenchRun ParseRun(const fs::path& file, const Json& json) {
  if (!json.is_object() || Get<std::string>(file, json, "format", kFormat) != kFormat) {
    throw InputError(file.string(), "is not a result of `tactus bench`", std::string("JSON of format ") + kFormat);
  }
  BenchRun run;
  run.suite = Get<std::string>(file, json, "suite", "a text");
  run.settings.quick = Get<bool>(file, json, "quick", "true or false");
  run.settings.only = Get<std::string>(file, json, "only", "a text");
  // Older files have less.
  if (json.contains("trials")) run.settings.trials = Get<int>(file, json, "trials", "a whole number");
  if (json.contains("soft_problems")) {
    run.settings.soft_problems = Get<int>(file, json, "soft_problems", "a whole number");
  }
  if (json.contains("compared")) run.settings.compared = Get<int>(file, json, "compared", "a whole number");
  if (json.contains("soft_seed")) {
    run.settings.soft_seed = Get<std::uint64_t>(file, json, "soft_seed", "a whole number");
  }
  if (json.contains("folder")) run.settings.folder = Get<std::string>(file, json, "folder", "a text");
  if (json.contains("how")) run.how = Get<std::string>(file, json, "how", "a text");
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
  run.problems = json.contains("problems") ? Get<std::vector<std::string>>(file, json, "problems", "an array of names")
                                           : FindOldProblems(run);
  if (json.contains("curves")) run.traces = ParseTraces(file, json.at("curves"));
  return run;
}

fs::path MakeRunPath(const BenchRun& run, const fs::path& folder) {
  return folder / run.date.substr(0, 10) / (MakeBenchRunName(run) + ".json");
}

Json ParseFile(const fs::path& file) {
  std::ifstream in(file);
  if (!in) throw InputError(file.string(), "cannot be read", "a file that `tactus bench` wrote");
  return Json::parse(in, nullptr, /*allow_exceptions=*/false);
}

// Of the file alone or, if it is a summary, those in it.
std::vector<BenchRun> ReadFileRuns(const fs::path& file) {
  const Json json = ParseFile(file);
  if (!json.is_object() || json.value("format", Json()) != kSummaryFormat) return {ParseRun(file, json)};
  const Json list = Get<Json>(file, json, "runs", "an array");
  if (!list.is_array()) throw InputError(file.string(), "'runs' is something else", "an array of runs");
  if (list.empty()) throw InputError(file.string(), "'runs' is empty", "a run at least");
  std::vector<BenchRun> runs;
  for (const Json& run : list) runs.push_back(ParseRun(file, run));
  return runs;
}

}  // namespace

// Without running git, which may not be there.
std::string FindCommit(const fs::path& tree) {
  constexpr std::string_view kGitdir = "gitdir: ", kRef = "ref: ";
  fs::path git = tree / ".git";
  std::error_code error;
  // Of a worktree it is a file that names the folder with its HEAD; branches are in the one that `commondir` names.
  if (const std::string line = ReadLine(git); fs::is_regular_file(git, error) && line.rfind(kGitdir, 0) == 0) {
    git = tree / line.substr(kGitdir.size());
  }
  const std::string shared = ReadLine(git / "commondir");
  const fs::path common = shared.empty() ? git : git / shared;
  std::string head = ReadLine(git / "HEAD");
  if (head.rfind(kRef, 0) == 0) {
    const std::string ref = head.substr(kRef.size());
    head = ReadLine(git / ref);
    if (head.empty()) head = ReadLine(common / ref);
    std::ifstream packed(common / "packed-refs");
    for (std::string line; head.empty() && std::getline(packed, line);) {
      const auto space = line.find(' ');
      if (space != std::string::npos && line.substr(space + 1) == ref) head = line;
    }
  }
  return head.size() >= 12 ? head.substr(0, 12) : "unknown";
}

BenchRun MakeBenchRun(const std::string& suite, const BenchSettings& settings) {
  BenchRun run;
  run.suite = suite;
  run.settings = settings;
  run.date = Now();
  try {
    run.commit = FindCommit(fs::path(FindDataFolder("scenes")).parent_path());
  } catch (const InputError&) {
    run.commit = "unknown";
  }
  run.version = LibraryVersion();
  run.compiler = __VERSION__;
  run.processor = FindProcessor();
  run.simd = ToString(ActiveSimdLevel());
  run.cores = static_cast<int>(std::thread::hardware_concurrency());
  return run;
}

void KeepProblems(const BenchProblems& problems, BenchRun* run) {
  if (problems.names.empty()) return;
  run->problems = problems.names;
  run->settings.folder = problems.folder;
  run->how += kOnProblems + problems.what;
}

std::string DescribeExtent(const BenchRun& run) { return run.how.substr(0, run.how.find(kOnProblems)); }

std::string MakeBenchRunName(const BenchRun& run) {
  std::string name = run.suite + (run.settings.quick ? "-quick" : "");
  if (!run.settings.only.empty()) {
    std::string part = run.settings.only;
    std::replace_if(
        part.begin(), part.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    name += "-" + part;
  }
  return name;
}

void CheckBenchFolder(const BenchRun& run, const fs::path& folder) {
  const fs::path path = MakeRunPath(run, folder);
  try {
    MakeFolder(path.parent_path());
    const OutputFile probe(path.string());
  } catch (const InputError& error) {
    throw InputError(fmt::format("--results {}", error.what()));
  }
}

fs::path WriteBenchRun(const BenchRun& run, const fs::path& folder) {
  const fs::path path = MakeRunPath(run, folder);
  Json json = MakeHead(run);
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
  json["rows"] = rows;
  if (!run.traces.empty()) json["curves"] = MakeTracesJson(run.traces);
  WriteText(path, Dump(json) + "\n");
  return path;
}

BenchRun ReadBenchRun(const fs::path& file) { return ParseRun(file, ParseFile(file)); }

std::string MakeMachineName(const BenchRun& run) {
  std::string out;
  for (const char c : fmt::format("{} {} cores", run.processor, run.cores)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  // Trade marks are no part of the name.
  for (const char* mark : {"-r-", "-tm-"}) {
    for (std::size_t at = out.find(mark); at != std::string::npos; at = out.find(mark)) {
      out.erase(at, std::string_view(mark).size() - 1);
    }
  }
  return out;
}

fs::path WriteBenchSummary(const std::vector<BenchRun>& runs, const fs::path& folder) {
  Require(!runs.empty(), "summary", "there are no results", "files that `tactus bench` wrote");
  const BenchRun* newest = &runs.front();
  for (const BenchRun& run : runs) {
    if (MakeMachineName(run) != MakeMachineName(*newest)) {
      throw InputError("summary", "results are of " + newest->processor + " and of " + run.processor, "one machine's");
    }
    if (run.date > newest->date) newest = &run;
  }
  std::string text = fmt::format("{{\"format\": \"{}\", \"runs\": [", kSummaryFormat);
  for (const BenchRun& run : runs) {
    std::string head = MakeHead(run).dump();
    head.pop_back();
    text += (&run == &runs.front() ? "\n" : ",\n") + head + ",\"rows\":[";
    for (const BenchRow& row : run.rows) {
      text += (&row == &run.rows.front() ? "\n " : ",\n ") +
              MakeShortRow(row).dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    text += "]}";
  }
  const fs::path path =
      folder / MakeMachineName(*newest) / fmt::format("{}-{}.json", newest->date.substr(0, 10), newest->commit);
  WriteText(path, text + "]}\n");
  return path;
}

std::vector<BenchRun> ReadBenchRuns(const fs::path& path) {
  std::map<std::string, BenchRun> newest;
  const auto add = [&](const fs::path& file) {
    for (BenchRun& run : ReadFileRuns(file)) {
      BenchRun& kept = newest[MakeBenchRunName(run)];
      if (kept.date <= run.date) kept = std::move(run);
    }
  };
  if (fs::is_directory(path)) {
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.path().extension() == ".json") add(entry.path());
    }
  } else {
    add(path);
  }
  if (newest.empty()) throw InputError(path.string(), "has no results", "files that `tactus bench` wrote");
  std::vector<BenchRun> out;
  for (auto& [name, run] : newest) out.push_back(std::move(run));
  return out;
}

}  // namespace tactus::cli
