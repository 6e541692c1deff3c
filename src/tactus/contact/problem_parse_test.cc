// What lies behind the HDF5 library: arrays in, problem or a clear error out.
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/contact/problem_file_testing.h"
#include "tactus/contact/problem_formats.h"

namespace tactus {
namespace {

using testing::HasSubstr;

Hdf5Array Integers(std::vector<std::int64_t> values) {
  Hdf5Array array;
  array.type = Hdf5Array::Type::Integer;
  array.shape = {values.size()};
  array.integers = std::move(values);
  return array;
}

Hdf5Array Reals(std::vector<double> values) {
  Hdf5Array array;
  array.shape = {values.size()};
  array.reals = std::move(values);
  return array;
}

Hdf5Array Text(const std::string& text) {
  Hdf5Array array;
  array.type = Hdf5Array::Type::Text;
  array.texts = {text};
  return array;
}

SparseMatrix Compressed(const Hdf5Tree& tree, const std::string& group) {
  const int rows = static_cast<int>(tree.Integer(group + "/m", 0, 1000));
  const int cols = static_cast<int>(tree.Integer(group + "/n", 0, 1000));
  const VectorX x = tree.Reals(group + "/x", Hdf5Tree::kAnyCount);
  return MakeCompressedRows(rows, cols, tree.Integers(group + "/p", rows + 1), tree.Integers(group + "/i", x.size()),
                            {x.data(), static_cast<std::size_t>(x.size())}, group);
}

enum class Storage { Columns, SiconosTriplets, HeaderTriplets };

// Stores a matrix of the tree, given by compressed rows, in another way.
void Restore(Storage storage, const std::string& group, Hdf5Tree* tree) {
  const SparseMatrix rows = Compressed(*tree, group);
  const Eigen::SparseMatrix<double> cols = rows;
  std::vector<std::int64_t> r, c, start{0};
  std::vector<double> x;
  for (int j = 0; j < cols.outerSize(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(cols, j); it; ++it) {
      r.push_back(it.row());
      c.push_back(it.col());
      x.push_back(it.value());
    }
    start.push_back(static_cast<std::int64_t>(x.size()));
  }
  const bool triplets = storage != Storage::Columns;
  tree->arrays[group + "/nz"] = Integers({triplets ? static_cast<std::int64_t>(x.size()) : -1});
  tree->arrays[group + "/p"] = Integers(!triplets ? start : storage == Storage::HeaderTriplets ? r : c);
  tree->arrays[group + "/i"] = Integers(storage == Storage::HeaderTriplets ? c : r);
  tree->arrays[group + "/x"] = Reals(x);
}

class ProblemParseTest : public TemporaryFolder {
 protected:
  Hdf5Tree Global() {
    WriteFclibFile(Path("g.hdf5"), MakeBilateralProblem());
    return ReadHdf5Tree(Path("g.hdf5"));
  }
  Hdf5Tree Local() {
    WriteFclibFile(Path("l.hdf5"), MakeBilateralDelassusProblem());
    return ReadHdf5Tree(Path("l.hdf5"));
  }
  Hdf5Tree Own() {
    WriteProblemFile(Path("o.hdf5"), MakeRichProblem(true));
    return ReadHdf5Tree(Path("o.hdf5"));
  }
  Hdf5Tree OwnRows() {
    WriteProblemFile(Path("r.hdf5"), MakeRichProblem(false));
    return ReadHdf5Tree(Path("r.hdf5"));
  }
  Hdf5Tree OwnPair() {
    WriteProblemFile(Path("p.hdf5"), MakeDelassusProblem(true));
    return ReadHdf5Tree(Path("p.hdf5"));
  }
};

void ExpectError(const Hdf5Tree& tree, const std::vector<std::string>& parts) {
  try {
    ParseProblem(tree);
    ADD_FAILURE() << "no error, expected one with " << testing::PrintToString(parts);
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(tree.file));
    for (const std::string& part : parts) EXPECT_THAT(error.what(), HasSubstr(part));
  }
}

TEST_F(ProblemParseTest, BilateralProblemsComeBack) {
  ExpectIdentical(MakeBilateralProblem(), ParseProblem(Global()).problem);
  ExpectIdentical(MakeBilateralDelassusProblem(), ParseProblem(Local()).problem);
}

TEST_F(ProblemParseTest, LocalAndGlobalFormsAgree) {
  // u = W r + V l + q and 0 = V^T r + R l + s must be what M, H, G say after the velocities are eliminated.
  const ContactProblem global = ParseProblem(Global()).problem, local = ParseProblem(Local()).problem;
  const VectorX lambda = VectorX::LinSpaced(global.size(), -1, 1);
  VectorX a, b;
  global.CalcSigma(lambda, &a);
  local.CalcSigma(lambda, &b);
  EXPECT_LT((a - b).norm(), 1e-12 * a.norm());
}

TEST_F(ProblemParseTest, AllStoragesOfMatricesAreTheSame) {
  for (const Storage storage : {Storage::Columns, Storage::SiconosTriplets, Storage::HeaderTriplets}) {
    Hdf5Tree global = Global();
    for (const char* group : {"/fclib_global/M", "/fclib_global/H", "/fclib_global/G"})
      Restore(storage, group, &global);
    ExpectIdentical(MakeBilateralProblem(), ParseProblem(global).problem);
    Hdf5Tree local = Local();
    for (const char* group : {"/fclib_local/W", "/fclib_local/V", "/fclib_local/R"}) Restore(storage, group, &local);
    ExpectIdentical(MakeBilateralDelassusProblem(), ParseProblem(local).problem);
  }
}

TEST_F(ProblemParseTest, TripletsMayBeFewerThanStoredAndRepeated) {
  Hdf5Tree tree = Global();
  Restore(Storage::SiconosTriplets, "/fclib_global/H", &tree);
  // One entry as the sum of two halves, and room for more at the end (nzmax > nz).
  auto& i = tree.arrays["/fclib_global/H/i"].integers;
  auto& p = tree.arrays["/fclib_global/H/p"].integers;
  auto& x = tree.arrays["/fclib_global/H/x"].reals;
  x[0] /= 2;
  i.push_back(i[0]), p.push_back(p[0]), x.push_back(x[0]);
  tree.arrays["/fclib_global/H/nz"] = Integers({static_cast<std::int64_t>(x.size())});
  i.push_back(0), p.push_back(0), x.push_back(1e9);
  ExpectIdentical(MakeBilateralProblem(), ParseProblem(tree).problem);
}

TEST_F(ProblemParseTest, AmbiguousTripletsAreRefusedUnlessSymmetric) {
  Hdf5Tree tree = Local();
  Restore(Storage::SiconosTriplets, "/fclib_local/W", &tree);
  const Hdf5Tree symmetric = tree;
  auto& x = tree.arrays["/fclib_local/W/x"].reals;
  const double scale = *std::max_element(x.begin(), x.end());
  x[1] += 1e-4 * scale;  // as dumped matrices are: symmetric by nature, not by their digits
  EXPECT_NO_THROW(ParseProblem(tree));
  x[1] += scale;
  ExpectError(tree, {"/fclib_local/W", "(i, p) or (p, i)", "compressed rows"});

  // A Jacobian is not symmetric by nature: indices that fit both ways are never guessed.
  tree = Global();
  tree.arrays["/fclib_global/H/nz"] = Integers({1});
  tree.arrays["/fclib_global/H/i"] = Integers({1});
  tree.arrays["/fclib_global/H/p"] = Integers({2});
  tree.arrays["/fclib_global/H/x"] = Reals({1.0});
  ExpectError(tree, {"/fclib_global/H", "(i, p) or (p, i)"});
}

TEST_F(ProblemParseTest, GuessesAndSolutionsAreTurnedToOurOrder) {
  Hdf5Tree tree = Local();
  tree.arrays["/solution/r"] = Reals({1, 2, 3, 4, 5, 6});
  tree.arrays["/solution/l"] = Reals({7, 8});
  tree.arrays["/guesses/number_of_guesses"] = Integers({1});
  tree.arrays["/guesses/1/r"] = Reals({10, 20, 30, 40, 50, 60});
  tree.arrays["/guesses/1/l"] = Reals({70, 80});
  const ProblemFile file = ParseProblem(tree);
  VectorX expected(8);
  expected << 2, 3, 1, 5, 6, 4, 7, 8;
  ASSERT_TRUE(file.reference.has_value() && file.guess.has_value());
  EXPECT_EQ(*file.reference, expected);
  EXPECT_EQ(*file.guess, 10 * expected);
  tree.arrays["/solution/r"] = Reals({1, 2});
  ExpectError(tree, {"/solution/r", "has 2 numbers", "6 numbers"});
}

struct BadFclib {
  const char* name;
  bool local;
  std::function<void(std::map<std::string, Hdf5Array>*)> spoil;
  std::vector<std::string> parts;
};

TEST_F(ProblemParseTest, BadFclibArraysAreNamed) {
  const std::string g = "/fclib_global", l = "/fclib_local";
  using Arrays = std::map<std::string, Hdf5Array>*;
  const std::vector<BadFclib> cases = {
      {"no mu", true, [&](Arrays a) { a->erase(l + "/vectors/mu"); }, {"/vectors/mu", "is missing"}},
      {"no q", true, [&](Arrays a) { a->erase(l + "/vectors/q"); }, {"/vectors/q", "is missing"}},
      {"short q",
       true,
       [&](Arrays a) { (*a)[l + "/vectors/q"] = Reals({1}); },
       {"/vectors/q", "1 number", "6 numbers"}},
      {"text q", true, [&](Arrays a) { (*a)[l + "/vectors/q"] = Text("no"); }, {"/vectors/q", "holds text"}},
      {"NaN q",
       true,
       [&](Arrays a) { (*a)[l + "/vectors/q"].reals[4] = NAN; },
       {"/vectors/q", "entry 4 is NaN", "a number"}},
      {"infinite q",
       true,
       [&](Arrays a) { (*a)[l + "/vectors/q"].reals[2] = -INFINITY; },
       {"/vectors/q", "entry 2 is infinite", "a finite number"}},
      {"negative mu",
       true,
       [&](Arrays a) { (*a)[l + "/vectors/mu"].reals[1] = -1; },
       {"/vectors/mu", "entry 1", ">= 0"}},
      {"planar", true, [&](Arrays a) { (*a)[l + "/spacedim"] = Integers({2}); }, {"/spacedim", "planar"}},
      {"no dimension", true, [&](Arrays a) { a->erase(l + "/spacedim"); }, {"/spacedim", "is missing"}},
      {"dimension 4", true, [&](Arrays a) { (*a)[l + "/spacedim"] = Integers({4}); }, {"/spacedim", "is 4"}},
      {"wrong m", true, [&](Arrays a) { (*a)[l + "/W/m"] = Integers({5}); }, {"/W/m", "is 5", "6"}},
      {"huge n", true, [&](Arrays a) { (*a)[l + "/W/n"] = Integers({1LL << 40}); }, {"/W/n"}},
      {"real m", true, [&](Arrays a) { (*a)[l + "/W/m"] = Reals({6}); }, {"/W/m", "real numbers", "one integer"}},
      {"two m",
       true,
       [&](Arrays a) {
         (*a)[l + "/W/m"] = Integers({6, 6});
       },
       {"/W/m", "2 numbers", "one integer"}},
      {"bad nz", true, [&](Arrays a) { (*a)[l + "/W/nz"] = Integers({-3}); }, {"/W/nz", "-3"}},
      {"short p", true, [&](Arrays a) { (*a)[l + "/W/p"].integers.pop_back(); }, {"/W/p", "6 numbers", "7 numbers"}},
      {"falling p", true, [&](Arrays a) { (*a)[l + "/W/p"].integers[2] = 0; }, {"/W", "row 1", "ascending"}},
      {"late p", true, [&](Arrays a) { (*a)[l + "/W/p"].integers[0] = 1; }, {"/W", "starts at entry 1", "0"}},
      {"long p", true, [&](Arrays a) { (*a)[l + "/W/p"].integers.back() = 1000; }, {"/W", "1000"}},
      {"column", true, [&](Arrays a) { (*a)[l + "/W/i"].integers[3] = 77; }, {"/W", "entry 3", "column 77", "[0, 6)"}},
      {"negative column", true, [&](Arrays a) { (*a)[l + "/W/i"].integers[3] = -1; }, {"/W/i", "entry 3 is -1"}},
      {"64-bit column", true, [&](Arrays a) { (*a)[l + "/W/i"].integers[3] = 1LL << 33; }, {"/W/i", "entry 3"}},
      {"short x", true, [&](Arrays a) { (*a)[l + "/W/x"].reals.pop_back(); }, {"/W", "values", "row starts"}},
      {"NaN x", true, [&](Arrays a) { (*a)[l + "/W/x"].reals[0] = NAN; }, {"/W/x", "entry 0 is NaN"}},
      {"triplet", true, [&](Arrays a) { (*a)[l + "/W/nz"] = Integers({999}); }, {"/W/i", "at least nz = 999"}},
      {"V alone", true, [&](Arrays a) { a->erase(l + "/vectors/s"); }, {"/vectors/s", "is missing"}},
      {"no R", true, [&](Arrays a) { a->erase(l + "/R/x"); }, {"/R/x", "is missing"}},
      {"negative W",
       true,
       [&](Arrays a) {
         for (double& x : (*a)[l + "/W/x"].reals) x = -x;
       },
       {"W", "diagonal entry 0", "positive semidefinite"}},
      {"both", true, [&](Arrays a) { (*a)[g + "/spacedim"] = Integers({3}); }, {"both"}},
      {"no f", false, [&](Arrays a) { a->erase(g + "/vectors/f"); }, {"/vectors/f", "is missing"}},
      {"no M", false, [&](Arrays a) { a->erase(g + "/M/p"); }, {"/M/p", "is missing"}},
      {"H rows", false, [&](Arrays a) { (*a)[g + "/H/m"] = Integers({9}); }, {"/H/m", "is 9", "10"}},
      {"H columns", false, [&](Arrays a) { (*a)[g + "/H/n"] = Integers({3}); }, {"/H/n", "is 3", "6"}},
      {"w",
       false,
       [&](Arrays a) {
         (*a)[g + "/vectors/w"] = Reals({1, 2, 3});
       },
       {"/vectors/w", "3 numbers", "6 numbers"}},
      {"b", false, [&](Arrays a) { (*a)[g + "/vectors/b"] = Reals({1}); }, {"/G/n", "is 2", "1"}},
      {"singular M",
       false,
       [&](Arrays a) {
         for (double& x : (*a)[g + "/M/x"].reals) x = 1;
       },
       {"A of subsystem", "not positive definite"}},
      {"asymmetric M", false, [&](Arrays a) { (*a)[g + "/M/x"].reals[1] += 1; }, {"A of subsystem 0", "not symmetric"}},
  };
  for (const BadFclib& bad : cases) {
    SCOPED_TRACE(bad.name);
    Hdf5Tree tree = bad.local ? Local() : Global();
    bad.spoil(&tree.arrays);
    ExpectError(tree, bad.parts);
  }
}

TEST_F(ProblemParseTest, BadArraysOfOurFormatAreNamed) {
  struct Case {
    const char* path;
    std::function<void(Hdf5Array*)> spoil;
    std::vector<std::string> parts;
  };
  const auto set = [](std::size_t k, std::int64_t value) { return [=](Hdf5Array* a) { a->integers.at(k) = value; }; };
  const auto set_real = [](std::size_t k, double value) { return [=](Hdf5Array* a) { a->reals.at(k) = value; }; };
  const auto drop = [](Hdf5Array* a) {
    if (!a->integers.empty()) a->integers.pop_back();
    if (!a->reals.empty()) a->reals.pop_back();
    if (!a->texts.empty()) a->texts.pop_back();
  };
  const std::vector<Case> cases = {
      {"/@format", [](Hdf5Array* a) { *a = Text("other"); }, {"/@format", "\"other\"", "\"tactus-problem\""}},
      {"/@version", set(0, 2), {"/@version", "is 2", "1"}},
      {"/@units", [](Hdf5Array* a) { *a = Text("inch"); }, {"/@units", "\"inch\"", "\"SI\""}},
      {"/subsystems/kind", set(1, 4), {"/subsystems/kind", "entry 1 is 4"}},
      {"/subsystems/kind", set(1, 1), {"/bodies/subsystem", "free"}},
      {"/subsystems/kind", set(0, 0), {"/subsystems/kind", "subsystem 0 is free"}},
      {"/subsystems/size", set(1, 5), {"/bodies/subsystem", "free subsystem with 6 dofs"}},
      {"/subsystems/size", set(0, 1 << 30), {"/subsystems/b", "too short"}},
      {"/subsystems/size", drop, {"/subsystems/size"}},
      {"/subsystems/b", drop, {"/subsystems/b", "too short"}},
      {"/subsystems/b", [](Hdf5Array* a) { a->reals.push_back(1); }, {"/subsystems/b", "1 entries too many"}},
      {"/subsystems/dense", drop, {"/subsystems/dense", "too short"}},
      {"/subsystems/dense", set_real(0, -5), {"A of subsystem 0", "not positive definite"}},
      {"/subsystems/parent", set(1, 3), {"subsystem 2", "parent of dof 1 is 3"}},
      {"/subsystems/parent", set(2, 0), {"subsystem 2", "A(2, 1) is not zero", "zeros between branches"}},
      {"/subsystems/sparse/row_start", set(12, 1 << 20), {"/subsystems/sparse/columns", "too short"}},
      {"/subsystems/sparse/columns", set(2, 12), {"/subsystems/sparse (subsystem 3)", "column 12"}},
      {"/subsystems/sparse/values", set_real(1, 9), {"A of subsystem 3", "not symmetric"}},
      {"/subsystems/sparse/inertia", drop, {"/subsystems/sparse/inertia", "too short"}},
      {"/subsystems/sparse/inertia", set_real(3, -1), {"inertia of subsystem 3", "positive"}},
      {"/bodies/interpolated/num_nodes", set(0, 5), {"/bodies/interpolated/num_nodes", "entry 0 is 5"}},
      {"/bodies/interpolated/nodes", set(1, 10), {"interpolated node 6", "first dof 10"}},
      {"/bodies/interpolated/weights", set_real(1, 0.4), {"interpolated node 6", "add up to 1.1"}},
      {"/bodies/interpolated/weights", drop, {"/bodies/interpolated/weights", "too short"}},
      {"/mechanisms/subsystem", set(0, 1), {"/mechanisms/subsystem", "entry 0 is 1", "trees"}},
      {"/mechanisms/motion", set_real(0, 99), {"mechanism of subsystem 5", "A(3, 0)"}},
      {"/mechanisms/inertia", drop, {"/mechanisms/inertia", "too short"}},
      {"/mechanisms/diagonal", set_real(1, NAN), {"/mechanisms/diagonal", "NaN"}},
      {"/bodies/kind", set(0, 1), {"/subsystems/kind", "subsystem 1 is free"}},
      {"/bodies/kind", set(2, 0), {"/bodies/subsystem", "a free body names subsystem 0"}},
      {"/bodies/subsystem", set(2, 6), {"/bodies/subsystem", "entry 2 is 6"}},
      {"/bodies/first_dof", set(4, 10), {"node 4", "first dof 10"}},
      {"/bodies/first_dof", set(4, 2147483647), {"node 4", "first dof 2147483647"}},
      {"/bodies/jacobian", drop, {"/bodies/jacobian", "too short"}},
      {"/bodies/name", drop, {"/bodies/name", "has 6 texts", "7"}},
      {"/contacts/mu", drop, {"/contacts/mu", "13 entries", "two"}},
      {"/contacts/mu", set_real(0, -1), {"contact 0", "friction"}},
      {"/contacts/e", set_real(0, NAN), {"/contacts/e", "NaN"}},
      {"/contacts/bodies", set(0, 9), {"contact 0", "bodies are 9"}},
      {"/contacts/bodies", set(1, 0), {"contact 0", "both bodies are 0"}},
      {"/contacts/frame", set_real(0, 2), {"contact 0", "not a rotation"}},
      {"/contacts/point", drop, {"/contacts/point", "20 numbers", "21 numbers"}},
      {"/rows/kind", set(0, 5), {"/rows/kind", "entry 0 is 5"}},
      {"/rows/d", set_real(2, -1), {"row 2", "damping d"}},
      {"/rows/ke", set_real(2, INFINITY), {"/rows/ke", "entry 2 is infinite"}},
      {"/rows/lo", set_real(3, kInfinity), {"row 3"}},
      {"/rows/columns", set(0, 40), {"/rows/columns", "entry 0 is 40"}},
      {"/rows/start", set(1, 9), {"/rows/start"}},
      {"/rows/values", drop, {"/rows/values"}},
  };
  for (const Case& bad : cases) {
    SCOPED_TRACE(std::string(bad.path) + " " + bad.parts.back());
    Hdf5Tree tree = Own();
    ASSERT_TRUE(tree.Has(bad.path));
    bad.spoil(&tree.arrays[bad.path]);
    ExpectError(tree, bad.parts);
  }
}

TEST_F(ProblemParseTest, FilesWithoutMechanismsAreRead) {
  Hdf5Tree tree = Own();
  EXPECT_NE(ParseProblem(tree).problem.mass().mechanism(5), nullptr);
  for (auto it = tree.arrays.begin(); it != tree.arrays.end();) {
    it = it->first.rfind("/mechanisms/", 0) == 0 ? tree.arrays.erase(it) : std::next(it);
  }
  EXPECT_EQ(ParseProblem(tree).problem.mass().mechanism(5), nullptr);
}

TEST_F(ProblemParseTest, EveryMissingOrShortArrayIsAnError) {
  for (const Hdf5Tree& tree : {Own(), OwnRows(), OwnPair(), Global(), Local()}) {
    for (const auto& entry : tree.arrays) {
      const std::string& path = entry.first;
      SCOPED_TRACE(path);
      const bool optional = path == "/@units" || path == "/@generator" || path.find("/info/") != std::string::npos ||
                            path.find("/nzmax") != std::string::npos || path == "/subsystems/sparse/inertia";
      Hdf5Tree without = tree;
      without.arrays.erase(path);
      if (optional) {
        EXPECT_NO_THROW(ParseProblem(without));
        continue;
      }
      EXPECT_THROW(ParseProblem(without), InputError);
      Hdf5Tree empty = tree;
      Hdf5Array& array = empty.arrays[path];
      if (array.size() == 0) continue;
      array.integers.clear(), array.reals.clear(), array.texts.clear();
      EXPECT_THROW(ParseProblem(empty), InputError);
    }
  }
}

TEST(Hdf5Message, ComesBackAndTellsTruncation) {
  std::vector<std::uint8_t> message;
  AppendHdf5Array("/a/i", Integers({1, -2, 1LL << 40}), &message);
  AppendHdf5Array("/a/x", Reals({0.1, -0.0}), &message);
  AppendHdf5Array("/a@t", Text("word"), &message);
  AppendHdf5Array("/empty", Reals({}), &message);
  AppendHdf5End(&message);
  const Hdf5Tree tree = ParseHdf5Message(message, "f");
  EXPECT_EQ(tree.arrays.size(), 4u);
  EXPECT_EQ(tree.At("/a/i").integers, (std::vector<std::int64_t>{1, -2, 1LL << 40}));
  EXPECT_TRUE(std::signbit(tree.At("/a/x").reals[1]));
  EXPECT_EQ(tree.Text("/a@t", ""), "word");
  EXPECT_TRUE(tree.HasGroup("/a"));
  EXPECT_FALSE(tree.HasGroup("/empty"));
  for (std::size_t size = 0; size < message.size(); ++size) {
    EXPECT_THROW(ParseHdf5Message({message.data(), size}, "f"), InputError) << size;
  }
}

TEST(Hdf5Message, CarriesErrors) {
  std::vector<std::uint8_t> message;
  AppendHdf5Error("/a/b", "is odd", "evenness", &message);
  try {
    ParseHdf5Message(message, "f");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "f: /a/b: is odd (expected: evenness)");
  }
}

}  // namespace
}  // namespace tactus
