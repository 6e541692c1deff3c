// tactus run, scenes and export as people use them.
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/common/cli_testing.h"

namespace tactus {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class RunCommand : public CliTest {
 protected:
  void Write(const std::string& name, const std::string& text) { std::ofstream(dir_ / name) << text; }
  std::string ReadBytes(const std::string& name) const {
    std::ifstream in(dir_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  // Each of `cases` is refused at once, with its words: what runs would not end.
  void ExpectRefused(const std::vector<std::pair<std::string, std::string>>& cases) {
    for (const auto& [arguments, words] : cases) {
      const CommandResult r = Run(arguments + " 2>&1", "timeout 20");
      EXPECT_EQ(r.code, 2) << arguments << "\n" << r.out;
      EXPECT_THAT(r.out, HasSubstr(words)) << arguments;
    }
    EXPECT_EQ(CountTemporaries(), 0);
  }
};

constexpr const char* kScene = R"(name: test
objects:
  - {name: ground, fixed: true, shape: {type: plane}}
  - name: cube
    shape: {type: box, size: [0.1, 0.1, 0.1]}
    mass: 1
    pose: {position: [0, 0, 0.2]}
sensors:
  - {name: cube, type: pose, body: cube}
)";

// A mesh of Gmsh's format 2 out of lines of nodes and tetrahedra.
std::string MakeMsh(const std::vector<std::string>& nodes, const std::vector<std::string>& tets) {
  std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + std::to_string(nodes.size()) + "\n";
  for (std::size_t i = 0; i < nodes.size(); ++i) text += std::to_string(i + 1) + " " + nodes[i] + "\n";
  text += "$EndNodes\n$Elements\n" + std::to_string(tets.size()) + "\n";
  for (std::size_t i = 0; i < tets.size(); ++i) text += std::to_string(i + 1) + " 4 2 0 0 " + tets[i] + "\n";
  return text + "$EndElements\n";
}

TEST_F(RunCommand, BadMeshesAndMaterialsAreRefused) {
  const auto scene = [](const std::string& more) {
    return "deformables:\n  - {name: jelly, type: fem, mesh: {type: file, file: mesh.msh}" + more + "}\n";
  };
  const std::vector<std::string> corners = {"0 0 0", "1 0 0", "0 1 0", "0 0 1"};
  Write("scene.yaml", scene(""));
  Write("mesh.msh", MakeMsh(corners, {"1 2 3 4"}));
  EXPECT_EQ(RunQuietly("run scene.yaml --steps 2").code, 0);
  struct Bad {
    std::string mesh, words;
  };
  std::vector<std::string> flat = corners, five = corners, twice = corners, apart = corners;
  flat[3] = "1 1 0";
  five.emplace_back("1 1 1");
  twice.emplace_back("0 0 1");
  for (const char* corner : {"5 0 0", "6 0 0", "5 1 0", "5 0 1"}) apart.emplace_back(corner);
  for (const Bad& bad :
       {Bad{MakeMsh(five, {"1 2 3 4", "2 4 3 5"}), "inverted"}, Bad{MakeMsh(flat, {"1 2 3 4"}), "volume"},
        Bad{MakeMsh(twice, {"1 2 3 4", "2 1 3 5"}), "same place"},
        Bad{MakeMsh(apart, {"1 2 3 4", "5 6 7 8"}), "do not touch"}, Bad{MakeMsh(corners, {"1 2 3 9"}), "mesh.msh"},
        Bad{"no mesh at all", "mesh.msh"}}) {
    Write("mesh.msh", bad.mesh);
    ExpectRefused({{"run scene.yaml --steps 2", bad.words}});
  }
  Write("mesh.msh", MakeMsh(corners, {"1 2 3 4"}));
  for (const auto& [material, words] :
       {std::pair(", poisson: 0.5", "deformables.jelly.poisson"),
        std::pair(", density: -1", "deformables.jelly.density"), std::pair(", young: 0", "deformables.jelly.young")}) {
    Write("scene.yaml", scene(material));
    ExpectRefused({{"run scene.yaml --steps 2", words}});
  }
}

TEST_F(RunCommand, RunsAFileAndSaysHowItWent) {
  Write("scene.yaml", kScene);
  const CommandResult text = RunQuietly("run scene.yaml --duration 1");
  EXPECT_EQ(text.code, 0);
  for (const char* word : {"real-time factor", "contacts", "residual", "state_hash", "every step solved"}) {
    EXPECT_THAT(text.out, HasSubstr(word));
  }
  const json first = json::parse(RunQuietly("run scene.yaml --steps 240 --json").out);
  const json second = json::parse(RunQuietly("run scene.yaml --steps 240 --threads 2 --json").out);
  EXPECT_EQ(first["steps"], 240);
  EXPECT_EQ(first["state_hash"], second["state_hash"]);
  EXPECT_EQ(first["steps_not_ok"], 0);
  const json other = json::parse(RunQuietly("run scene.yaml --steps 240 --json --set objects.cube.mass=2").out);
  EXPECT_NE(first["state_hash"], other["state_hash"]);
}

TEST_F(RunCommand, RecordsExportsAndRestores) {
  Write("scene.yaml", kScene);
  EXPECT_EQ(RunQuietly("run scene.yaml --steps 100 --record run.h5 --sensors s.csv --save half.snap").code, 0);
  EXPECT_EQ(RunQuietly("export run.h5 run.csv").code, 0);
  EXPECT_EQ(RunQuietly("export run.h5 run.npz").code, 0);
  EXPECT_EQ(RunQuietly("export run.h5 contacts.csv --contacts").code, 0);
  EXPECT_EQ(Run("export run.h5 run.txt 2>&1").code, 2);
  std::ifstream csv(dir_ / "run.csv"), sensors(dir_ / "s.csv");
  int lines = 0, rows = 0;
  for (std::string line; std::getline(csv, line);) ++lines;
  for (std::string line; std::getline(sensors, line);) ++rows;
  EXPECT_EQ(lines, 101);
  EXPECT_EQ(rows, 101);
  const json whole = json::parse(RunQuietly("run scene.yaml --steps 200 --json").out);
  const json halves = json::parse(RunQuietly("run scene.yaml --steps 100 --restore half.snap --json").out);
  EXPECT_EQ(whole["state_hash"], halves["state_hash"]);
  EXPECT_EQ(Run("run scene.yaml --restore scene.yaml 2>&1").code, 2);
}

TEST_F(RunCommand, TaskControllersWriteTorquesAndPlots) {
  const CommandResult r = RunQuietly("run go2-stand --duration 0.02 --torques t.csv --plot p.svg --json");
  const json result = json::parse(r.out);
  const json& controller = result["task_controllers"].at(0);
  EXPECT_EQ(controller["updates"], 20);
  EXPECT_GT(controller["solve_cpu_seconds"]["median"], 0);
  EXPECT_EQ(controller["tasks"].at(0)["name"], "height");
  std::ifstream torques(dir_ / "t.csv");
  std::string line;
  ASSERT_TRUE(std::getline(torques, line));
  EXPECT_THAT(line, testing::StartsWith("time,go2/FL_hip_joint,"));
  int rows = 0;
  while (std::getline(torques, line)) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 12);
    ++rows;
  }
  EXPECT_EQ(rows, 20);
  EXPECT_THAT(ReadBytes("p.svg"), HasSubstr("</svg>"));
  EXPECT_THAT(RunQuietly("run go2-stand --duration 0.02").out, HasSubstr("task controller"));
  EXPECT_THAT(RunQuietly("run go2-stand --steps 0").out, HasSubstr("0 updates"));  // nothing to tell of, yet no error
  Write("scene.yaml", kScene);
  Write("bare.yaml", "objects:\n  - {name: ground, fixed: true, shape: {type: plane}}\n");
  ExpectRefused({{"run scene.yaml --torques t.csv", "0 controllers of type task"},
                 {"run bare.yaml --plot p.svg", "0 controllers of type task"},
                 {"run go2-stand --torques a.svg --plot a.svg", "is that of --torques too"}});
}

