// Recordings: read as arrays, written while a simulation runs.
#include <atomic>
#include <cstddef>
#include <mutex>
#include <type_traits>

#include <fmt/format.h>

#include "apps/cli/simulation_recorder.h"
#include "python/src/bindings.h"
#include "python/src/dtype.h"
#include "tactus/core/error.h"
#include "tactus/io/data_folder.h"
#include "tactus/record/recording.h"

namespace tactus::python {

namespace {

// As it is in the NumPy array.
struct RecordRow {
  double position[3], normal[3], gap, impulse[3], friction[2], tangent[3];
  std::int32_t step, geoms[2];
  std::uint8_t mode, padding[3];
};
static_assert(std::is_trivially_copyable_v<RecordRow> && sizeof(RecordRow) % 8 == 0);

// Made once and kept for good.
nb::object RecordDtype() {
  static PyObject* const kept = MakeDtype(sizeof(RecordRow),
                                          {
                                              {"step", "i4", offsetof(RecordRow, step)},
                                              {"position", "3f8", offsetof(RecordRow, position)},
                                              {"normal", "3f8", offsetof(RecordRow, normal)},
                                              {"gap", "f8", offsetof(RecordRow, gap)},
                                              {"impulse", "3f8", offsetof(RecordRow, impulse)},
                                              {"friction", "2f8", offsetof(RecordRow, friction)},
                                              {"tangent", "3f8", offsetof(RecordRow, tangent)},
                                              {"geoms", "2i4", offsetof(RecordRow, geoms)},
                                              {"mode", "u1", offsetof(RecordRow, mode)},
                                          })
                                    .release()
                                    .ptr();
  return nb::borrow(kept);
}

RecordArray Contacts(const Recording& recording) {
  std::vector<RecordRow> rows;
  rows.reserve(recording.contacts.size());
  for (int step = 0; step < recording.steps(); ++step) {
    for (const RecordContact& c : recording.StepContacts(step)) {
      RecordRow row = {};
      row.step = step;
      Eigen::Map<Vector3>(row.position) = c.point;
      Eigen::Map<Vector3>(row.normal) = c.normal;
      row.gap = c.gap;
      Eigen::Map<Vector3>(row.impulse) = c.impulse;
      Eigen::Map<Vector2>(row.friction) = c.friction;
      Eigen::Map<Vector3>(row.tangent) = c.tangent;
      row.geoms[0] = c.object_a;
      row.geoms[1] = c.object_b;
      row.mode = static_cast<std::uint8_t>(c.mode);
      rows.push_back(row);
    }
  }
  return ToStructured(rows, RecordDtype());
}

FloatArray Poses(const Recording& recording) {
  const std::size_t steps = static_cast<std::size_t>(recording.poses.rows());
  const std::size_t links = static_cast<std::size_t>(recording.poses.cols()) / kRecordPoseSize;
  NewArray<double> out({steps, links, kRecordPoseSize});
  std::copy(recording.poses.data(), recording.poses.data() + recording.poses.size(), out.data);
  return out.object;
}

template <std::size_t Size>
FloatArray Floats(std::span<const float> values) {
  NewArray<float> out({values.size() / Size, Size});
  std::copy(values.begin(), values.end(), out.data);
  return out.object;
}

// Vertices, segments and stress of one step.
nb::tuple Deformed(const Recording& recording, int step) {
  Require(step >= 0 && step < recording.steps(), "step", fmt::format("is {}", step),
          fmt::format("0 to {}", recording.steps() - 1));
  DeformedReader reader(recording);
  const DeformedStep now = reader.Read(step);
  return nb::make_tuple(Floats<3>(now.vertices), Floats<kRecordPoseSize>(now.segments), Floats<1>(now.stress));
}

// Surfaces and rods that the steps place: (name, first, count, triangles or None) each.
nb::list Bodies(const RecordHeader& header, bool rods) {
  nb::list out;
  int first = 0;
  for (const RecordRod& rod : rods ? header.rods : std::vector<RecordRod>()) {
    out.append(nb::make_tuple(rod.name, first, rod.segments, nb::none()));
    first += rod.segments;
  }
  for (const RecordDeformable& body : rods ? std::vector<RecordDeformable>() : header.deformables) {
    NewArray<int> triangles({body.triangles.size(), 3});
    for (std::size_t k = 0; k < body.triangles.size(); ++k) {
      std::copy(body.triangles[k].begin(), body.triangles[k].end(), triangles.data + 3 * k);
    }
    out.append(nb::make_tuple(body.name, first, body.vertices, triangles.object));
    first += body.vertices;
  }
  return out;
}

/// Writes steps of one Data. Other Python threads run meanwhile; those that want the same recorder wait, and whoever
/// uses HDF5 waits for the library's own lock.
class RecorderObject {
 public:
  RecorderObject(nb::object data, const std::string& path, bool replay, const std::string& title, double rate)
      : data_(std::move(data)) {
    DataObject& d = nb::cast<DataObject&>(data_);
    const PyData::Use use(&d);
    cli::SimulationRecord record{path, nullptr, d.model().scene().text};
    if (replay) {
      replay_.viewer = FindDataFolder("viewer", "replay.js").string();
      replay_.title = title.empty() ? d.model().scene().name : title;
      replay_.rate = rate;
      record.replay = &replay_;
    }
    nb::gil_scoped_release release;
    recorder_ = std::make_unique<cli::SimulationRecorder>(d.simulator(), record);
  }

