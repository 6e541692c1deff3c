// Data: one simulation, its views, its steps.
#include <array>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "python/src/bindings.h"
#include "python/src/dtype.h"
#include "tactus/core/error.h"

namespace tactus::python {

namespace {

// To compile a large scene takes its time.
SceneSimulation TakeWithoutLock(const PyModel& model) {
  nb::gil_scoped_release release;
  return model.TakeSimulation();
}

}  // namespace

DataObject::DataObject(const std::shared_ptr<const PyModel>& model) : PyData(model, TakeWithoutLock(*model)) {
  DataBuffers& b = *buffers();
  const auto view = [&](VectorX* v) { return MakeView(buffers(), v->data(), {static_cast<std::size_t>(v->size())}); };
  qpos = view(&b.qpos);
  qvel = view(&b.qvel);
  ctrl = view(&b.ctrl);
  qfrc_applied = view(&b.qfrc_applied);
  applied_wrench = MakeView(buffers(), b.wrenches.data(), {static_cast<std::size_t>(b.wrenches.rows()), 6});
  for (std::size_t k = 0; k < b.node_q.size(); ++k) {
    const std::size_t items = static_cast<std::size_t>(simulator().deformables().body(static_cast<int>(k)).num_items());
    const std::size_t size = static_cast<std::size_t>(b.node_q[k].size());
    node_positions.append(MakeView(buffers(), b.node_q[k].data(), {items, items == 0 ? 3 : size / items}));
    node_velocities.append(view(&b.node_v[k]));
  }
}

StepReport Step(const PyModel& model, DataObject* data, std::int64_t count) {
  Require(&data->model() == &model, "step", "the data is of another model", "data made by this model");
  Require(count >= 1 && count <= 1000000000, "nstep", fmt::format("is {}", count), "1 to 1e9");
  const PyData::Use use(data);
  data->Gather();
  Simulator& simulator = data->simulator();
  StepReport report;
  bool interrupted = false;
  {
    nb::gil_scoped_release release;
    double seconds = 0;  // since Ctrl-C was looked for, by the steps' own clocks
    for (std::int64_t k = 0; k < count && !interrupted; ++k) {
      report = simulator.Step();
      if (!report.moved()) break;
      seconds += report.stages.total();
      if (count == 1 || seconds < 0.05) continue;
      seconds = 0;
      nb::gil_scoped_acquire acquire;
      interrupted = PyErr_CheckSignals() != 0;
    }
  }
  data->Scatter();
  data->SetReport(report);
  if (interrupted) throw nb::python_error();
  return report;
}

namespace {

// As it is in the NumPy array.
struct ContactRow {
  double position[3], frame[9], gap, force[3], impulse[3], velocity[3], friction[2];
  std::int32_t bodies[2], geoms[2];
  std::uint8_t mode, active, padding[6];
};
static_assert(std::is_trivially_copyable_v<ContactRow> && sizeof(ContactRow) % 8 == 0);

// Made once and kept for good.
nb::object ContactDtype() {
  static PyObject* const kept = MakeDtype(sizeof(ContactRow),
                                          {
                                              {"position", "3f8", offsetof(ContactRow, position)},
                                              {"frame", "(3,3)f8", offsetof(ContactRow, frame)},
                                              {"gap", "f8", offsetof(ContactRow, gap)},
                                              {"force", "3f8", offsetof(ContactRow, force)},
                                              {"impulse", "3f8", offsetof(ContactRow, impulse)},
                                              {"velocity", "3f8", offsetof(ContactRow, velocity)},
                                              {"friction", "2f8", offsetof(ContactRow, friction)},
                                              {"bodies", "2i4", offsetof(ContactRow, bodies)},
                                              {"geoms", "2i4", offsetof(ContactRow, geoms)},
                                              {"mode", "u1", offsetof(ContactRow, mode)},
                                              {"active", "?", offsetof(ContactRow, active)},
                                          })
                                    .release()
                                    .ptr();
  return nb::borrow(kept);
}

std::int32_t BodyOf(const Simulator& simulator, int object) {
  if (object < 0) return -1;
  const SimulatorObject& o = simulator.objects()[static_cast<std::size_t>(object)];
  const int links = static_cast<int>(simulator.model().links().size());
  return o.deformable >= 0 ? links + o.deformable : o.link;
}

RecordArray GetContacts(DataObject& self, bool candidates) {
  const PyData::Use use(&self);
  const Simulator& simulator = self.simulator();
  const double h = simulator.settings().scheme.step;
  std::vector<ContactRow> rows;
  for (const ContactState& c : simulator.contacts()) {
    if (!c.active && !candidates) continue;
    ContactRow row = {};
    Eigen::Map<Vector3>(row.position) = c.geometry.point;
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(row.frame) = c.frame;
    row.gap = c.geometry.gap;
    Eigen::Map<Vector3>(row.force) = c.impulse_W() / h;
    Eigen::Map<Vector3>(row.impulse) = c.impulse;
    Eigen::Map<Vector3>(row.velocity) = c.velocity;
    row.friction[0] = c.friction1;
    row.friction[1] = c.friction2;
    row.bodies[0] = BodyOf(simulator, c.object_a);
    row.bodies[1] = BodyOf(simulator, c.object_b);
    row.geoms[0] = c.object_a;
    row.geoms[1] = c.object_b;
    row.mode = static_cast<std::uint8_t>(c.mode);
    row.active = c.active ? 1 : 0;
    rows.push_back(row);
  }
  return ToStructured(rows, ContactDtype());
}

// Of all bodies: something about each link, at the present qpos and qvel.
template <int Size, typename Fill>
FloatArray PerLink(DataObject* self, const Fill& fill) {
  const PyData::Use use(self);
  self->Gather();
  const std::size_t links = self->model().model().links().size();
  NewArray<double> out({links, Size});
  for (std::size_t l = 0; l < links; ++l) fill(self->simulator(), static_cast<int>(l), out.data + Size * l);
  return out.object;
}

FloatArray SensorData(DataObject& self) {
  const PyData::Use use(&self);
  self.Gather();
  NewArray<double> out({static_cast<std::size_t>(self.model().num_sensor_values())});
  double* at = out.data;
  for (const SceneProbe& probe : self.probes()) {
    CalcProbe(self.simulator(), probe, at);
    at += probe.size;
  }
  return out.object;
}

FloatArray Stress(DataObject& self, int number) {
  const PyData::Use use(&self);
  self.Gather();
  const DeformableSet& set = self.simulator().deformables();
  Require(number >= 0 && number < set.size(), "deformable", fmt::format("is {}", number),
          fmt::format("0 to {}", set.size() - 1));
  VectorX stress;
  {
    nb::gil_scoped_release release;
    const Deformable& body = set.body(number);
    const std::unique_ptr<DeformableData> scratch = body.MakeData();
    body.CalcStress(self.simulator().state().deformables[static_cast<std::size_t>(number)].q, scratch.get(), &stress);
  }
  return ToNumpy(stress);
}

FloatArray GetState(DataObject& self) {
  const PyData::Use use(&self);
  self.Gather();
  NewArray<double> out({static_cast<std::size_t>(self.model().num_state())});
  ReadState(self.simulator().state(), true, out.data);
  return out.object;
}

void SetState(DataObject& self, const InVector& values) {
  const PyData::Use use(&self);
  const PyModel& model = self.model();
  const std::size_t n = values.shape(0), small = static_cast<std::size_t>(model.nq() + model.nv()),
                    full = static_cast<std::size_t>(model.num_state());
  Require(n == small || n == full, "set_state", fmt::format("the state has {} entries", n),
          fmt::format("nq + nv = {}, or nstate = {}", small, full));
  State state = self.simulator().state();
  WriteState(values.data(), n == full, &state);
  CheckState(model.model(), &state);
  self.simulator().SetState(state);
  self.Scatter();
}

nb::bytes Save(DataObject& self) {
  const PyData::Use use(&self);
  self.Gather();
  const std::vector<std::uint8_t> bytes = self.simulator().MakeSnapshot().Serialize();
  return nb::bytes(bytes.data(), bytes.size());
}

void Restore(DataObject& self, const nb::bytes& bytes) {
  const PyData::Use use(&self);
  const auto* data = static_cast<const std::uint8_t*>(bytes.data());
  self.simulator().Restore(Snapshot::Deserialize(std::vector<std::uint8_t>(data, data + bytes.size())));
  ReadControl(self.model(), self.simulator(), self.buffers()->ctrl.data());
  self.Scatter();
}

void BindViews(nb::class_<DataObject>* c) {
  // Writing to the attribute writes into the view.
  const auto add = [&](const char* name, nb::object DataObject::*member, const char* getter, const char* setter,
                       const char* doc) {
    c->def_prop_rw(
        name, [member](DataObject& self) { return self.*member; },
        [member](DataObject& self, nb::handle value) { (self.*member)[nb::ellipsis()] = value; },
        nb::for_getter(nb::sig(getter)), nb::for_setter(nb::sig(setter)), doc);
  };
  add("qpos", &DataObject::qpos, "def qpos(self) -> numpy.typing.NDArray[numpy.float64]",
      "def qpos(self, value: numpy.typing.ArrayLike, /) -> None",
      "Positions, as a view: what you write is where the next step begins. Joints one after the other; floating bodies "
      "are x, y, z and a quaternion, w first, which is normalized.");
  add("qvel", &DataObject::qvel, "def qvel(self) -> numpy.typing.NDArray[numpy.float64]",
      "def qvel(self, value: numpy.typing.ArrayLike, /) -> None",
      "Velocities, as a view. Of floating bodies linear ones in the world's axes, then angular ones in the body's.");
  add("ctrl", &DataObject::ctrl, "def ctrl(self) -> numpy.typing.NDArray[numpy.float64]",
      "def ctrl(self, value: numpy.typing.ArrayLike, /) -> None",
      "Inputs, as a view; what they mean is in model.actuator_names and actuator_kinds. The scene's own controllers "
      "write here too, unless they were left out by load(..., controllers=False).");
  add("qfrc_applied", &DataObject::qfrc_applied, "def qfrc_applied(self) -> numpy.typing.NDArray[numpy.float64]",
      "def qfrc_applied(self, value: numpy.typing.ArrayLike, /) -> None",
      "Generalized forces besides those of actuators, as a view (nv) [N, N m]. They stay until they are set again.");
  add("applied_wrench", &DataObject::applied_wrench, "def applied_wrench(self) -> numpy.typing.NDArray[numpy.float64]",
      "def applied_wrench(self, value: numpy.typing.ArrayLike, /) -> None",
      "Forces and moments on bodies at their origins, world axes, as a view (nbody, 6) [N, N m]. They stay, too.");
}

}  // namespace

void BindData(nb::module_* m) {
  nb::class_<DataObject> c(
      *m, "Data",
      "One simulation of a model, at the scene's start. Views of its memory (qpos, qvel, ctrl) stay "
      "valid as long as you hold them. For one thread at a time.");
  c.def(nb::init<std::shared_ptr<PyModel>>(), nb::arg("model"));
  BindViews(&c);
  c.def_prop_ro("model", [](const DataObject& self) { return std::const_pointer_cast<PyModel>(self.shared_model()); });
  c.def_prop_rw(
      "time", [](const DataObject& self) { return self.simulator().time(); },
      [](DataObject& self, double time) {
        const PyData::Use use(&self);
        self.SetTime(time);
      },
      "[s]");
  c.def_prop_ro(
      "steps", [](const DataObject& self) { return self.simulator().steps(); }, "Steps since the start.");
  c.def_prop_ro(
      "report", [](const DataObject& self) { return self.report(); }, "Of the last step.");
  c.def_prop_ro(
      "contacts", [](DataObject& self) { return GetContacts(self, false); },
      "Contacts of the last step that were given to the solver, as a structured array: position [m], frame "
      "(rows t1, t2, n in world axes; n from the second body to the first), gap [m], force (on the first body, "
      "world axes, mean over the step [N]), impulse and velocity (in the frame [N s, m/s]), friction, bodies "
      "(numbers in model.body_names, -1: the world), geoms, mode (ContactMode), active.");
  c.def("get_contacts", &GetContacts, nb::arg("candidates") = false,
        "The same, with candidates=True also points nearby that could not act.");
  c.def_prop_ro(
      "xpos",
      [](DataObject& self) {
        return PerLink<3>(&self, [](const Simulator& s, int link, double* out) {
          Eigen::Map<Vector3> place(out);
          place = s.LinkPose(link).p;
        });
      },
      "Where bodies are at the present qpos (nbody, 3), computed anew each time [m].");
  c.def_prop_ro(
      "xquat",
      [](DataObject& self) {
        return PerLink<4>(&self, [](const Simulator& s, int link, double* out) {
          const Quaternion q(s.LinkPose(link).R);
          out[0] = q.w(), out[1] = q.x(), out[2] = q.y(), out[3] = q.z();
        });
      },
      "How they are turned (nbody, 4), w first.");
  c.def_prop_ro(
      "xvel",
      [](DataObject& self) {
        return PerLink<6>(&self, [](const Simulator& s, int link, double* out) {
          Eigen::Map<Vector6> velocity(out);
          velocity = s.LinkVelocity(link);
        });
      },
      "How fast their origins move, and their angular velocities, world axes (nbody, 6) [m/s, rad/s].");
  c.def_prop_ro("sensordata", &SensorData, "What the scene's sensors say now; see model.sensor_names.");
  c.def_ro("_node_positions", &DataObject::node_positions);
  c.def_ro("_node_velocities", &DataObject::node_velocities);
  c.def("_stress", &Stress, nb::arg("number"));
  c.def(
      "reset",
      [](DataObject& self) {
        const PyData::Use use(&self);
        self.Reset();
      },
      "Back to the scene's start, ctrl and applied forces included.");
  c.def("get_state", &GetState, "qpos, qvel, then positions and velocities of each deformable: a copy (nstate).");
  c.def("_set_state", &SetState, nb::arg("state"));
  c.def("save", &Save, "All that influences the future, as bytes: state, impulses, controllers. For restore().");
  c.def("restore", &Restore, nb::arg("snapshot"), "To a snapshot of the same scene; goes on bit for bit.");
  c.def_prop_ro(
      "state_hash",
      [](DataObject& self) {
        const PyData::Use use(&self);
        self.Gather();
        return fmt::format("{:016x}", self.simulator().CalcStateHash());
      },
      "64 bits over the state, as `tactus run` prints them.");
  c.def("__repr__", [](const DataObject& self) {
    return fmt::format("<tactus.Data of '{}': t {:.6g} s, {} steps>", self.model().scene().name,
                       self.simulator().time(), self.simulator().steps());
  });
  m->def(
      "step", [](const PyModel& model, DataObject& data, std::int64_t nstep) { return Step(model, &data, nstep); },
      nb::arg("model"), nb::arg("data"), nb::arg("nstep") = 1,
      "One time step, or several. Other Python threads run meanwhile. Returns the report of the last one; stops at a "
      "step that does not move.");
}

}  // namespace tactus::python
