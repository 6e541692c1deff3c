"""Views without copies, steps, contacts, states."""

import gc
import threading
import time
import weakref

import numpy as np
import pytest

import tactus
from conftest import BALL


SOFT = ["soft-finger", "soft-tower"]  # a cable and a motor; cavities


@pytest.fixture
def ball():
    model = tactus.loads(BALL)
    return model, model.make_data()


def test_views_alias_the_memory_of_the_simulation(ball):
    model, data = ball
    qpos, qvel = data.qpos, data.qvel
    assert qpos is data.qpos and qpos.flags.writeable and not qpos.flags.owndata and qpos.dtype == np.float64
    address = qpos.__array_interface__["data"][0]
    tactus.step(model, data)
    assert qpos.__array_interface__["data"][0] == address == data.qpos.__array_interface__["data"][0]
    assert qvel[2] == pytest.approx(-9.81 * model.timestep)  # what the step left is in the old view
    part = qpos[2:3]
    part[0] = 7.0  # and what a view of the view says is where the next step begins
    tactus.step(model, data)
    assert data.xpos[model.body("ball"), 2] == qpos[2] and 6.9 < qpos[2] < 7.0


def test_writing_to_the_attribute_writes_into_the_view(ball):
    _, data = ball
    view = data.qpos
    data.qpos = [1, 2, 3, 1, 0, 0, 0]
    data.qpos += 0
    assert view is data.qpos
    np.testing.assert_array_equal(view, [1, 2, 3, 1, 0, 0, 0])
    with pytest.raises(ValueError):
        data.qpos = [1, 2, 3]
    with pytest.raises((TypeError, ValueError)):
        data.qpos = "nonsense"


def test_views_outlive_data_and_model():
    model = tactus.load("soft-mat-drop")
    data = model.make_data()
    views = [data.qpos, data.ctrl, data.applied_wrench, data.deformables[0].positions]
    gone = weakref.ref(views[3])
    copies = [np.array(v) for v in views]
    del data, model
    gc.collect()
    for view, copy in zip(views, copies):
        np.testing.assert_array_equal(view, copy)
        view[...] = 1
    assert gone() is not None


def test_quaternions_are_normalized_and_their_bits_kept_otherwise(ball):
    model, data = ball
    data.qpos[3:] = [2, 0, 0, 0]
    tactus.step(model, data)
    np.testing.assert_allclose(data.qpos[3:], [1, 0, 0, 0], atol=1e-15)


@pytest.mark.parametrize("name, index, value, message", [
    ("qpos", 0, np.nan, r"qpos\[0\].*nan"), ("qvel", 3, np.inf, r"qvel\[3\].*inf"),
    ("qfrc_applied", 1, -np.inf, r"qfrc_applied\[1\]"), ("applied_wrench", (1, 2), np.nan, r"applied_wrench\[1\]"),
    ("qpos", slice(3, 7), 0.0, "quaternion"), ("applied_wrench", (0, 0), 1.0, "cannot move"),
])
def test_numbers_that_make_no_sense_are_refused_and_nothing_moves(ball, name, index, value, message):
    model, data = ball
    tactus.step(model, data)
    before = data.save()
    copy = np.array(getattr(data, name))
    getattr(data, name)[index] = value
    with pytest.raises(tactus.InputError, match=message):
        tactus.step(model, data)
    getattr(data, name)[...] = copy
    assert data.save() == before
    assert tactus.step(model, data).ok


def test_control_that_is_not_finite_is_refused():
    model = tactus.load("panda_pick")
    data = model.make_data()
    data.ctrl[3] = np.nan
    with pytest.raises(tactus.InputError, match=r"ctrl\[3\]"):
        tactus.step(model, data)


def test_report_says_how_the_step_went():
    model = tactus.load("panda_pick")
    data = model.make_data()
    report = tactus.step(model, data, 3)
    assert report.status == tactus.StepStatus.Ok and report.ok and report.moved
    assert 0 <= report.residual <= model.tolerance
    assert report.time == pytest.approx(3 * model.timestep) == data.time
    assert set(report.timings) == {"control", "kinematics", "collision", "assembly", "solve", "integration", "total"}
    assert report.timings["total"] > 0 and report.iterations >= 0 and report.contacts == len(data.contacts)
    assert data.steps == 3 and "ok" in repr(report)


