"""Loading: names, sizes, what ctrl means, errors, pickling."""

import copy
import json
import os
import pickle
import subprocess

import numpy as np
import pytest

import tactus
from conftest import BALL, PENDULUM_URDF, SLIDER_MJCF


def test_version_is_that_of_the_program(program):
    out = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    assert tactus.__version__ in out


def test_built_in_scenes_and_robots_are_there():
    assert "panda_pick" in tactus.scenes() and "physics/arch" in tactus.scenes()
    assert "laikago" in tactus.robots()


def test_scenes_are_found_with_either_dash():
    assert tactus.load("laikago_drop", set={"robots": 1}).name == tactus.load("laikago-drop", set={"robots": 1}).name


def test_bare_urdf_has_joint_torques_within_effort_limits(tmp_path):
    file = tmp_path / "pendulum.urdf"
    file.write_text(PENDULUM_URDF)
    model = tactus.load(file)
    assert (model.nq, model.nv, model.nu) == (1, 1, 1)
    assert model.actuator_names == ["pendulum/hinge"] and model.actuator_kinds == ["torque"]
    np.testing.assert_array_equal(model.actuator_ctrlrange, [[-5, 5]])
    # Torques beyond the limit act as the limit does.
    at_limit, beyond = model.make_data(), model.make_data()
    at_limit.ctrl[0], beyond.ctrl[0] = 5, 500
    tactus.step(model, at_limit, 10)
    tactus.step(model, beyond, 10)
    assert at_limit.qvel[0] != 0
    np.testing.assert_array_equal(at_limit.qpos, beyond.qpos)
    # M qdd = tau at the bottom: one step from rest.
    data = model.make_data()
    data.ctrl[0] = 1
    tactus.step(model, data)
    inertia = 0.1 + 2 * 0.5**2
    np.testing.assert_allclose(data.qvel[0], model.timestep / inertia, rtol=1e-9)


def test_mjcf_has_its_actuators_and_passive_joints_stay_passive(tmp_path):
    file = tmp_path / "slider.xml"
    file.write_text(SLIDER_MJCF)
    model = tactus.load(file)
    assert model.nv == 2 and model.nu == 1
    assert model.actuator_kinds == ["actuator"] and model.actuator_names[0].endswith("push")
    np.testing.assert_array_equal(model.actuator_ctrlrange, [[-2, 2]])


def test_drives_are_position_targets():
    model = tactus.load("panda_pick")
    assert model.actuator_kinds == ["position"] * 8
    data = model.make_data()
    np.testing.assert_array_equal(data.ctrl, model.ctrl0)
    data.ctrl[0] = 0.3
    tactus.step(model, data, 240)
    assert abs(data.qpos[0] - 0.3) < 0.01


def test_floating_base_and_settings():
    fixed, floating = tactus.load("go2"), tactus.load("go2", base="floating", time_step=1 / 500, solver="pgs", tolerance=1e-6)
    assert floating.nv == fixed.nv + 6
    assert floating.timestep == 1 / 500 and floating.solver == "pgs" and floating.tolerance == 1e-6


def test_names_lead_to_numbers():
    model = tactus.load("panda_pick")
    assert model.body_names[model.body("can")] == "can"
    joint = model.joint("panda/panda_joint2")
    assert model.qpos0[model.jnt_qposadr[joint]] == pytest.approx(-np.pi / 4)
    assert model.body_names[model.jnt_bodyid[joint]] == "panda/panda_link2"
    assert model.jnt_range.shape == (model.njnt, 2)
    assert len(model.geom_names) == model.ngeom and len(model.body_names) == model.nbody + model.ndeformable


def test_text_parameters_and_overrides():
    heavy = tactus.loads(BALL, set={"objects.ball.mass": 3})
    assert tactus.loads(BALL).total_mass == pytest.approx(1) and heavy.total_mass == pytest.approx(3)
    assert tactus.load("laikago-drop", set={"robots": 2}).parameters["robots"] == 2


def test_controllers_can_be_left_out():
    scene, mine = tactus.load("go2-stand"), tactus.load("go2-stand", controllers=False)
    assert scene.has_controllers and not mine.has_controllers
    assert mine.nu == scene.nu > 0
    a, b = scene.make_data(), mine.make_data()
    tactus.step(scene, a, 5)
    tactus.step(mine, b, 5)
    # What the scene's controller did is in ctrl, and played back does the same.
    assert np.any(a.ctrl != 0) and not np.array_equal(a.qpos, b.qpos)
    c, d = scene.make_data(), mine.make_data()
    for _ in range(5):
        tactus.step(scene, c)
        d.ctrl[:] = c.ctrl
        tactus.step(mine, d)
    np.testing.assert_array_equal(c.qpos, d.qpos)


@pytest.mark.parametrize("source", ["nosuch", "", "a\0b", "/", "/dev/null", "/etc/hostname", "no/such/file.urdf"])
def test_bad_sources_are_input_errors(source):
    with pytest.raises(tactus.InputError):
        tactus.load(source)


def test_unknown_names_suggest_scenes_and_robots():
    with pytest.raises(tactus.InputError, match="did you mean 'laikago'.*dish-piling.*; g1_upper_body, go2, "):
        tactus.load("laikago0")


def test_errors_say_file_and_line(tmp_path):
    file = tmp_path / "bad.yaml"
    file.write_text("objects:\n  - {name: cube, shape: {type: box, size: [1, 1, 1]}, mass: heavy}\n")
    with pytest.raises(ValueError, match=r"bad.yaml:2.*mass.*heavy.*expected"):
        tactus.load(file)


