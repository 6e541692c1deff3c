// Runs the built program as people and scripts do, and looks at exit codes and output.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tactus/generate/generator.h"
#include "tactus/solvers/registry.h"
#include "tactus/version.h"
#include "tests/common/cli_testing.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

using Result = CommandResult;

class Cli : public CliTest {
 protected:
  // Sends the program SIGINT `count` times at once, in the midst of its work: a little after it has begun to handle
  // that signal (bit 1 of SigCgt), however long a loaded machine takes to get there. Should that never happen, the
  // limit of processor time ends a program that would run for ever.
  Result RunAndInterrupt(const std::string& arguments, int count) {
    std::string script = arguments +
                         " & tries=0; until grep -q 'SigCgt.*[2367abef]$' /proc/$!/status || [ $tries -ge 1000 ]; do "
                         "tries=$((tries + 1)); sleep 0.05; done; sleep 0.2; ";
    for (int i = 0; i < count; ++i) script += "kill -INT $! 2>/dev/null; ";
    return Run(script + "wait $!", "ulimit -t 120 && exec");
  }

  void GenerateFile(const std::string& arguments, const std::string& file) {
    const Result r = Run("generate " + arguments + " --out " + file + " 2>&1");
    ASSERT_EQ(r.code, 0) << r.out;
    ASSERT_TRUE(fs::exists(dir_ / file));
  }
  std::string ReadBytes(const std::string& file) const {
    std::ifstream in(dir_ / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  void WriteFile(const std::string& file, const std::string& text) { std::ofstream(dir_ / file) << text; }
};

TEST_F(Cli, HelpTeaches) {
  const Result alone = Run("");
  EXPECT_EQ(alone.code, 0);
  EXPECT_THAT(alone.out, HasSubstr("Examples:"));
  EXPECT_THAT(alone.out, HasSubstr("tactus solve"));
  EXPECT_EQ(Run("--help").code, 0);
  for (const char* command :
       {"run", "replay", "solve", "info", "generate", "generate bolt", "solvers", "bench", "demo"}) {
    EXPECT_EQ(Run(std::string(command) + " --help").code, 0) << command;
  }
  const Result version = Run("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, HasSubstr(TACTUS_VERSION_STRING));
}

TEST_F(Cli, UnknownNamesAreAnsweredWithTheKnownOnes) {
  const Result command = Run("sovle a.h5 2>&1");
  EXPECT_EQ(command.code, 2);
  EXPECT_THAT(command.out,
              HasSubstr("'sovle' is not known (expected: one of run, scenes, replay, export, solve, invert, info"));
  const Result kind = Run("generate blot --out x.h5 2>&1");
  EXPECT_EQ(kind.code, 2);
  EXPECT_THAT(kind.out, HasSubstr("'blot' is not known (expected: one of bolt, dishes"));
}

TEST_F(Cli, BadUseIsExitCodeTwo) {
  GenerateFile("wedge --feasible 1", "a.h5");
  for (const char* arguments : {"nonsense",
                                "--nonsense",
                                "solve",
                                "solve a.h5 --nonsense",
                                "solve a.h5 --tol x",
                                "solve a.h5 --tol 0",
                                "solve a.h5 --tol nan",
                                "solve a.h5 --repeat 0",
                                "solve a.h5 --max-iterations -1",
                                "solve a.h5 --budget-ms -1",
                                "solve a.h5 --solver nonsense",
                                "solve a.h5 a.h5 --solution s.h5",
                                "solve a.h5 a.h5 --warm a.h5",
                                "solve a.h5 --warm missing.h5",
                                "solve a.h5 --solution missing/s.h5",
                                "info",
                                "info missing.h5",
                                "generate nonsense --out b.h5",
                                "generate bolt",
                                "generate bolt --mu -1 --out b.h5",
                                "generate bolt --contacts 1.5 --out b.h5",
                                "generate bolt --nonsense 1 --out b.h5",
                                "generate bolt --out missing/b.h5",
                                "bench nonsense",
                                "bench fclib --folder missing",
                                "bench peers --peers-python missing/python",
                                "demo",
                                "demo --out a.h5"}) {
    const Result r = Run(std::string(arguments) + " 2>&1 >/dev/null");
    EXPECT_EQ(r.code, 2) << arguments;
    EXPECT_FALSE(r.out.empty()) << arguments << " says nothing on stderr";
  }
  EXPECT_FALSE(fs::exists(dir_ / "b.h5"));
  EXPECT_FALSE(fs::exists(dir_ / "s.h5"));
}

TEST_F(Cli, GenerateWritesEveryKindAndListsThem) {
  const Result list = Run("generate");
  EXPECT_EQ(list.code, 0);
  for (const GeneratorEntry& entry : Generators()) {
    EXPECT_THAT(list.out, HasSubstr(entry.name));
    GenerateFile(entry.name + " --seed 1", entry.name + ".h5");
    const Result info = Run("info --json " + entry.name + ".h5");
    ASSERT_EQ(info.code, 0);
    const ContactProblem p = Generate(entry.name, {}, 1);
    const json j = json::parse(info.out);
    EXPECT_EQ(j["contacts"], p.num_contacts()) << entry.name;
    EXPECT_EQ(j["rows"], p.num_rows()) << entry.name;
    EXPECT_EQ(j["dofs"], p.num_dofs()) << entry.name;
    EXPECT_EQ(j["geometry"], true) << entry.name;
    EXPECT_EQ(j["provenance"], p.provenance) << entry.name;
    EXPECT_EQ(Run("info " + entry.name + ".h5").code, 0);
  }
}

TEST_F(Cli, SameSeedSameFileOtherSeedOther) {
  GenerateFile("bolt --seed 1 --contacts 20", "a.h5");
  GenerateFile("bolt --seed 1 --contacts 20", "b.h5");
  GenerateFile("bolt --seed 2 --contacts 20", "c.h5");
  const auto residual_at_start = [&](const std::string& file) {
    const Result r = RunQuietly("solve --json --solver " + std::string(Solvers().front().name) + " " + file);
    json j = json::parse(r.out)[0];
    return j["natural_rho"].dump() + j["penetration"].dump();
  };
  EXPECT_EQ(residual_at_start("a.h5"), residual_at_start("b.h5"));
  EXPECT_NE(residual_at_start("a.h5"), residual_at_start("c.h5"));
}

TEST_F(Cli, SolveReportsEverythingAsJson) {
  GenerateFile("dishes --seed 1", "dishes.h5");
  const Result r = Run("solve dishes.h5 --json --history --repeat 3 --tol 1e-6");
  EXPECT_EQ(r.code, 0);
  const json list = json::parse(r.out);
  ASSERT_EQ(list.size(), 1u);
  const json& j = list[0];
  EXPECT_EQ(j["file"], "dishes.h5");
  EXPECT_EQ(j["contacts"], 100);
  EXPECT_EQ(j["dofs"], 24);
  EXPECT_EQ(j["solver"], Solvers().front().name);
  EXPECT_EQ(j["status"], "Solved");
  EXPECT_LE(j["natural_rho"].get<double>(), 1e-6);
  for (const char* key : {"iterations", "newton_steps", "natural", "natural_rho_mean", "paper", "penetration",
                          "cone_violation", "time_ms"}) {
    EXPECT_TRUE(j[key].is_number()) << key;
  }
  EXPECT_EQ(j["modes"]["open"].get<int>() + j["modes"]["stick"].get<int>() + j["modes"]["slip"].get<int>(), 100);
  ASSERT_TRUE(j["history"].is_array());
  for (const json& h : j["history"]) {
    EXPECT_TRUE(h["iteration"].is_number_integer());
    EXPECT_TRUE(h["time_ms"].is_number());
  }
  const json plain = json::parse(Run("solve dishes.h5 --json").out);
  EXPECT_FALSE(plain[0].contains("history"));
}

TEST_F(Cli, ABadFileDoesNotStopTheOthers) {
  GenerateFile("wedge --feasible 1", "good.h5");
  WriteFile("bad.h5", "this is no HDF5 file");
  WriteFile("empty.h5", "");
  const Result r = RunQuietly("solve bad.h5 good.h5 missing.h5 empty.h5 --json");
  EXPECT_EQ(r.code, 2);
  const json list = json::parse(r.out);
  ASSERT_EQ(list.size(), 4u);
  for (const int k : {0, 2, 3}) {
    EXPECT_TRUE(list[k].contains("file") && list[k].contains("error")) << list[k];
    EXPECT_EQ(list[k].size(), 2u);
  }
  EXPECT_EQ(list[1]["status"], "Solved");
  const Result text = RunQuietly("solve bad.h5 good.h5");
  EXPECT_EQ(text.code, 2);
  EXPECT_THAT(text.out, HasSubstr("1 of 2 solved"));
}

TEST_F(Cli, NotSolvedIsExitCodeOne) {
  GenerateFile("wedge", "jammed.h5");
  const Result r = Run("solve jammed.h5 --json");
  EXPECT_EQ(r.code, 1);
  EXPECT_EQ(json::parse(r.out)[0]["status"], "Stalled");
  EXPECT_THAT(json::parse(r.out)[0]["message"].get<std::string>(), HasSubstr("infeasible suspected"));
  // A tolerance within reach of nobody in so few iterations.
  GenerateFile("pile --bodies 10", "pile.h5");
  EXPECT_EQ(Run("solve pile.h5 --max-iterations 1 --tol 1e-15 > /dev/null").code, 1);
}

TEST_F(Cli, SolutionsWarmStart) {
  GenerateFile("dishes --seed 2", "p.h5");
  const Result cold = Run("solve p.h5 --solution s.h5 --json");
  ASSERT_EQ(cold.code, 0);
  const Result warm = Run("solve p.h5 --warm s.h5 --json");
  ASSERT_EQ(warm.code, 0);
  EXPECT_LE(json::parse(warm.out)[0]["iterations"].get<int>(), json::parse(cold.out)[0]["iterations"].get<int>());
  EXPECT_LE(json::parse(warm.out)[0]["newton_steps"].get<int>(), 2);
  // A solution of another problem does not fit.
  GenerateFile("bolt", "other.h5");
  EXPECT_EQ(RunQuietly("solve other.h5 --warm s.h5").code, 2);
}

TEST_F(Cli, OnlyFilesAreReplacedAndLinksAreFollowed) {
  GenerateFile("wedge --feasible 1", "p.h5");
  ASSERT_EQ(mkfifo((dir_ / "pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", dir_ / "to_pipe");
  fs::create_directory(dir_ / "folder");
  for (const std::string command :
       {"generate wedge --out ", "generate wedge --fclib --out ", "solve p.h5 --solution "}) {
    for (const std::string target : {"pipe", "to_pipe", "folder"}) {
      const Result r = Run(command + target + " 2>&1");
      EXPECT_EQ(r.code, 2) << command << target;
      EXPECT_THAT(r.out, HasSubstr(target + ": is a folder, a device or a pipe")) << command << target;
    }
    fs::remove(dir_ / "link");
    fs::remove(dir_ / "target.h5");
    fs::create_symlink("target.h5", dir_ / "link");
    EXPECT_EQ(RunQuietly(command + "link").code, 0) << command;
    EXPECT_TRUE(fs::is_symlink(dir_ / "link")) << command;
    EXPECT_TRUE(fs::is_regular_file(dir_ / "target.h5")) << command;
  }
  EXPECT_TRUE(fs::is_fifo(dir_ / "pipe") && fs::is_symlink(dir_ / "to_pipe") && fs::is_directory(dir_ / "folder"));
  // What is printed afterwards would be lost with the file it goes to.
  const Result own = Run("generate wedge --out log.h5 2>&1 >log.h5");
  EXPECT_EQ(own.code, 2);
  EXPECT_THAT(own.out, HasSubstr("is where the output of this program goes"));
  EXPECT_EQ(CountTemporaries(), 0);
}

TEST_F(Cli, SolutionsDoNotReplaceTheirProblem) {
  GenerateFile("wedge --feasible 1", "p.h5");
  const std::string problem = ReadBytes("p.h5");
  fs::create_symlink("p.h5", dir_ / "soft.h5");
  fs::create_hard_link(dir_ / "p.h5", dir_ / "hard.h5");
  for (const char* target : {"p.h5", "./p.h5", "soft.h5", "hard.h5"}) {
    const Result r = Run(std::string("solve p.h5 --solution ") + target + " 2>&1");
    EXPECT_EQ(r.code, 2) << target;
    EXPECT_THAT(r.out, HasSubstr("is that of the problem too")) << target;
  }
  EXPECT_EQ(ReadBytes("p.h5"), problem);
  // A warm start may be replaced: it has been read by then.
  ASSERT_EQ(RunQuietly("solve p.h5 --solution s.h5").code, 0);
  EXPECT_EQ(RunQuietly("solve p.h5 --warm s.h5 --solution s.h5").code, 0);
  EXPECT_EQ(RunQuietly("solve p.h5 --warm s.h5").code, 0);
}

TEST_F(Cli, BadFilesOfOptionsAreNoBadProblems) {
  GenerateFile("wedge --feasible 1", "p.h5");
  WriteFile("text.h5", "no solution");
  fs::create_directory(dir_ / "folder");
  const std::pair<const char*, const char*> cases[] = {
      {"solve p.h5 --solution folder", "--solution folder: is a folder"},
      {"solve p.h5 --solution missing/s.h5", "--solution missing/s.h5: cannot be written"},
      {"solve p.h5 --warm missing.h5", "--warm missing.h5"},
      {"solve p.h5 --warm text.h5", "--warm text.h5"},
      {"solve p.h5 --warm text.h5 --json", "--warm text.h5"},
      {"solve p.h5 --warm p.h5", "--warm p.h5"},
  };
  for (const auto& [arguments, words] : cases) {
    const Result errors = Run(std::string(arguments) + " 2>&1 >out.txt");
    EXPECT_EQ(errors.code, 2) << arguments;
    EXPECT_THAT(errors.out, HasSubstr(words)) << arguments;
    EXPECT_EQ(ReadBytes("out.txt"), "") << arguments;
  }
}

TEST_F(Cli, LimitsOfFileSizeAreErrors) {
  GenerateFile("pile --bodies 10", "p.h5");
  for (const char* arguments :
       {"generate pile --bodies 100 --out big.h5", "generate pile --bodies 100 --fclib --out big.h5",
        "solve p.h5 --solution big.h5", "demo --out demo"}) {
    // In blocks of 512 or 1024 bytes, depending on the shell. The errors go through a pipe, which has no such limit.
    const Result r = Run(std::string(arguments) + " 2>&1 >/dev/null", "ulimit -f 2 &&");
    EXPECT_EQ(r.code, 2) << arguments << "\n" << r.out;
    EXPECT_THAT(r.out, HasSubstr("cannot be written")) << arguments;
    EXPECT_THAT(r.out, HasSubstr("File too large")) << arguments;
    EXPECT_FALSE(fs::exists(dir_ / "big.h5")) << arguments;
    EXPECT_EQ(CountTemporaries(), 0) << arguments;
  }
}

TEST_F(Cli, ForeignFilesAreHeldToTheirOwnErrorToo) {
  GenerateFile("bolt --fclib --contacts 30", "bolt.hdf5");
  const json global = json::parse(RunQuietly("solve bolt.hdf5 --json").out)[0];
  EXPECT_EQ(global["status"], "Solved");
  EXPECT_EQ(global["dofs"], 6);
  EXPECT_LE(global["natural"].get<double>(), 1e-8);
  EXPECT_LE(global["natural_rho_mean"].get<double>(), 1e-8);

  const char* shared = std::getenv("TACTUS_SHARED");
  const fs::path root = shared ? fs::path(shared) : fs::path(TACTUS_PROJECT_DIR) / ".." / "shared";
  const fs::path local = root / "fclib" / "problems" / "Rover1039.hdf5";
  if (!fs::exists(local)) GTEST_SKIP() << local << " is not there";
  const json pair = json::parse(RunQuietly("solve --json '" + local.string() + "'").out)[0];
  EXPECT_EQ(pair["status"], "Solved");
  EXPECT_TRUE(pair["dofs"].is_null());
}

// Each repeat takes an instant, all of them together for ever.
constexpr char kEndless[] = " --solver pgs --repeat 1000000000 --json 2>/dev/null";

TEST_F(Cli, InterruptStillReports) {
  GenerateFile("wedge", "jammed.h5");
  const Result r = RunAndInterrupt(std::string("solve jammed.h5 jammed.h5") + kEndless, 1);
  EXPECT_EQ(r.code, 1);
  const json list = json::parse(r.out);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[1]["status"], "Cancelled");
}

// `timeout -s INT` signals the program and then its process group: more than one signal for one request.
TEST_F(Cli, InterruptThatArrivesMoreThanOnceStillReports) {
  GenerateFile("wedge", "jammed.h5");
  const Result r = RunAndInterrupt(std::string("solve jammed.h5 jammed.h5") + kEndless, 8);
  EXPECT_EQ(r.code, 1);
  const json list = json::parse(r.out);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[1]["status"], "Cancelled");  // the first may have been caught between two repeats
}

TEST_F(Cli, ValidateSaysWhatAModelIs) {
  WriteFile("arm.urdf", R"(<robot name="arm">
  <link name="base"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="3"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><origin xyz="0 0 1"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="10" velocity="3"/></joint>
</robot>)");
  const Result fixed = RunQuietly("validate arm.urdf --at-zero --json");
  ASSERT_EQ(fixed.code, 0) << fixed.out;
  const json j = json::parse(fixed.out);
  EXPECT_EQ(j["nq"], 1);
  EXPECT_EQ(j["nv"], 1);
  EXPECT_EQ(j["bodies"], 1);
  EXPECT_EQ(j["total_mass"], 5.0);
  EXPECT_EQ(j["joints"][0]["name"], "hinge");
  EXPECT_EQ(j["joints"][0]["parent"], "base");
  EXPECT_EQ(j["joints"][0]["limits"]["upper"], 2.0);
  EXPECT_NEAR(j["mass_matrix_diagonal"][0].get<double>(), 0.1 + 3 * 0.25, 1e-12);
  EXPECT_NEAR(j["gravity_torque"][0].get<double>(), -3 * 9.81 * 0.5, 1e-12);
  EXPECT_EQ(j["link_poses"]["rod"]["position"][2], 1.0);
  const json floating = json::parse(RunQuietly("validate arm.urdf --base floating --json").out);
  EXPECT_EQ(floating["nq"], 8);
  EXPECT_EQ(floating["nv"], 7);
  EXPECT_EQ(Run("validate arm.urdf").code, 0);

  WriteFile("broken.urdf", "<robot name='x'><link name='a'/><link name='a'/></robot>");
  const Result broken = Run("validate broken.urdf 2>&1");
  EXPECT_EQ(broken.code, 2);
  EXPECT_THAT(broken.out, HasSubstr("broken.urdf"));
  EXPECT_EQ(RunQuietly("validate nothing.urdf").code, 2);
}

TEST_F(Cli, ValidateReadsMjcf) {
  WriteFile("arm.xml", R"(<mujoco model="arm"><worldbody>
  <body name="rod" pos="0 0 1"><joint name="hinge" axis="0 1 0" range="-90 90"/>
    <inertial pos="0.5 0 0" mass="3" diaginertia="0.1 0.1 0.1"/></body>
  <body name="free" pos="1 2 3"><freejoint/><geom size="0.1" mass="1"/></body>
</worldbody><actuator><position name="servo" joint="hinge" kp="5"/></actuator></mujoco>)");
  const Result result = RunQuietly("validate arm.xml --at-zero --json");
  ASSERT_EQ(result.code, 0) << result.out;
  const json j = json::parse(result.out);
  EXPECT_EQ(j["nq"], 8);
  EXPECT_EQ(j["nv"], 7);
  EXPECT_EQ(j["link_poses"]["free"]["position"][2], 3.0);
  EXPECT_EQ(j["actuators"][0]["name"], "servo");
  EXPECT_EQ(j["actuators"][0]["type"], "position");
  EXPECT_EQ(j["actuators"][0]["joint"], "hinge");
  EXPECT_EQ(j["actuators"][0]["bias"][1], -5.0);
  EXPECT_NEAR(j["gravity_torque"][0].get<double>(), -3 * 9.81 * 0.5, 1e-12);
  EXPECT_EQ(Run("validate arm.xml").code, 0);
  EXPECT_EQ(RunQuietly("validate arm.xml --base floating").code, 2);

  WriteFile("broken.xml", "<mujoco>\n<worldbody><geom size='a'/></worldbody></mujoco>");
  const Result broken = Run("validate broken.xml 2>&1");
  EXPECT_EQ(broken.code, 2);
  EXPECT_THAT(broken.out, HasSubstr("broken.xml:2: <geom>: attribute 'size' is 'a'"));
}

TEST_F(Cli, SolversAndSuitesAreListed) {
  const Result solvers = Run("solvers --json");
  EXPECT_EQ(solvers.code, 0);
  const json list = json::parse(solvers.out);
  ASSERT_EQ(list.size(), Solvers().size());
  for (std::size_t i = 0; i < list.size(); ++i) EXPECT_EQ(list[i]["name"], Solvers()[i].name);
  EXPECT_EQ(Run("solvers").code, 0);
  EXPECT_EQ(json::parse(Run("bench --json").out)[0]["name"], "solvers");
}

TEST_F(Cli, DemoWritesPlotsAndData) {
  const Result r = Run("demo --out new/folder --budget-ms 100");
  EXPECT_LE(r.code, 1) << r.out;
  for (const char* file : {"bolt.h5", "dishes.h5", "bolt_solution.h5", "bolt_over_time.svg", "bolt_over_iterations.svg",
                           "dishes_over_time.svg", "dishes_over_iterations.svg", "demo.json"}) {
    EXPECT_TRUE(fs::exists(dir_ / "new" / "folder" / file)) << file;
    EXPECT_THAT(r.out, HasSubstr(file));
  }
  std::ifstream stream(dir_ / "new" / "folder" / "demo.json");
  const json j = json::parse(stream);
  ASSERT_EQ(j.size(), 2u);
  EXPECT_EQ(j[0]["runs"].size(), Solvers().size());
}

}  // namespace
}  // namespace tactus