def test_contacts_carry_the_weight(ball):
    model, data = ball
    tactus.step(model, data, 400)
    contacts = data.contacts
    assert len(contacts) == 1
    contact = contacts[0]
    names = [model.body_names[b] for b in contact["bodies"]]
    sign = 1 if names[0] == "ball" else -1
    np.testing.assert_allclose(sign * contact["force"], [0, 0, 9.81], atol=1e-6)
    # The same in the frame of the contact: rows t1, t2, n.
    np.testing.assert_allclose(contact["frame"] @ contact["frame"].T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(contact["frame"].T @ contact["impulse"] / model.timestep, contact["force"], atol=1e-9)
    np.testing.assert_allclose(contact["position"], [data.qpos[0], data.qpos[1], 0], atol=1e-6)
    assert abs(contact["gap"]) < 1e-6 and contact["mode"] == tactus.ContactMode.Stick and contact["active"]
    assert len(data.get_contacts(candidates=True)) >= len(contacts)


def test_applied_forces_and_wrenches_act(ball):
    model, data = ball
    force = np.array([1.0, 2.0, 9.81])
    data.qfrc_applied[:3] = force
    tactus.step(model, data)
    np.testing.assert_allclose(data.qvel[:3], model.timestep * np.array([1, 2, 0]), atol=1e-12)
    other = model.make_data()
    other.applied_wrench[model.body("ball"), :3] = force
    tactus.step(model, other)
    np.testing.assert_allclose(other.qvel[:3], data.qvel[:3], atol=1e-12)
    other.applied_wrench[:] = 0
    tactus.step(model, other)
    assert other.qvel[2] == pytest.approx(-9.81 * model.timestep)


def test_reset_save_and_restore_are_exact():
    model = tactus.load("laikago-drop", set={"robots": 1})
    data = model.make_data()
    tactus.step(model, data, 40)
    saved = data.save()
    tactus.step(model, data, 20)
    end = data.state_hash
    data.restore(saved)
    tactus.step(model, data, 20)
    assert data.state_hash == end
    tactus.reset(model, data)
    np.testing.assert_array_equal(data.qpos, model.qpos0)
    assert data.time == 0 and data.steps == 0
    tactus.step(model, data, 60)
    assert data.state_hash == end
    with pytest.raises(tactus.InputError, match="snapshot"):
        data.restore(saved[:-1])
    with pytest.raises(tactus.InputError, match="another scene"):
        tactus.loads(BALL).make_data().restore(saved)


def test_states_go_out_and_in():
    model = tactus.load("soft-mat-drop")
    data = model.make_data()
    tactus.step(model, data, 30)
    state = data.get_state()
    assert len(state) == model.nstate
    other = model.make_data()
    other.set_state(state)
    np.testing.assert_array_equal(other.deformables[0].positions, data.deformables[0].positions)
    for bad in (state[:-1], np.zeros(3), np.full(model.nstate, np.nan), "x", None, state[None]):
        with pytest.raises(tactus.InputError):
            other.set_state(bad)


def test_time_can_be_set(ball):
    model, data = ball
    data.time = 5.0
    tactus.step(model, data)
    assert data.time == pytest.approx(5 + model.timestep)
    with pytest.raises(tactus.InputError):
        data.time = np.nan


def test_deformables_are_views():
    model = tactus.load("soft-mat-drop")
    data = model.make_data()
    mat = data.deformables[0]
    assert mat.name == "mat" and mat.positions.shape[1] == 3
    start = mat.positions[:, 2].mean()
    tactus.step(model, data, 5)
    assert mat.positions[:, 2].mean() < start
    mat.positions[:, 2] += 1
    moved = mat.positions[:, 2].mean()
    tactus.step(model, data)
    assert mat.positions[:, 2].mean() == pytest.approx(moved, abs=0.05)


def test_solids_have_tetrahedra_a_surface_and_stress():
    model = tactus.load("soft-mat-drop")
    data = model.make_data()
    mat = data.deformables[0]
    nodes = len(mat.positions)
    assert mat.tetrahedra.shape[1] == 4 and mat.triangles.shape[1] == 3
    assert set(mat.tetrahedra.ravel()) == set(range(nodes)) >= set(mat.triangles.ravel())
    corners = mat.positions[mat.tetrahedra]
    edges = corners[:, 1:] - corners[:, :1]
    volume = np.linalg.det(edges).sum() / 6
    a, b, c = np.moveaxis(mat.positions[mat.triangles], 1, 0)
    assert volume == pytest.approx(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)  # the surface encloses them
    # Velocities are those of free nodes.
    assert len(mat.velocities) == 3 * len(mat.free)
    tactus.step(model, data, 3)
    before = mat.positions.copy()
    tactus.step(model, data)
    h = model.timestep
    moved = (mat.positions - before)[mat.free] / h
    np.testing.assert_allclose(moved, mat.velocities.reshape(len(mat.free), 3), atol=20 * h)
    assert mat.stress.shape == (len(mat.tetrahedra),)
    mat.positions[:, 2] *= 1.1
    assert mat.stress.min() > 100


def test_deformables_are_bodies_by_name():
    model = tactus.load("soft-mat-drop")
    assert [model.body(name) for name in model.body_names] == list(range(len(model.body_names)))
    assert model.body("mat") == model.nbody
    with pytest.raises(tactus.InputError, match="none called 'carpet'"):
        model.body("carpet")
    data = model.make_data()
    for _ in range(200):
        tactus.step(model, data)
        if model.body("mat") in data.contacts["bodies"]:
            break
    else:
        raise AssertionError("nothing touched the mat")


def test_rods():
    model = tactus.load("cable-winding")
    data = model.make_data()
    cable = data.deformables[0]
    segments = len(cable.positions)
    assert cable.positions.shape == (segments, 7) and "segments" in repr(cable)
    np.testing.assert_allclose(np.linalg.norm(cable.positions[:, 3:], axis=1), 1, rtol=1e-12)
    assert len(cable.velocities) == 6 * len(cable.free) and set(cable.free) <= set(range(segments))
    assert cable.tetrahedra.shape == (0, 4) and cable.triangles.shape == (0, 3)
    assert tactus.step(model, data, 3).moved
    assert cable.stress.shape == (segments - 1,) and (cable.stress >= 0).all()
    # What is written is where the next step begins.
    cable.velocities.reshape(-1, 6)[:, 2] = 0.5
    height = cable.positions[cable.free, 2].mean()
    tactus.step(model, data)
    assert cable.positions[cable.free, 2].mean() > height
    cable.positions[0, 3:] = np.nan
    with pytest.raises(tactus.InputError, match="positions of a deformable"):
        tactus.step(model, data)


@pytest.mark.parametrize("scene", SOFT)
def test_soft_inputs_move_what_is_soft(scene):
    model = tactus.load(scene, controllers=False)
    soft = [k for k, kind in enumerate(model.actuator_kinds) if kind == "soft"]
    assert soft
    ends = []
    for drive in (False, True):
        data = model.make_data()
        if drive:
            low, high = np.nan_to_num(model.actuator_ctrlrange[soft], posinf=1.0, neginf=-1.0).T
            data.ctrl[soft] = low + 0.3 * (high - low)
        assert tactus.step(model, data, 20).moved
        ends.append(data.deformables[0].positions.copy())
    assert np.abs(ends[1] - ends[0]).max() > 1e-5
    data.ctrl[soft[0]] = np.inf
    with pytest.raises(tactus.InputError, match=rf"ctrl\[{soft[0]}\]"):
        tactus.step(model, data)


def test_sensors():
    model = tactus.load("physics/pinch") if "physics/pinch" in tactus.scenes() else tactus.load("cable-winding")
    data = model.make_data()
    tactus.step(model, data, 2)
    assert data.sensordata.shape == (model.nsensordata,) and len(model.sensor_names) == model.nsensordata


def ticks_during(work):
    """How often another thread came to run during a call, which would be never if the lock were held, and seconds."""
    ticks, stop, started = [], threading.Event(), threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            started.set()
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    started.wait()
    begin = time.perf_counter()
    work()
    end = time.perf_counter()
    stop.set()
    thread.join()
    return sum(begin < t < end for t in ticks), end - begin


def test_other_threads_run_while_we_compute():
    pile = tactus.load("spheres_1000")
    many = tactus.load("spheres_5000")
    data = pile.make_data()
    problem = tactus.generate("pile", 0)
    dense = np.eye(4200)
    calls = {
        "step": lambda: tactus.step(pile, data, 60),
        "rollout": lambda: tactus.rollout(pile, nstep=40, threads=1),
        "solve": lambda: problem.solve("pgs", tolerance=1e-14, max_iterations=8000),
        "load": lambda: tactus.load("spheres_5000"),
        "make_data": lambda: [many.make_data() for _ in range(2)],
        "make_problem": lambda: tactus.make_problem(dense, np.ones(4200), dense, np.ones(4200), 0.5),
    }
    for name, call in calls.items():
        ticks, seconds = ticks_during(call)
        assert seconds > 0.01 and ticks >= 4, (name, ticks, seconds)


def test_one_data_is_for_one_thread_at_a_time():
    model = tactus.load("spheres_1000")
    data = model.make_data()
    done, errors = [], []

    def step(count):
        try:
            tactus.step(model, data, count)
            done.append(count)
        except RuntimeError as error:
            errors.append(error)

    # Long enough for the other thread to get a processor meanwhile, however busy the machine is.
    worker = threading.Thread(target=step, args=(100,))
    worker.start()
    while worker.is_alive() and not errors:
        step(1)
    worker.join()
    assert errors and all("another thread" in str(error) for error in errors)
    assert data.steps == sum(done)


def test_step_batch_is_what_steps_are():
    model = tactus.load("laikago-drop", set={"robots": 1})
    alone, batch = [], [model.make_data() for _ in range(3)]
    for k in range(3):
        data = model.make_data()
        data.qvel[0] = k
        batch[k].qvel[0] = k
        tactus.step(model, data, 10)
        alone.append(data.state_hash)
    reports = tactus.step_batch(batch, nstep=10, threads=2)
    assert [d.state_hash for d in batch] == alone and all(r.ok for r in reports)
    with pytest.raises(tactus.InputError, match=r"data\[1\]: is data\[0\] \(expected: each Data once\)"):
        tactus.step_batch([batch[0], batch[0]])


def test_step_batch_names_what_is_wrong():
    model = tactus.loads(BALL)
    batch = [model.make_data() for _ in range(3)]
    batch[2].qvel[1] = np.nan
    with pytest.raises(tactus.InputError, match=r"data\[2\]: qvel\[1\]"):
        tactus.step_batch(batch)
    assert [data.steps for data in batch] == [0, 0, 0]
    batch[2].qvel[1] = 0
    batch[1].qvel[:] = 1e300  # overflows on its way
    reports = tactus.step_batch(batch, 5, threads=2)
    assert [report.moved for report in reports] == [True, False, True]
    with pytest.raises((TypeError, tactus.InputError)):
        tactus.step_batch([batch[0], None])


def test_kinematics_follow_what_is_written(ball):
    model, data = ball
    data.qpos[:3] = [1, 2, 3]
    data.qvel[:3] = [4, 5, 6]
    k = model.body("ball")
    np.testing.assert_array_equal(data.xpos[k], [1, 2, 3])
    np.testing.assert_array_equal(data.xvel[k, :3], [4, 5, 6])
    np.testing.assert_allclose(data.xquat[k], [1, 0, 0, 0])


def test_before_the_first_step_there_is_no_report():
    model = tactus.load("cube_on_table")
    data = model.make_data()
    assert data.report.message == "there was no step yet" and not data.report.ok
    assert tactus.step(model, data).message == ""
    data.reset()
    assert data.report.message == "there was no step yet"
