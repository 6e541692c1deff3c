#include "apps/cli/simulation_recorder.h"

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "apps/cli/record_shapes.h"
#include "tactus/core/error.h"
#include "tactus/version.h"

namespace tactus::cli {

namespace {

RecordHeader MakeHeader(const Simulator& simulator, const std::string& scene_text) {
  const Model& model = simulator.model();
  const SimulatorSettings& settings = simulator.settings();
  RecordHeader header;
  header.nq = model.nq();
  header.nv = model.nv();
  header.time_step = settings.scheme.step;
  for (const ModelLink& link : model.links()) header.links.push_back(link.name);
  header.q_names.resize(static_cast<std::size_t>(model.nq()));
  header.v_names.resize(static_cast<std::size_t>(model.nv()));
  for (const ModelJoint& joint : model.joints()) {
    header.joints.push_back(joint.description.name);
    const ModelBody& body = model.body(joint.body);
    const int nq = GetJointKind(joint.description.type).nq;
    for (int k = 0; k < nq; ++k) {
      header.q_names[static_cast<std::size_t>(body.q + k)] =
          nq == 1 ? joint.description.name : fmt::format("{}[{}]", joint.description.name, k);
    }
    for (int k = 0; k < body.nv; ++k) {
      header.v_names[static_cast<std::size_t>(body.v + k)] =
          body.nv == 1 ? joint.description.name : fmt::format("{}[{}]", joint.description.name, k);
    }
  }
  for (const SimulatorObject& object : simulator.objects()) header.objects.push_back(object.name);
  header.stages = {"control", "kinematics", "collision", "assembly", "solve", "integration"};
  for (const StepStatus s :
       {StepStatus::Ok, StepStatus::Inaccurate, StepStatus::SolverFailed, StepStatus::InvalidState}) {
    header.statuses.emplace_back(ToString(s));
  }
  header.solver = settings.solver;
  header.scene = scene_text;
  header.version = LibraryVersion();
  header.settings = {{"tolerance", fmt::format("{}", settings.solve.tolerance)},
                     {"theta", fmt::format("{}", settings.scheme.theta)},
                     {"linearizations", fmt::format("{}", settings.linearizations)},
                     {"margin", fmt::format("{}", settings.contacts.margin)},
                     {"stabilization", ToString(settings.stabilization.kind)}};
  header.poses = true;
  AddRecordShapes(model, &header);
  return header;
}

DeformableSampler MakeSampler(const DeformableSet& set) {
  std::vector<SampledBody> bodies;
  for (int k = 0; k < set.size(); ++k) bodies.push_back({set.setup(k).name, &set.body(k)});
  return DeformableSampler(bodies);
}

}  // namespace

SimulationRecorder::SimulationRecorder(const Simulator& simulator, const SimulationRecord& record)
    : deformables_(MakeSampler(simulator.deformables())) {
  RecordHeader header = MakeHeader(simulator, record.scene_text);
  deformables_.AddTo(&header);
  if (!record.file.empty()) recorder_ = std::make_unique<Recorder>(record.file, header);
  if (record.replay != nullptr) replay_ = std::make_unique<ReplayBuilder>(header, *record.replay);
}

void SimulationRecorder::Append(const Simulator& simulator, const StepReport& report) {
  contacts_.clear();
  for (const ContactState& c : simulator.contacts()) {
    if (!c.active) continue;
    contacts_.push_back({c.object_a, c.object_b, c.geometry.point, c.geometry.normal, c.geometry.gap, c.impulse_W(),
                         Vector2(c.friction1, c.friction2), c.frame.row(0).transpose(), c.mode});
  }
  poses_.clear();
  for (int link = 0; link < static_cast<int>(simulator.model().links().size()); ++link) {
    const Pose pose = simulator.LinkPose(link);
    const Quaternion q(pose.R);
    poses_.insert(poses_.end(), {pose.p[0], pose.p[1], pose.p[2], q.w(), q.x(), q.y(), q.z()});
  }
  const StageTimes& s = report.stages;
  const std::array<double, 6> stages = {s.control, s.kinematics, s.collision, s.assembly, s.solve, s.integration};
  RecordFrame frame;
  frame.time = report.time;
  const State& state = simulator.state();
  frame.q = {state.q.data(), static_cast<std::size_t>(state.q.size())};
  frame.v = {state.v.data(), static_cast<std::size_t>(state.v.size())};
  frame.status = static_cast<int>(report.status);
  frame.iterations = report.solver_iterations;
  frame.residual = report.solve.residual.worst();
  frame.stages = stages;
  frame.contacts = contacts_;
  frame.poses = poses_;
  places_.clear();
  for (const DeformableState& deformable : state.deformables) places_.push_back(&deformable.q);
  deformables_.Sample(places_);
  deformables_.Fill(&frame);
  if (recorder_) recorder_->Append(frame);
  if (replay_) replay_->Append(frame);
}

void SimulationRecorder::Close() {
  if (recorder_) recorder_->Close();
}

SensorLog::SensorLog(const std::string& path, const std::vector<SceneProbe>& probes)
    : path_(path), file_(std::fopen(path.c_str(), "w")), probes_(probes) {
  if (file_ == nullptr) throw InputError("--sensors", "cannot write '" + path + "'", "a file that can be written");
  line_ = "time";
  for (const SceneProbe& probe : probes) {
    for (const std::string& column : probe.columns) line_ += fmt::format(",{}.{}", probe.sensor.name, column);
    values_.emplace_back(static_cast<std::size_t>(probe.size), 0.0);
    next_.push_back(0);
  }
  WriteLine();
}

void SensorLog::WriteLine() {
  line_ += '\n';
  if (std::fwrite(line_.data(), 1, line_.size(), file_) != line_.size()) Fail();
}

void SensorLog::Fail() const {
  throw InputError("--sensors", "could not write all of '" + path_ + "': " + std::strerror(errno), "room on the disk");
}

SensorLog::~SensorLog() {
  if (file_ != nullptr) std::fclose(file_);
}

void SensorLog::Append(const Simulator& simulator) {
  line_ = fmt::format("{}", simulator.time());
  for (std::size_t k = 0; k < probes_.size(); ++k) {
    const double rate = probes_[k].sensor.rate;
    if (rate <= 0 || simulator.time() >= next_[k] - 1e-9 / rate) {
      CalcProbe(simulator, probes_[k], values_[k].data());
      if (rate > 0) next_[k] = (std::floor(simulator.time() * rate + 1e-9) + 1) / rate;
    }
    for (const double x : values_[k]) line_ += fmt::format(",{}", x);
  }
  WriteLine();
}

void SensorLog::Close() {
  const bool failed = std::ferror(file_) != 0;
  const bool closed = std::fclose(file_) == 0;
  file_ = nullptr;
  if (failed || !closed) Fail();
}

}  // namespace tactus::cli
