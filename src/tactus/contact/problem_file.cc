#include "tactus/contact/problem_file.h"

#include "tactus/contact/problem_formats.h"
#include "tactus/version.h"

namespace tactus {

namespace {

constexpr char kOrderAttribute[] = "component_order";
constexpr char kNormalFirst[] = "normal, tangent 1, tangent 2";
constexpr char kNormalLast[] = "tangent 1, tangent 2, normal";

std::span<const double> Span(const VectorX& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

}  // namespace

const char* ToString(ProblemFormat format) {
  switch (format) {
    case ProblemFormat::Tactus: return "tactus";
    case ProblemFormat::FclibLocal: return "fclib local";
    case ProblemFormat::FclibGlobal: return "fclib global";
  }
  return "unknown";
}

VectorX NormalLast(const VectorX& normal_first) {
  VectorX x(normal_first.size());
  for (int k = 0; k < x.size(); ++k) x[FromNormalFirst(k)] = normal_first[k];
  return x;
}

VectorX NormalFirst(const VectorX& normal_last) {
  VectorX x(normal_last.size());
  for (int k = 0; k < x.size(); ++k) x[k] = normal_last[FromNormalFirst(k)];
  return x;
}

VectorX ParseImpulses(const Hdf5Tree& tree, const std::string& group, const ContactProblem& problem,
                      bool normal_first) {
  const int contacts = 3 * problem.num_contacts(), rows = problem.num_rows();
  VectorX impulse(problem.size());
  const VectorX r = tree.Reals(group + "/r", contacts);
  impulse.head(contacts) = normal_first ? NormalLast(r) : r;
  if (rows > 0) {
    const bool fclib_name = !tree.Has(group + "/lambda") && tree.Has(group + "/l");
    impulse.tail(rows) = tree.Reals(group + (fclib_name ? "/l" : "/lambda"), rows);
  }
  return impulse;
}

ProblemFile ParseProblem(const Hdf5Tree& tree) {
  ProblemFile result;
  if (tree.Has("/@format")) {
    result = ParseTactus(tree);
  } else if (tree.HasGroup("/fclib_local") || tree.HasGroup("/fclib_global")) {
    result = ParseFclib(tree);
  } else {
    throw InputError(tree.file, "holds no contact problem",
                     "a group fclib_local or fclib_global, or the attribute format = \"tactus-problem\"");
  }
  result.path = tree.file;
  return result;
}

ProblemFile ReadProblemFile(const std::string& path) {
  Hdf5ReadSettings settings;
  settings.groups = {"fclib_local", "fclib_global", "guesses",  "solution", "info",    "subsystems",
                     "mechanisms",  "bodies",       "contacts", "rows",     "delassus"};
  return ParseProblem(ReadHdf5Tree(path, settings));
}

void WriteProblemFile(const std::string& path, const ContactProblem& problem) {
  Hdf5Writer writer(path);
  WriteTactus(problem, &writer);
  writer.Commit();
}

void WriteFclibFile(const std::string& path, const ContactProblem& problem) {
  Hdf5Writer writer(path);
  WriteFclib(problem, path, &writer);
  writer.Commit();
}

void WriteSolutionFile(const std::string& path, const ProblemFile& input, const VectorX& impulse, const VectorX& sigma,
                       const VectorX& velocity) {
  const ContactProblem& problem = input.problem;
  const int contacts = 3 * problem.num_contacts();
  Require(
      impulse.size() == problem.size() && sigma.size() == problem.size(), path,
      "impulse and sigma have " + std::to_string(impulse.size()) + " and " + std::to_string(sigma.size()) + " entries",
      std::to_string(problem.size()) + ", the size of the problem");
  Require(!problem.has_dynamics() || velocity.size() == problem.num_dofs(), path,
          "the velocity has " + std::to_string(velocity.size()) + " entries",
          std::to_string(problem.num_dofs()) + ", the dofs of the problem");
  const auto order = [&](const VectorX& x) { return input.foreign() ? NormalFirst(x) : x; };
  Hdf5Writer writer(path);
  writer.TextAttribute("/", "generator", std::string("tactus ") + TACTUS_VERSION_STRING);
  writer.Reals("/solution/r", Span(order(impulse.head(contacts))));
  writer.Reals("/solution/u", Span(order(sigma.head(contacts))));
  if (problem.has_dynamics()) writer.Reals("/solution/v", Span(velocity));
  if (problem.num_rows() > 0) {
    const VectorX rows = impulse.tail(problem.num_rows());
    writer.Reals("/solution/lambda", Span(rows));
    if (input.foreign()) writer.Reals("/solution/l", Span(rows));  // FCLib's name for the same
  }
  writer.TextAttribute("/solution", kOrderAttribute, input.foreign() ? kNormalFirst : kNormalLast);
  writer.Commit();
}

VectorX ReadSolutionFile(const std::string& path, const ProblemFile& input) {
  Hdf5ReadSettings settings;
  settings.groups = {"solution"};
  const Hdf5Tree tree = ReadHdf5Tree(path, settings);
  const std::string attribute = std::string("/solution@") + kOrderAttribute;
  const std::string order = tree.Text(attribute, input.foreign() ? kNormalFirst : kNormalLast);
  if (order != kNormalFirst && order != kNormalLast) {
    tree.Fail(attribute, "is \"" + order + "\"", std::string("\"") + kNormalFirst + "\" or \"" + kNormalLast + "\"");
  }
  return ParseImpulses(tree, "/solution", input.problem, order == kNormalFirst);
}

}  // namespace tactus
