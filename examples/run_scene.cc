// Loads a scene file (YAML, URDF or MJCF), simulates it, saves and restores in the middle.
#include <cstdio>

#include "tactus/core/error.h"
#include "tactus/io/data_folder.h"
#include "tactus/scene/compile_scene.h"
#include "tactus/scene/scene_file.h"

int main(int argc, char** argv) {
  try {
    const std::filesystem::path file = argc > 1 ? argv[1] : tactus::FindDataFolder("scenes") / "conveyor.yaml";
    const tactus::SceneDescription scene = tactus::LoadScene(file);
    const tactus::SceneSimulation simulation = tactus::MakeSimulation(scene);
    tactus::Simulator& simulator = *simulation.simulator;
    for (const std::string& note : simulation.notes) std::printf("note: %s\n", note.c_str());

    tactus::Snapshot middle;
    for (int step = 0; step < 400; ++step) {
      if (step == 200) middle = simulator.MakeSnapshot();
      const tactus::StepReport report = simulator.Step();
      if (!report.moved()) throw tactus::InputError(report.message);
    }
    const auto hash = simulator.CalcStateHash();
    simulator.Restore(middle);
    for (int step = 200; step < 400; ++step) static_cast<void>(simulator.Step());
    std::printf("%s: t = %.3f s, %zu contacts, the second half again gives %s bits\n", scene.name.c_str(),
                simulator.time(), simulator.contacts().size(),
                hash == simulator.CalcStateHash() ? "the same" : "OTHER");
    return hash == simulator.CalcStateHash() ? 0 : 1;
  } catch (const tactus::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