// Forces on the ends of a cable, among others.
TEST_F(RunCommand, SensorsAreDrawnWhereThereIsNoController) {
  EXPECT_EQ(RunQuietly("run cable-winding --set links=8 --steps 20 --plot p.svg").code, 0);
  const std::string plot = ReadBytes("p.svg");
  for (const char* label : {"held [N]", "held [N m]", "pulled [N]", "pulled [N m]", "fz", "</svg>"}) {
    EXPECT_THAT(plot, HasSubstr(label));
  }
}

TEST_F(RunCommand, BareRobotGetsAGround) {
  Write("robot.urdf", R"(<robot name="ball"><link name="base">
    <inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>)");
  const CommandResult text = RunQuietly("run robot.urdf --base floating --steps 10");
  EXPECT_EQ(text.code, 0) << text.out;
  EXPECT_THAT(text.out, HasSubstr("ground plane"));
}

TEST_F(RunCommand, ScenesAreListedAndFoundByName) {
  const json list = json::parse(RunQuietly("scenes --json").out);
  EXPECT_GT(list.size(), 20U);
  EXPECT_THAT(RunQuietly("scenes").out, HasSubstr("physics/block_on_slope"));
  EXPECT_EQ(RunQuietly("run physics/backspin --steps 5").code, 0);
}

