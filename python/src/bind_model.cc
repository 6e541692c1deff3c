// Model: what a scene is.
#include <array>

#include <fmt/format.h>

#include "apps/cli/scene_library.h"
#include "python/src/bindings.h"
#include "tactus/core/error.h"
#include "tactus/deformable/fem/fem_body.h"

namespace tactus::python {

namespace {

template <typename Items, typename NameOf>
std::vector<std::string> Names(const Items& items, const NameOf& name_of) {
  std::vector<std::string> out;
  for (const auto& item : items) out.push_back(name_of(item));
  return out;
}

std::vector<std::string> BodyNames(const PyModel& self) {
  std::vector<std::string> out = Names(self.model().links(), [](const ModelLink& l) { return l.name; });
  const DeformableSet& set = self.world().deformables();
  for (int k = 0; k < set.size(); ++k) out.push_back(set.setup(k).name);
  return out;
}

std::vector<std::string> SensorNames(const PyModel& self) {
  std::vector<std::string> out;
  for (const SceneProbe& probe : self.probes()) {
    for (const std::string& column : probe.columns) out.push_back(probe.sensor.name + "." + column);
  }
  return out;
}

// A number for each joint.
template <typename NumberOf>
IntArray PerJoint(const PyModel& self, const NumberOf& number) {
  NewArray<int> out({self.model().joints().size()});
  for (std::size_t j = 0; j < self.model().joints().size(); ++j) out.data[j] = number(self.model().joints()[j]);
  return out.object;
}

FloatArray ControlRange(const PyModel& self) {
  RowMatrixX out(self.nu(), 2);
  for (int k = 0; k < self.nu(); ++k) {
    const ControlInput& input = self.inputs()[static_cast<std::size_t>(k)];
    out.row(k) << input.lower, input.upper;
  }
  return ToNumpy(out);
}

FloatArray JointRange(const PyModel& self) {
  RowMatrixX out(static_cast<Eigen::Index>(self.model().joints().size()), 2);
  for (Eigen::Index j = 0; j < out.rows(); ++j) {
    const JointDescription& joint = self.model().joints()[static_cast<std::size_t>(j)].description;
    out.row(j) << joint.lower, joint.upper;
  }
  return ToNumpy(out);
}

template <std::size_t Size>
IntArray Indices(const std::vector<std::array<int, Size>>& rows) {
  NewArray<int> out({rows.size(), Size});
  for (std::size_t k = 0; k < rows.size(); ++k) std::copy(rows[k].begin(), rows[k].end(), out.data + Size * k);
  return out.object;
}

// What never changes of a deformable: which nodes or segments are free, in the order of its velocities, tetrahedra and
// triangles of its surface. Rods have neither.
nb::tuple Topology(const PyModel& self, int number) {
  const DeformableSet& set = self.world().deformables();
  Require(number >= 0 && number < set.size(), "deformable", fmt::format("is {}", number),
          fmt::format("0 to {}", set.size() - 1));
  const Deformable& body = set.body(number);
  std::vector<int> free;
  for (int k = 0; k < body.num_items(); ++k) {
    if (body.first_dof(k) >= 0) free.push_back(k);
  }
  const auto* solid = dynamic_cast<const FemBody*>(&body);
  return nb::make_tuple(ListToNumpy<int>(free), Indices(solid ? solid->mesh().tets : std::vector<std::array<int, 4>>()),
                        Indices(body.surface().triangles));
}

std::string Describe(const PyModel& self) {
  return fmt::format("<tactus.Model '{}': nq {}, nv {}, nu {}, {} bodies, {} shapes, {} deformables, step {:.6g} s>",
                     self.scene().name, self.nq(), self.nv(), self.nu(), self.model().links().size(),
                     self.world().objects().size(), self.world().deformables().size(), self.settings().scheme.step);
}

void BindSizes(nb::class_<PyModel>* c) {
  c->def_prop_ro("nq", &PyModel::nq, "Entries of data.qpos.");
  c->def_prop_ro("nv", &PyModel::nv, "Entries of data.qvel: degrees of freedom of bodies and joints.");
  c->def_prop_ro("nu", &PyModel::nu, "Entries of data.ctrl; see actuator_names.");
  c->def_prop_ro(
      "nbody", [](const PyModel& self) { return self.model().links().size(); },
      "Bodies: links of robots and objects. The world is none of them: it has the number -1.");
  c->def_prop_ro(
      "njnt", [](const PyModel& self) { return self.model().joints().size(); }, "Joints.");
  c->def_prop_ro(
      "ngeom", [](const PyModel& self) { return self.world().objects().size(); }, "Shapes that collide.");
  c->def_prop_ro(
      "ndeformable", [](const PyModel& self) { return self.world().deformables().size(); }, "Things that deform.");
  c->def_prop_ro("nsensordata", &PyModel::num_sensor_values, "Entries of data.sensordata.");
  c->def_prop_ro("nstate", &PyModel::num_state, "Entries of data.get_state(): nq + nv, and those of deformables.");
}

void BindNames(nb::class_<PyModel>* c) {
  c->def_prop_ro("name", [](const PyModel& self) { return self.scene().name; });
  c->def_prop_ro("description", [](const PyModel& self) { return self.scene().description; });
  c->def_prop_ro(
      "body_names", &BodyNames,
      "Names by body number; after the links of the model come the deformables. Links of robots in scenes are "
      "'robot/link'.");
  c->def_prop_ro("joint_names", [](const PyModel& self) {
    return Names(self.model().joints(), [](const ModelJoint& j) { return j.description.name; });
  });
  c->def_prop_ro("geom_names", [](const PyModel& self) {
    return Names(self.world().objects(), [](const SimulatorObject& o) { return o.name; });
  });
  c->def_prop_ro(
      "actuator_names",
      [](const PyModel& self) { return Names(self.inputs(), [](const ControlInput& i) { return i.name; }); },
      "What each entry of data.ctrl drives: an actuator of the file, or a joint.");
  c->def_prop_ro(
      "actuator_kinds",
      [](const PyModel& self) {
        return Names(self.inputs(), [](const ControlInput& i) { return std::string(ToString(i.kind)); });
      },
      "What each entry of data.ctrl means: 'actuator' (of an MJCF file, in its units), 'position' [rad, m] or "
      "'velocity' "
      "(targets of drives), 'torque' [N m, N] or 'soft' (cables [N], cavities [Pa], motors [m/s] of deformables).");
  c->def_prop_ro(
      "actuator_ctrlrange", &ControlRange,
      "(nu, 2): beyond these the simulator clips, or for positions the joint's limits hold; infinite: none.");
  c->def_prop_ro("sensor_names", &SensorNames, "'sensor.column' for each entry of data.sensordata.");
  c->def_prop_ro("deformable_names", [](const PyModel& self) {
    std::vector<std::string> out;
    for (int k = 0; k < self.world().deformables().size(); ++k) out.push_back(self.world().deformables().setup(k).name);
    return out;
  });
  c->def_prop_ro(
      "notes", [](const PyModel& self) { return self.notes(); }, "What was done that the file does not say.");
  c->def_prop_ro(
      "warnings", [](const PyModel& self) { return self.scene().warnings; },
      "What the file says that is not taken as it stands.");
  c->def_prop_ro(
      "parameters",
      [](const PyModel& self) {
        nb::dict out;
        for (const auto& [name, parameter] : self.scene().parameters) out[name.c_str()] = parameter.value;
        return out;
      },
      "Parameters of the scene with their values; load(..., set={name: value}) changes them.");
}

void BindJoints(nb::class_<PyModel>* c) {
  c->def_prop_ro(
      "jnt_qposadr",
      [](const PyModel& self) {
        return PerJoint(self, [&](const ModelJoint& j) { return self.model().body(j.body).q; });
      },
      "Where each joint begins in qpos.");
  c->def_prop_ro(
      "jnt_dofadr",
      [](const PyModel& self) {
        return PerJoint(self, [&](const ModelJoint& j) { return self.model().body(j.body).v; });
      },
      "Where each joint begins in qvel.");
  c->def_prop_ro(
      "jnt_bodyid", [](const PyModel& self) { return PerJoint(self, [&](const ModelJoint& j) { return j.link; }); },
      "The body that each joint moves.");
  c->def_prop_ro("jnt_range", &JointRange, "(njnt, 2): limits of q; infinite: none.");
  c->def_prop_ro(
      "qpos0", [](const PyModel& self) { return ToNumpy(self.start().state.q); }, "qpos at the start.");
  c->def_prop_ro(
      "qvel0", [](const PyModel& self) { return ToNumpy(self.start().state.v); }, "qvel at the start.");
  c->def_prop_ro(
      "ctrl0", [](const PyModel& self) { return ToNumpy(self.initial_control()); }, "ctrl at the start.");
  c->def(
      "body",
      [](const PyModel& self, const std::string& name) {
        const int link = self.model().FindLink(name);
        if (link >= 0) return link;
        const DeformableSet& set = self.world().deformables();
        for (int k = 0; k < set.size(); ++k) {
          if (set.setup(k).name == name) return static_cast<int>(self.model().links().size()) + k;
        }
        throw InputError("body", "there is none called '" + name + "'", "a name of model.body_names");
      },
      nb::arg("name"), "The number of a body in model.body_names, as contacts have it; deformables have one, too.");
  c->def(
      "joint",
      [](const PyModel& self, const std::string& name) {
        const int joint = self.model().FindJoint(name);
        Require(joint >= 0, "joint", "there is none called '" + name + "'", "a name of model.joint_names");
        return joint;
      },
      nb::arg("name"), "The number of a joint.");
}

}  // namespace

void BindModel(nb::module_* m) {
  nb::class_<LoadSettings>(*m, "LoadSettings")
      .def(nb::init<>())
      .def_rw("overrides", &LoadSettings::overrides)
      .def_rw("roots", &LoadSettings::roots)
      .def_rw("seed", &LoadSettings::seed, nb::arg().none())
      .def_rw("trial", &LoadSettings::trial)
      .def_rw("floating_base", &LoadSettings::floating_base)
      .def_rw("missing_meshes", &LoadSettings::missing_meshes)
      .def_rw("controllers", &LoadSettings::controllers)
      .def_rw("time_step", &LoadSettings::time_step, nb::arg().none())
      .def_rw("tolerance", &LoadSettings::tolerance, nb::arg().none())
      .def_rw("time_budget", &LoadSettings::time_budget, nb::arg().none())
      .def_rw("max_iterations", &LoadSettings::max_iterations, nb::arg().none())
      .def_rw("linearizations", &LoadSettings::linearizations, nb::arg().none())
      .def_rw("threads", &LoadSettings::threads, nb::arg().none())
      .def_rw("solver", &LoadSettings::solver, nb::arg().none())
      .def_rw("on_failure", &LoadSettings::on_failure, nb::arg().none());

  nb::class_<PyModel> c(*m, "Model",
                        "A scene or robot, ready to be simulated. It never changes: share it among as many Data and "
                        "threads as you like. Made by tactus.load.");
  c.def_prop_rw(
      "_recipe", [](const PyModel& self) { return nb::bytes(self.recipe().data(), self.recipe().size()); },
      [](PyModel& self, const nb::bytes& recipe) {
        self.SetRecipe({recipe.c_str(), recipe.size()});
      });
  BindSizes(&c);
  BindNames(&c);
  BindJoints(&c);
  c.def_prop_ro(
      "timestep", [](const PyModel& self) { return self.settings().scheme.step; }, "h [s].");
  c.def_prop_ro(
      "duration", [](const PyModel& self) { return self.scene().duration; }, "Of the scene [s].");
  c.def_prop_ro(
      "gravity", [](const PyModel& self) { return ToNumpy(VectorX(self.model().gravity())); }, "[m/s^2]");
  c.def_prop_ro(
      "total_mass", [](const PyModel& self) { return self.model().total_mass(); }, "Of rigid bodies [kg].");
  c.def_prop_ro("solver", [](const PyModel& self) { return self.settings().solver; });
  c.def_prop_ro(
      "tolerance", [](const PyModel& self) { return self.settings().solve.tolerance; },
      "A step is Ok if its residual is at most this.");
  c.def_prop_ro("has_controllers", &PyModel::has_controllers,
                "Whether controllers of the scene write into ctrl; load(..., controllers=False) leaves them out.");
  c.def("_topology", &Topology, nb::arg("number"));
  c.def("__repr__", &Describe);

  m->def("load_model", [](const std::string& source, const LoadSettings& settings) {
    nb::gil_scoped_release release;
    return PyModel::Load(source, settings);
  });
  m->def("parse_model", [](const std::string& text, const LoadSettings& settings) {
    nb::gil_scoped_release release;
    return PyModel::Parse(text, settings);
  });
  m->def("robot_names", &FindRobots);
  m->def("scene_names",
         [] { return Names(cli::FindBuiltinScenes(), [](const cli::BuiltinScene& s) { return s.name; }); });
}

}  // namespace tactus::python