  void Append() {
    DataObject& d = nb::cast<DataObject&>(data_);
    const PyData::Use use(&d);
    Require(d.simulator().steps() > 0, "recorder", "there was no step yet", "a step before each append");
    d.Gather();
    nb::gil_scoped_release release;
    const std::lock_guard<std::mutex> lock(mutex_);
    Require(recorder_ != nullptr, "recorder", "it is closed", "append before close");
    recorder_->Append(d.simulator(), d.report());
    ++steps_;
  }

  void WriteHtml(const std::string& path) {
    nb::gil_scoped_release release;
    const std::lock_guard<std::mutex> lock(mutex_);
    Require(recorder_ != nullptr && recorder_->replay() != nullptr, "recorder",
            recorder_ ? "it was made without a replay" : "it is closed", "Recorder(data, replay=True), not yet closed");
    recorder_->replay()->Write(path);
  }

  void Close() {
    nb::gil_scoped_release release;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (recorder_ == nullptr) return;
    recorder_->Close();
    recorder_.reset();
  }

  int steps() const { return steps_; }
  bool closed() {
    nb::gil_scoped_release release;
    const std::lock_guard<std::mutex> lock(mutex_);
    return recorder_ == nullptr;
  }

 private:
  nb::object data_;
  ReplaySettings replay_;
  std::mutex mutex_;
  std::unique_ptr<cli::SimulationRecorder> recorder_;
  std::atomic<int> steps_ = 0;
};

void BindRecorder(nb::module_* m) {
  nb::class_<RecorderObject>(*m, "RecorderCore")
      .def(nb::init<nb::object, const std::string&, bool, const std::string&, double>(), nb::arg("data"),
           nb::arg("path"), nb::arg("replay"), nb::arg("title"), nb::arg("rate"))
      .def("append", &RecorderObject::Append)
      .def("write_html", &RecorderObject::WriteHtml, nb::arg("path"))
      .def("close", &RecorderObject::Close)
      .def_prop_ro("steps", &RecorderObject::steps)
      .def_prop_ro("closed", &RecorderObject::closed);
}

}  // namespace

void BindRecording(nb::module_* m) {
  BindRecorder(m);
  nb::class_<Recording> c(*m, "Recording",
                          "A recorded simulation (`tactus run --record`, tactus.Recorder), in memory.");
  c.def_prop_ro(
      "time", [](const Recording& r) { return ListToNumpy<double>(r.time); }, "At the end of each step [s].");
  c.def_prop_ro(
      "qpos", [](const Recording& r) { return ToNumpy(r.q); }, "(steps, nq)");
  c.def_prop_ro(
      "qvel", [](const Recording& r) { return ToNumpy(r.v); }, "(steps, nv)");
  c.def_prop_ro(
      "status", [](const Recording& r) { return ListToNumpy<std::int32_t>(r.status); }, "StepStatus of each step.");
  c.def_prop_ro(
      "iterations", [](const Recording& r) { return ListToNumpy<std::int32_t>(r.iterations); },
      "Of the solver in each step.");
  c.def_prop_ro(
      "residual", [](const Recording& r) { return ListToNumpy<double>(r.residual); },
      "Of the law of contact after each step, by the judge.");
  c.def_prop_ro(
      "timings", [](const Recording& r) { return ToNumpy(r.stages); },
      "Seconds of the stages of each step; see stage_names.");
  c.def_prop_ro(
      "contact_start", [](const Recording& r) { return ListToNumpy<std::int64_t>(r.contact_start); },
      "Where the contacts of each step begin in `contacts`, and one more: the number of all.");
  c.def_prop_ro("contacts", &Contacts,
                "All contacts as a structured array: step, position, normal, gap, impulse (on the first, world axes "
                "[N s]), friction, tangent, geoms, mode.");
  c.def_prop_ro("poses", &Poses, "(steps, bodies, 7): places of bodies and quaternions, w first.");
  c.def("_deformed", &Deformed, nb::arg("step"));
  c.def_prop_ro("_surfaces", [](const Recording& r) { return Bodies(r.header, false); });
  c.def_prop_ro("_rods", [](const Recording& r) { return Bodies(r.header, true); });
  c.def_prop_ro(
      "timestep", [](const Recording& r) { return r.header.time_step; }, "[s]");
  c.def_prop_ro(
      "closed", [](const Recording& r) { return r.closed; },
      "False: the program that wrote it has not finished, or was killed.");
  c.def_prop_ro(
      "version", [](const Recording& r) { return r.version; }, "Of the file's format.");
  c.def_prop_ro(
      "solver", [](const Recording& r) { return r.header.solver; }, "Its name.");
  c.def_prop_ro(
      "scene", [](const Recording& r) { return r.header.scene; }, "Text of the scene file.");
  c.def_prop_ro(
      "settings",
      [](const Recording& r) {
        nb::dict out;
        for (const auto& [name, value] : r.header.settings) out[name.c_str()] = value;
        return out;
      },
      "Of the simulator and the solver, as texts by name.");
  c.def_prop_ro(
      "qpos_names", [](const Recording& r) { return r.header.q_names; }, "What each column of qpos is.");
  c.def_prop_ro(
      "qvel_names", [](const Recording& r) { return r.header.v_names; }, "What each column of qvel is.");
  c.def_prop_ro(
      "body_names", [](const Recording& r) { return r.header.links; }, "Bodies in the order of poses.");
  c.def_prop_ro(
      "geom_names", [](const Recording& r) { return r.header.objects; },
      "Shapes, by the numbers in contacts['geoms']; -1 is the world.");
  c.def_prop_ro(
      "stage_names", [](const Recording& r) { return r.header.stages; }, "What each column of timings is.");
  c.def("__len__", &Recording::steps);
  c.def("__repr__", [](const Recording& r) {
    return fmt::format("<tactus.Recording: {} steps of {:.6g} s, nq {}, {} contacts>", r.steps(), r.header.time_step,
                       r.header.nq, r.contacts.size());
  });
  m->def(
      "load_recording",
      [](const std::string& path) {
        nb::gil_scoped_release release;
        return std::make_shared<Recording>(LoadRecording(path));
      },
      nb::arg("path"));
}

}  // namespace tactus::python
