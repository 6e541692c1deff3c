// tactus info FILE
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <Eigen/Eigenvalues>

#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "tactus/contact/delassus_matrix.h"
#include "tactus/contact/ncp_residual.h"
#include "tactus/contact/problem_file.h"

namespace tactus::cli {

namespace {

// Groups of constraints that do not influence each other, largest first, by number of constraints.
std::vector<int> CalcIslands(const DelassusMatrix& W) {
  std::vector<int> root(W.num_constraints());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (int i = 0; i < W.num_constraints(); ++i) {
    for (int k = W.row_begin(i); k < W.row_end(i); ++k) {
      const double* block = W.block(k);
      const int size = W.dim(i) * W.dim(W.column(k));
      if (std::any_of(block, block + size, [](double x) { return x != 0; })) root[find(i)] = find(W.column(k));
    }
  }
  std::map<int, int> sizes;
  for (int i = 0; i < W.num_constraints(); ++i) ++sizes[find(i)];
  std::vector<int> out;
  out.reserve(sizes.size());
  for (const auto& entry : sizes) out.push_back(entry.second);
  std::sort(out.rbegin(), out.rend());
  return out;
}

struct Spectrum {
  int rank = 0;
  double smallest = 0;  // eigenvalue relative to the largest
};

// Of the symmetric part of W; nothing where that would take long.
std::optional<Spectrum> CalcSpectrum(const DelassusMatrix& W) {
  constexpr int kLargest = 1000;
  const int m = W.size();
  if (m == 0 || m > kLargest) return std::nullopt;
  MatrixX dense = MatrixX::Zero(m, m);
  for (int i = 0; i < W.num_constraints(); ++i) {
    for (int k = W.row_begin(i); k < W.row_end(i); ++k) {
      const int j = W.column(k);
      dense.block(W.offset(i), W.offset(j), W.dim(i), W.dim(j)) =
          Eigen::Map<const RowMatrixX>(W.block(k), W.dim(i), W.dim(j));
    }
  }
  const Eigen::SelfAdjointEigenSolver<MatrixX> solver(0.5 * (dense + dense.transpose()), Eigen::EigenvaluesOnly);
  const VectorX& values = solver.eigenvalues();
  const double largest = values.cwiseAbs().maxCoeff();
  if (solver.info() != Eigen::Success || !(largest > 0)) return std::nullopt;
  return Spectrum{static_cast<int>((values.array() > 1e-10 * largest).count()), values[0] / largest};
}

const char* ToText(RowKind kind) {
  switch (kind) {
    case RowKind::Inequality: return "inequality";
    case RowKind::Equality: return "equality";
    case RowKind::Soft: return "soft";
    case RowKind::BoundedSoft: return "bounded_soft";
    case RowKind::DryFriction: return "dry_friction";
  }
  return "?";
}

const char* ToText(SubsystemKind kind) {
  switch (kind) {
    case SubsystemKind::Free: return "free";
    case SubsystemKind::Dense: return "dense";
    case SubsystemKind::Tree: return "tree";
    case SubsystemKind::Sparse: return "sparse";
  }
  return "?";
}

// Largest over smallest diagonal entry of A that is a mass: translations of free bodies and nodes, any dof elsewhere.
std::optional<double> CalcMassRatio(const ContactProblem& p) {
  if (!p.has_dynamics() || p.num_dofs() == 0) return std::nullopt;
  const VectorX diagonal = p.mass().diagonal();
  double smallest = kInfinity, largest = 0;
  for (const Subsystem& s : p.mass().subsystems()) {
    const int count = s.kind == SubsystemKind::Free ? 3 : s.size;
    for (int i = s.dof; i < s.dof + count; ++i) {
      smallest = std::min(smallest, diagonal[i]);
      largest = std::max(largest, diagonal[i]);
    }
  }
  return largest / smallest;
}

Json MakeFrictionJson(const ContactProblem& p) {
  if (p.num_contacts() == 0) return nullptr;
  double smallest = kInfinity, largest = 0;
  int elliptic = 0;
  for (int i = 0; i < p.num_contacts(); ++i) {
    const Friction& f = p.friction(i);
    smallest = std::min({smallest, f.mu1, f.mu2});
    largest = std::max({largest, f.mu1, f.mu2});
    elliptic += !f.isotropic();
  }
  return {{"min", smallest}, {"max", largest}, {"elliptic", elliptic}};
}

// Members without meaning for a problem are null.
Json MakeInfo(const ProblemFile& input) {
  const ContactProblem& p = input.problem;
  const DelassusMatrix W(p);
  Json json;
  json["file"] = input.path;
  json["format"] = ToString(input.format);
  json["name"] = p.name;
  json["provenance"] = p.provenance;
  json["contacts"] = p.num_contacts();
  json["rows"] = p.num_rows();
  Json rows = Json::object(), subsystems = Json::object();
  for (int i = 0; i < p.num_rows(); ++i) rows[ToText(p.law(i).kind)] = rows.value(ToText(p.law(i).kind), 0) + 1;
  json["row_kinds"] = rows;
  json["dofs"] = p.has_dynamics() ? Json(p.num_dofs()) : Json(nullptr);
  for (const Subsystem& s : p.mass().subsystems()) subsystems[ToText(s.kind)] = subsystems.value(ToText(s.kind), 0) + 1;
  json["subsystems"] = p.has_dynamics() ? subsystems : Json(nullptr);
  json["geometry"] = p.has_geometry();
  json["mu"] = MakeFrictionJson(p);
  const std::optional<double> ratio = CalcMassRatio(p);
  json["mass_ratio"] = ratio ? Number(*ratio) : Json(nullptr);
  double lightest = kInfinity, heaviest = 0;
  for (const double rho : W.rho()) {
    lightest = std::min(lightest, rho);
    heaviest = std::max(heaviest, rho);
  }
  json["effective_mass_ratio"] = W.rho().empty() ? Json(nullptr) : Number(heaviest / lightest);
  json["asymmetry"] = p.has_dynamics() ? Json(nullptr) : Number(p.asymmetry());
  const std::optional<Spectrum> spectrum = CalcSpectrum(W);
  json["W_size"] = p.size();
  json["W_rank"] = spectrum ? Json(spectrum->rank) : Json(nullptr);
  json["W_smallest_eigenvalue"] = spectrum ? Number(spectrum->smallest) : Json(nullptr);
  json["islands"] = CalcIslands(W);
  json["guess"] = input.guess.has_value();
  json["reference_natural_rho"] =
      input.reference ? Number(CalcNcpResidual(p, *input.reference).natural_rho) : Json(nullptr);
  return json;
}

std::string CountsText(const Json& counts) {
  std::string out;
  for (const auto& [key, value] : counts.items())
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", value.get<int>(), key);
  return out;
}

void PrintInfo(const Json& j) {
  const auto line = [](const char* label, const std::string& text) { fmt::print("{:<16}{}\n", label, text); };
  const auto number = [](const Json& x) {
    return x.is_null() ? std::string("unknown") : fmt::format("{:.3g}", x.get<double>());
  };
  line("file", j["file"]);
  line("format", j["format"]);
  if (!j["name"].get<std::string>().empty()) line("name", j["name"]);
  if (!j["provenance"].get<std::string>().empty()) line("made by", j["provenance"]);
  line("contacts", fmt::format("{}, {}", j["contacts"].get<int>(),
                               j["geometry"].get<bool>() ? "points and frames known" : "known as rows only"));
  if (j["rows"].get<int>() > 0)
    line("scalar rows", fmt::format("{}: {}", j["rows"].get<int>(), CountsText(j["row_kinds"])));
  if (j["dofs"].is_null()) {
    line("dynamics", "none: a Delassus pair (W, q)");
    line("asymmetry of W", number(j["asymmetry"]));
  } else {
    line("dofs", fmt::format("{} in subsystems: {}", j["dofs"].get<int>(), CountsText(j["subsystems"])));
    line("mass ratio", number(j["mass_ratio"]));
  }
  if (!j["mu"].is_null()) {
    const int elliptic = j["mu"]["elliptic"];
    line("friction", fmt::format("{:g} to {:g}{}", j["mu"]["min"].get<double>(), j["mu"]["max"].get<double>(),
                                 elliptic > 0 ? fmt::format(", {} elliptic", elliptic) : ""));
  }
  line("effective mass", "ratio " + number(j["effective_mass_ratio"]) + " between constraints");
  line("W", j["W_rank"].is_null()
                ? fmt::format("size {}, too large for its spectrum", j["W_size"].get<int>())
                : fmt::format("size {}, rank {}, smallest eigenvalue {} of the largest", j["W_size"].get<int>(),
                              j["W_rank"].get<int>(), number(j["W_smallest_eigenvalue"])));
  std::string islands;
  for (std::size_t i = 0; i < std::min<std::size_t>(j["islands"].size(), 10); ++i) {
    islands += fmt::format("{}{}", i == 0 ? ": " : ", ", j["islands"][i].get<int>());
  }
  line("islands",
       fmt::format("{}{}{} constraints", j["islands"].size(), islands, j["islands"].size() > 10 ? ", ..." : ""));
  if (j["guess"].get<bool>()) line("guess", "stored");
  if (!j["reference_natural_rho"].is_null())
    line("reference", "stored, natural_rho " + number(j["reference_natural_rho"]));
}

struct InfoOptions {
  std::string file;
  bool json = false;
};

}  // namespace

CommandRun AddInfoCommand(CLI::App* app) {
  const auto options = std::make_shared<InfoOptions>();
  app->add_option("file", options->file, "problem file (tactus or FCLib, HDF5)")->required()->type_name("FILE");
  app->add_flag("--json", options->json, "print a JSON object");
  return [options] {
    const Json info = MakeInfo(ReadProblemFile(options->file));
    if (options->json) {
      fmt::print("{}\n", Dump(info));
    } else {
      PrintInfo(info);
    }
    return kAllSolved;
  };
}

}  // namespace tactus::cli