TEST_F(RunCommand, BadUseIsRefused) {
  Write("scene.yaml", kScene);
  Write("broken.yaml", "objects:\n  - {name: cube, shape: {type: bix, size: [1, 1, 1]}}\n");
  const std::pair<const char*, const char*> cases[] = {
      {"run", "needs a scene"},
      {"run nothing.yaml", "no such file or built-in scene"},
      {"run broken.yaml", "broken.yaml:2"},
      {"run scene.yaml --suite physics", "not both"},
      {"run --suite chemistry", "is not known"},
      {"run scene.yaml --solver newton", "newton"},
      {"run scene.yaml --dt -1", "time step"},
      {"run scene.yaml --dt nan", "time step"},
      {"run scene.yaml --dt 2", "from 1e-9 to 1 s"},
      {"run scene.yaml --record a --sensors ./a", "is that of --record too"},
      {"run scene.yaml --save a --record a", "is that of --record too"},
      {"run scene.yaml --save scene.yaml", "is that of the scene too"},
      {"run scene.yaml --set sensors.cube.body=qube", "there is no body 'qube'"},
      {"scenes --keys nothing", "no kind of map 'nothing'"},
      {"run scene.yaml --duration -1", "duration"},
      {"run scene.yaml --tolerance 2", "tolerance"},
      {"run scene.yaml --threads 0", "threads"},
      {"run scene.yaml --set objects.cube.mass=heavy", "objects.cube.mass"},
      {"run scene.yaml --record /nowhere/run.h5", "/nowhere/run.h5"},
      {"run scene.yaml --record /dev/full", "is a folder or a device"},
      {"run scene.yaml --sensors /dev/full", "room on the disk"},
      {"run scene.yaml --save /dev/full", "--save"},
      {"export nothing.h5 out.csv", "nothing.h5"},
      {"run scene.yaml --steps 2000000000000", "from 0 to 1e12"},
      {"run scene.yaml --steps -1", "from 0 to 1e12"},
      {"run scene.yaml --seed -1", "whole number"},
      {"generate bolt --out b.h5 --seed 99999999999999999999999", "whole number"},
      {"run scene.yaml --trial 5", "a scene with trials"},
      {"run bolt-nut-step --trial 100", "from 0 to 99"},
      {"run scene.yaml --every 3", "--dump-problems DIR"},
      {"run --suite physics --steps 3", "does not go with --suite"},
      {"run scene.yaml --time-budget inf", "not infinite"},
      {"run empty.yaml", "nothing in the scene"},
      {"run empty.urdf", "nothing in the scene"},
      {"solve nothing.h5 --budget-ms -1", "--budget-ms"},
      // Before a run of minutes.
      {"run scene.yaml --steps 1000000000 --html a.html --look-at qube", "there is no link 'qube' to look at"},
      {"run ball_pit --steps 1 --plot a.svg", "controllers of type task and no sensors"},
  };
  Write("empty.yaml", "");
  Write("empty.urdf", "");
  for (const auto& [arguments, words] : cases) {
    const CommandResult result = Run(std::string(arguments) + " 2>&1");
    EXPECT_EQ(result.code, 2) << arguments << "\n" << result.out;
    EXPECT_THAT(result.out, HasSubstr(words)) << arguments;
  }
}