@pytest.mark.parametrize("options", [
    {"base": "flying"}, {"time_step": 0.0}, {"time_step": float("nan")}, {"solver": "nosuch"}, {"trial": -1},
    {"trial": 7}, {"tolerance": -1.0}, {"threads": 0}, {"on_failure": "cry"}, {"missing_meshes": "ignore"},
    {"set": {"nosuch": 1}}, {"linearizations": -3}, {"roots": ["/no/such/folder"]},
])
def test_bad_options_are_input_errors(options):
    with pytest.raises(tactus.InputError):
        tactus.load("cube_on_table", **options)


@pytest.mark.parametrize("options", [{"seed": -1}, {"seed": 2**70}, {"trial": 1.5}, {"threads": "two"}, {"nosuch": 1}])
def test_options_of_wrong_types_are_type_errors(options):
    with pytest.raises(TypeError, match=next(iter(options))):
        tactus.load("cube_on_table", **options)


def test_model_and_data_go_through_pickle(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ball.yaml").write_text(BALL)
    for model in (tactus.load("ball.yaml", time_step=1 / 100), tactus.loads(BALL), tactus.load("panda_pick")):
        data = model.make_data()
        data.qfrc_applied[-1] = 0.1
        tactus.step(model, data, 7)
        os.chdir("/")
        other = pickle.loads(pickle.dumps(data))
        os.chdir(tmp_path)
        assert other.state_hash == data.state_hash and other.model.timestep == model.timestep
        tactus.step(model, data, 7)
        tactus.step(other.model, other, 7)
        assert other.state_hash == data.state_hash


def test_copies_of_data_go_on_alike():
    model = tactus.load("panda_pick")
    data = model.make_data()
    tactus.step(model, data, 5)
    for other in (copy.copy(data), copy.deepcopy(data)):
        assert other.model is model and other.qpos is not data.qpos
        tactus.step(model, other, 5)
        assert other.steps == 10 and data.steps == 5


def test_reports_go_through_pickle():
    model = tactus.load("cube_on_table")
    report = tactus.step(model, model.make_data(), 3)
    other = pickle.loads(pickle.dumps(report))
    assert repr(other) == repr(report) and str(other.solve.residuals) == str(report.solve.residuals)
    assert other.timings == report.timings and other.status is report.status and other.solve.solver == report.solve.solver
    assert copy.deepcopy(report.solve).cpu_time == report.solve.cpu_time
    with pytest.raises(tactus.InputError, match="fields"):
        type(report).__new__(type(report)).__setstate__((1, 2))


def test_data_of_another_model_is_refused():
    one, other = tactus.loads(BALL), tactus.loads(BALL)
    with pytest.raises(tactus.InputError, match="another model"):
        tactus.step(one, other.make_data())


def test_run_is_that_of_the_program(program):
    for scene, steps in [("cube_on_table", 240), ("panda_pick", 60), ("go2-stand", 20), ("soft-mat-drop", 12),
                         ("sliding-cube", 20), ("laikago-drop", 10)]:
        out = subprocess.run([program, "run", scene, "--steps", str(steps), "--json"], capture_output=True, text=True)
        expected = json.loads(out.stdout)["state_hash"]
        model = tactus.load(scene)
        data = model.make_data()
        tactus.step(model, data, steps)
        assert data.state_hash == expected, scene


def test_options_of_wrong_kinds_say_so(tmp_path):
    (tmp_path / "file").write_text("")
    for call, message in [(lambda: tactus.load("cube_on_table", set=5), "set: is 5 .expected: a dictionary"),
                          (lambda: tactus.generate("dishes", 0, [1]), "parameters: is .1. .expected: a dictionary"),
                          (lambda: tactus.generate("dishes", 0, {"radius": "x"}), "radius: is 'x'"),
                          (lambda: tactus.map(abs, [1], folder=tmp_path / "file"), "folder: cannot be made")]:
        with pytest.raises(tactus.InputError, match=message):
            call()


def test_data_whose_model_nobody_holds_go_through_pickle():
    def make():
        data = tactus.load("panda_pick").make_data()
        tactus.step(data.model, data, 3)
        return data

    data = make()
    for _ in range(2):
        other = pickle.loads(pickle.dumps(data))
        assert other.state_hash == data.state_hash
        data = other


def test_numbers_of_numpy_within_maps_and_lists_are_set():
    friction = tactus.load("go2_drop", set={"objects.ground.material": {"friction": np.linspace(0.25, 1, 3)[0]},
                                            "gravity": (0, 0, np.float64(-1.5))})
    data = friction.make_data()
    tactus.step(friction, data, 200)
    plain = tactus.load("go2_drop", set={"objects.ground.material": {"friction": 0.25}, "gravity": [0, 0, -1.5]})
    other = plain.make_data()
    tactus.step(plain, other, 200)
    assert data.state_hash == other.state_hash


def test_folders_do_not_hide_what_comes_with_tactus(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("panda_pick", "panda_hand", "other"):
        (tmp_path / name).mkdir()
    assert tactus.load("panda_pick").nv > 0 and tactus.load("panda_hand").nv > 0
    with pytest.raises(tactus.InputError, match="other"):
        tactus.load("other")


def test_models_take_no_attributes_of_others():
    with pytest.raises(AttributeError):
        tactus.load("panda_hand").time_step = 1e-4


def test_one_folder_of_roots_is_enough(tmp_path):
    for roots in (tmp_path, str(tmp_path), [tmp_path]):
        assert tactus.load("panda_hand", roots=roots).nv > 0
