#include "apps/cli/run_summary.h"
#include "apps/cli/statistics.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace tactus::cli {

namespace {

constexpr const char* kStages[] = {"control", "kinematics", "collision", "assembly", "solve", "integration"};

// The first few, as piles have thousands.
std::string ListDrawn(const Json& drawn) {
  constexpr std::size_t kMost = 4;
  std::string out;
  std::size_t count = 0;
  for (const auto& [path, value] : drawn.items()) {
    if (++count > kMost) break;
    out += fmt::format("{}{} = {:.4g}", out.empty() ? "" : ", ", path, value.get<double>());
  }
  if (drawn.size() > kMost) out += fmt::format(", and {} more (--json has them)", drawn.size() - kMost);
  return out;
}

}  // namespace

Json MakeSceneJson(const SceneDescription& scene, const std::vector<std::string>& notes) {
  Json json;
  json["scene"] = scene.name;
  json["seed"] = scene.seed;
  json["notes"] = notes;
  json["warnings"] = scene.warnings;
  for (const auto& [name, parameter] : scene.parameters) {
    json[parameter.used ? "parameters" : "unused_parameters"][name] = parameter.value;
  }
  // Where two draws went to one place, the last one counts.
  std::map<std::string, double> drawn;
  for (const SceneDraw& draw : scene.draws) drawn[draw.path] = draw.value;
  Json::object_t object;
  for (const auto& [path, value] : drawn) object.emplace_back(path, value);  // as [] would search all of it each time
  json["drawn"] = std::move(object);
  return json;
}

void RunSummary::Add(const StepReport& report) {
  stages_ += report.stages;
  residuals_.push_back(report.solve.residual.worst());
  solver_times_.push_back(report.solver_time);
  solver_cpu_times_.push_back(report.solver_cpu_time);
  contacts_.push_back(report.contacts);
  most_rows_ = std::max(most_rows_, report.rows);
  solves_ += report.solves;
  iterations_ += report.solver_iterations;
  newton_steps_ += report.solver_newton_steps;
  activated_ += report.activated;
  merged_ += report.merged;
  retried_ += report.retried ? 1 : 0;
  implicit_ += report.implicit_step ? 1 : 0;
  withdrawn_ += report.withdrawn > 0 ? 1 : 0;
  uncorrected_ += report.uncorrected ? 1 : 0;
  penetration_ = std::max(penetration_, report.max_penetration);
  if (report.solve.choice[0] != '\0') ++choices_[report.solve.choice];
  if (report.status != StepStatus::Ok) {
    ++bad_;
    last_message_ = report.message;
    if (first_trouble_.empty()) {
      first_trouble_ =
          fmt::format("step {}, t = {:.6g} s: {} ({})", steps(), report.time, ToString(report.status), report.message);
    }
  }
  if (residuals_.back() > worst_) {
    worst_ = residuals_.back();
    worst_step_ = steps();
    worst_time_ = report.time;
  }
}

Json RunSummary::MakeJson(const Simulator& simulator, double wall_seconds) const {
  Json json;
  const double simulated = steps() * simulator.settings().scheme.step;
  json["steps"] = steps();
  json["time_step_s"] = simulator.settings().scheme.step;
  json["simulated_s"] = simulated;
  json["wall_s"] = wall_seconds;
  json["real_time_factor"] = wall_seconds > 0 ? Number(simulated / wall_seconds) : Json(nullptr);
  json["method"] = ToString(simulator.settings().method);
  json["solver"] = simulator.settings().solver;
  json["tolerance"] = simulator.settings().solve.tolerance;
  Json choices = Json::object();
  for (const auto& [choice, count] : choices_) choices[choice] = count;
  json["choices"] = choices;
  json["threads"] = simulator.settings().threads;
  json["bodies"] = simulator.model().num_bodies();
  json["deformables"] = simulator.deformables().size();
  json["deformable_dofs"] = simulator.deformables().num_dofs();
  json["dofs"] = simulator.model().nv();
  const double times[] = {stages_.control,  stages_.kinematics, stages_.collision,
                          stages_.assembly, stages_.solve,      stages_.integration};
  Json stages;
  for (int k = 0; k < 6; ++k) stages[kStages[k]] = steps() > 0 ? 1e3 * times[k] / steps() : 0;
  json["stage_ms_per_step"] = stages;
  json["contacts_median"] = Quantile(contacts_, 0.5, 0);
  json["contacts_max"] = contacts_.empty() ? 0 : *std::max_element(contacts_.begin(), contacts_.end());
  json["rows_max"] = most_rows_;
  json["merged_points"] = merged_;
  json["activated_contacts"] = activated_;
  json["solves"] = solves_;
  json["iterations"] = iterations_;
  json["newton_steps"] = newton_steps_;
  json["retried_steps"] = retried_;
  json["implicit_steps"] = implicit_;
  json["withdrawn_steps"] = withdrawn_;
  json["uncorrected_steps"] = uncorrected_;
  json["max_penetration_m"] = penetration_;
  const auto quantiles = [](const std::vector<double>& seconds) -> Json {
    return {{"median", 1e3 * Quantile(seconds, 0.5, 0)},
            {"p99", 1e3 * Quantile(seconds, 0.99, 0)},
            {"max", 1e3 * Quantile(seconds, 1, 0)}};
  };
  json["solver_ms_per_step"] = quantiles(solver_times_);
  json["solver_cpu_ms_per_step"] = quantiles(solver_cpu_times_);
  json["residual_p99"] = Number(Quantile(residuals_, 0.99, 0));
  json["residual_median"] = Number(Quantile(residuals_, 0.5, 0));
  json["residual_max"] = Number(std::max(worst_, 0.0));
  json["worst_step"] = worst_step_;
  json["worst_step_time_s"] = worst_time_;
  json["steps_not_ok"] = bad_;
  if (!first_trouble_.empty()) json["first_trouble"] = first_trouble_;
  const double bytes = static_cast<double>(simulator.CalcMemory());
  const double most = contacts_.empty() ? 0 : *std::max_element(contacts_.begin(), contacts_.end());
  json["memory_bytes"] = bytes;
  json["memory_bytes_per_contact"] =
      most > 0 ? Number(static_cast<double>(simulator.CalcContactMemory()) / most) : Json(nullptr);
  json["memory_bytes_per_body"] =
      simulator.model().num_bodies() > 0
          ? Number((bytes - static_cast<double>(simulator.CalcContactMemory())) / simulator.model().num_bodies())
          : Json(nullptr);
  json["state_hash"] = fmt::format("{:016x}", simulator.CalcStateHash());
  return json;
}