TEST_F(RunCommand, DumpsProblemsThatSolveReads) {
  Write("scene.yaml", kScene);
  const CommandResult run = RunQuietly("run scene.yaml --steps 200 --json --every 50 --dump-problems problems");
  EXPECT_EQ(run.code, 0);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir_ / "problems")) {
    ++files;
    EXPECT_EQ(RunQuietly("solve " + entry.path().string()).code, 0) << entry.path();
  }
  EXPECT_GE(files, 2);
  EXPECT_EQ(json::parse(run.out)["problems"], files);
  EXPECT_EQ(RunQuietly("run scene.yaml --steps 2 --every 0 --dump-problems problems").code, 2);
  // A folder that is in use would mix two runs.
  EXPECT_EQ(RunQuietly("run scene.yaml --steps 2 --dump-problems problems").code, 2);
  EXPECT_EQ(RunQuietly("run scene.yaml --steps 2 --dump-problems scene.yaml").code, 2);
}

TEST_F(RunCommand, RestoredRunsGoToTheScenesEnd) {
  Write("scene.yaml", std::string(kScene) + "duration: 0.5\ngoals:\n  - {type: moved, bodies: [cube], least: 0.1}\n");
  const json whole = json::parse(RunQuietly("run scene.yaml --json").out);
  EXPECT_EQ(whole["task"]["done"], true);
  ASSERT_EQ(RunQuietly("run scene.yaml --steps 100 --save middle.snap").code, 0);
  const CommandResult rest = RunQuietly("run scene.yaml --restore middle.snap --save end.snap --json");
  EXPECT_EQ(rest.code, 0);
  const json end = json::parse(rest.out);
  EXPECT_EQ(end["steps"], 20);
  EXPECT_EQ(end["state_hash"], whole["state_hash"]);
  EXPECT_EQ(end["task"]["judged"], false);  // it did not see where the cube came from
  EXPECT_THAT(end["task"]["why_not_judged"].get<std::string>(), HasSubstr("whole run"));
  EXPECT_THAT(Run("run scene.yaml --restore end.snap 2>&1").out, HasSubstr("--steps or --duration"));
  EXPECT_EQ(RunQuietly("run scene.yaml --restore end.snap --steps 5").code, 0);
}

TEST_F(RunCommand, SnapshotsOfOtherScenesAreRefused) {
  Write("scene.yaml", kScene);
  ASSERT_EQ(RunQuietly("run scene.yaml --steps 10 --save end.snap").code, 0);
  EXPECT_EQ(RunQuietly("run scene.yaml --steps 10 --restore end.snap --solver pgs").code, 0);
  const CommandResult other = Run("run scene.yaml --steps 10 --restore end.snap --set objects.cube.mass=2 2>&1");
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.out, HasSubstr("was made of another scene"));
}

// It lands on four corners, which is one too many: at the start all is well.
TEST_F(RunCommand, OutputsDoNotOverwriteInputsOrEachOther) {
  Write("robot.urdf", R"(<robot name="ball"><link name="base">
    <inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>)");
  Write("scene.yaml", kScene + std::string("models:\n  - {name: robot, file: robot.urdf}\n"));
  ASSERT_EQ(RunQuietly("run scene.yaml --steps 5 --save s.snap --record run.h5").code, 0);
  namespace fs = std::filesystem;
  fs::create_symlink("later.out", dir_ / "dangling.out");
  fs::create_hard_link(dir_ / "s.snap", dir_ / "hard.snap");
  fs::copy_file(dir_ / "run.h5", dir_ / "run.csv");
  const std::string run = "run scene.yaml --duration 1e6 ", restored = run + "--restore s.snap ";
  const std::vector<std::string> files = {"scene.yaml", "robot.urdf", "s.snap", "run.h5", "run.csv"};
  std::vector<std::string> before;
  for (const std::string& file : files) before.push_back(ReadBytes(file));
  ExpectRefused({
      {restored + "--record s.snap", "is that of --restore too"},
      {restored + "--sensors ./s.snap", "is that of --restore too"},
      {restored + "--html s.snap", "is that of --restore too"},
      {restored + "--png hard.snap", "is that of --restore too"},
      {run + "--record dangling.out --save later.out", "'later.out' is that of --record too"},
      {run + "--record later.out --save dangling.out", "'dangling.out' is that of --record too"},
      {run + "--html a --png a", "is that of --html too"},
      {run + "--sensors scene.yaml", "is that of the scene too"},
      {run + "--record robot.urdf", "is that of a model of the scene too"},
      {"replay run.h5 --html z --png z", "is that of --html too"},
      {"export run.csv run.csv", "is that of the recording too"},
  });
  for (std::size_t k = 0; k < files.size(); ++k) EXPECT_EQ(ReadBytes(files[k]), before[k]) << files[k];
  EXPECT_FALSE(fs::exists(dir_ / "later.out") || fs::exists(dir_ / "z"));
  EXPECT_EQ(RunQuietly("run scene.yaml --steps 5 --restore s.snap --save s.snap").code, 0);
}

TEST_F(RunCommand, OutputsThatCannotBeWrittenAreRefusedBeforeTheRun) {
  Write("scene.yaml", kScene);
  Write("old.h5", "an earlier recording");
  std::filesystem::create_directory(dir_ / "folder");
  const std::string run = "run scene.yaml --duration 1e6 ";
  std::vector<std::pair<std::string, std::string>> cases;
  for (const std::string option : {"--record", "--sensors", "--save", "--html", "--png"}) {
    cases.push_back({run + option + " missing/out", option + " missing/out: cannot be written: No such file"});
    cases.push_back({run + option + " folder", option + " folder: is a folder"});
  }
  cases.push_back({run + "--record old.h5 --sensors missing/out", "--sensors missing/out"});
  cases.push_back({run + "--record old.h5 --html missing/out", "--html missing/out"});
  ExpectRefused(cases);
  EXPECT_EQ(ReadBytes("old.h5"), "an earlier recording");
}

TEST_F(RunCommand, PipesAreNotReplaced) {
  Write("scene.yaml", kScene);
  ASSERT_EQ(RunQuietly("run scene.yaml --steps 5 --record run.h5").code, 0);
  for (const char* name : {"pipe", "pipe.csv", "pipe.npz"}) ASSERT_EQ(mkfifo((dir_ / name).c_str(), 0600), 0);
  const std::string words = "is a folder, a device or a pipe";
  ExpectRefused({{"run scene.yaml --duration 1e6 --html pipe", words},
                 {"run scene.yaml --duration 1e6 --png pipe", words},
                 {"replay run.h5 --html pipe", words},
                 {"replay run.h5 --png pipe", words},
                 {"export run.h5 pipe.csv", words},
                 {"export run.h5 pipe.csv --contacts", words},
                 {"export run.h5 pipe.npz", words}});
  for (const char* name : {"pipe", "pipe.csv", "pipe.npz"}) EXPECT_TRUE(std::filesystem::is_fifo(dir_ / name)) << name;
  // A link is followed.
  for (const std::string name : {"link.csv", "link.npz"}) {
    std::filesystem::create_symlink("to_" + name, dir_ / name);
    EXPECT_EQ(RunQuietly("export run.h5 " + name).code, 0) << name;
    EXPECT_TRUE(std::filesystem::is_symlink(dir_ / name) && std::filesystem::is_regular_file(dir_ / ("to_" + name)));
  }
}