void RunSummary::Print(const Json& j) {
  const auto line = [](const char* name, const std::string& text) { fmt::print("  {:<18} {}\n", name, text); };
  const auto number = [&](const char* key) { return j[key].is_null() ? 0.0 : j[key].get<double>(); };
  line("steps", fmt::format("{} of {:.6g} s, {:.6g} s simulated", j["steps"].get<int>(), number("time_step_s"),
                            number("simulated_s")));
  line("real-time factor", fmt::format("{:.3g} ({:.3g} s of wall time)", number("real_time_factor"), number("wall_s")));
  const int bodies = j["bodies"].get<int>(), dofs = j["dofs"].get<int>();
  std::string world =
      fmt::format("{} {}, {} {}", bodies, bodies == 1 ? "body" : "bodies", dofs, dofs == 1 ? "dof" : "dofs");
  if (const int soft = j["deformables"].get<int>(); soft > 0) {
    world += fmt::format("; {} {}, {} dofs", soft, soft == 1 ? "deformable" : "deformables",
                         j["deformable_dofs"].get<int>());
  }
  line("world", world);
  if (j.contains("drawn") && !j["drawn"].empty()) line("drawn", ListDrawn(j["drawn"]));
  std::string stages;
  for (const auto& [name, ms] : j["stage_ms_per_step"].items()) {
    stages += fmt::format("{}{} {:.3g}", stages.empty() ? "" : ", ", name, ms.get<double>());
  }
  line("ms per step", stages);
  line("contacts", fmt::format("median {:.0f}, most {}; {} candidates joined late, {} points merged",
                               number("contacts_median"), j["contacts_max"].get<int>(),
                               j["activated_contacts"].get<long long>(), j["merged_points"].get<long long>()));
  line("penetration", fmt::format("at most {:.3g} m", number("max_penetration_m")));
  if (j["method"].get<std::string>() != ToString(StepMethod::ContactLaw)) {
    line("method", j["method"].get<std::string>() + ", a baseline: no law of contact is solved");
  }
  line("solver", fmt::format("{}, tolerance {:.1g}: {} solves, {} iterations, {} Newton steps",
                             j["solver"].get<std::string>(), number("tolerance"), j["solves"].get<long long>(),
                             j["iterations"].get<long long>(), j["newton_steps"].get<long long>()));
  for (const auto& [choice, count] : j["choices"].items()) {
    line("", fmt::format("in {} steps it took {}", count.get<int>(), choice));
  }
  const auto ms = [&](const char* what) {
    const Json& t = j[what];
    return fmt::format("median {:.3g}, 99th percentile {:.3g}, max {:.3g}", t["median"].get<double>(),
                       t["p99"].get<double>(), t["max"].get<double>());
  };
  line("solver time", fmt::format("ms per step: {}", ms("solver_ms_per_step")));
  line("", fmt::format("of the processor: {}", ms("solver_cpu_ms_per_step")));
  // What is not finite is null.
  const auto residual = [&](const char* key) {
    return j[key].is_null() ? std::string("inf") : fmt::format("{:.2e}", number(key));
  };
  line("residual", fmt::format("median {}, 99th percentile {}, max {} in step {} (t = {:.4g} s)",
                               residual("residual_median"), residual("residual_p99"), residual("residual_max"),
                               j["worst_step"].get<int>(), number("worst_step_time_s")));
  line("memory", fmt::format("{:.3g} kB; {:.0f} bytes per contact, {:.0f} per body", number("memory_bytes") / 1e3,
                             number("memory_bytes_per_contact"), number("memory_bytes_per_body")));
  if (j["withdrawn_steps"].get<int>() > 0)
    line("linearisations", fmt::format("{} steps took fewer: contacts of the others contradicted each other",
                                       j["withdrawn_steps"].get<int>()));
  if (j["uncorrected_steps"].get<int>() > 0)
    line("jammed", fmt::format("{} steps left overlaps as they were", j["uncorrected_steps"].get<int>()));
  if (j["implicit_steps"].get<int>() > 0)
    line("impacts", fmt::format("{} steps with theta = 0", j["implicit_steps"].get<int>()));
  if (j["retried_steps"].get<int>() > 0) line("retried", fmt::format("{} steps", j["retried_steps"].get<int>()));
  const int bad = j["steps_not_ok"].get<int>(), all = j["steps"].get<int>();
  line("status", all == 0   ? std::string("no step was made")
                 : bad == 0 ? std::string("every step solved to the tolerance")
                            : fmt::format("{} of {} steps {} not solved to the tolerance; the first: {}", bad, all,
                                          bad == 1 ? "was" : "were", j["first_trouble"].get<std::string>()));
  line("state_hash", j["state_hash"].get<std::string>());
}

}  // namespace tactus::cli