TEST_F(RunCommand, LimitsOfFileSizeAreErrors) {
  Write("scene.yaml", kScene);
  ASSERT_EQ(RunQuietly("run scene.yaml --steps 500 --record run.h5").code, 0);
  for (const std::string arguments :
       {"run scene.yaml --steps 500 --record big.h5", "run scene.yaml --steps 500 --sensors big.csv",
        "run scene.yaml --steps 500 --html big.html", "run scene.yaml --steps 500 --dump-problems problems",
        "replay run.h5 --html big.html", "export run.h5 big.csv", "export run.h5 big.npz"}) {
    // In blocks of 512 or 1024 bytes, depending on the shell. The errors go through a pipe, which has no such limit.
    const CommandResult r = Run(arguments + " 2>&1 >/dev/null", "ulimit -f 1 &&");
    EXPECT_EQ(r.code, 2) << arguments << "\n" << r.out;
    EXPECT_THAT(r.out, HasSubstr("File too large")) << arguments;
    EXPECT_EQ(CountTemporaries(), 0) << arguments;
  }
}

TEST_F(RunCommand, BadSnapshotsAreNamed) {
  Write("scene.yaml", kScene);
  ASSERT_EQ(RunQuietly("run scene.yaml --steps 10 --save end.snap").code, 0);
  const std::string good = ReadBytes("end.snap");
  Write("empty.snap", "");
  Write("text.snap", "no snapshot at all, but long enough for one");
  Write("short.snap", good.substr(0, good.size() - 9));
  std::filesystem::create_directory(dir_ / "folder");
  const std::string run = "run scene.yaml --duration 1e6 --restore ";
  ExpectRefused({
      {run + "folder", "--restore: 'folder' is a folder or a device (expected: a file that tactus run --save wrote"},
      {run + "missing.snap", "--restore: cannot read 'missing.snap' (expected: a file that tactus run --save wrote"},
      {run + "empty.snap", "--restore 'empty.snap': snapshot: is empty (expected: what tactus run --save writes)"},
      {run + "text.snap", "'text.snap': snapshot: does not begin as a snapshot (expected: what tactus run --save"},
      {run + "short.snap", "'short.snap': snapshot: its checksum is wrong"},
      {run + "end.snap --set objects.cube.mass=2", "'end.snap': snapshot: was made of another scene"},
  });
}

TEST_F(RunCommand, TooManyContactsStopTheRun) {
  Write("scene.yaml", kScene);
  const CommandResult result = RunQuietly("run scene.yaml --set max_contacts=3 --record run.h5");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out, HasSubstr("there are more than 3"));
  EXPECT_THAT(result.out, HasSubstr("stopped"));
  EXPECT_EQ(RunQuietly("export run.h5 run.csv").code, 0);
  EXPECT_EQ(Run("run scene.yaml --set max_contacts=3 --set objects.cube.pose.position.2=0.05 2>&1").code, 2);
}

TEST_F(RunCommand, NoStepsAreNotSolved) {
  Write("scene.yaml", kScene);
  const CommandResult none = RunQuietly("run scene.yaml --steps 0");
  EXPECT_EQ(none.code, 0);
  EXPECT_THAT(none.out, HasSubstr("no step was made"));
  EXPECT_THAT(none.out, HasSubstr("1 body, 6 dofs"));
}

TEST_F(RunCommand, InterruptedRunsSaySo) {
  Write("scene.yaml", kScene);
  const CommandResult result =
      Run("run scene.yaml --duration 1e6 --sensors s.csv 2>&1", "timeout --preserve-status -s INT 1");
  EXPECT_EQ(result.code, 130);
  EXPECT_THAT(result.out, HasSubstr("interrupted after step"));
  EXPECT_THAT(result.out, HasSubstr("of 240000000"));
  EXPECT_THAT(result.out, HasSubstr("sensors in s.csv"));
}

TEST_F(RunCommand, KeysAndExamplesArePrinted) {
  EXPECT_THAT(RunQuietly("scenes --keys").out, HasSubstr("sensor_drive_effort"));
  EXPECT_THAT(RunQuietly("scenes --keys drive").out, HasSubstr("target_velocity"));
  EXPECT_THAT(RunQuietly("--help").out, HasSubstr("--keys"));
  EXPECT_THAT(RunQuietly("export --help").out, HasSubstr("tactus export run.h5 run.csv"));
}

}  // namespace
}  // namespace tactus
