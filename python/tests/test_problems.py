"""Matrices in, impulses out; files; inverse dynamics; recordings."""

import json
import pickle
import subprocess
import threading
import time

import numpy as np
import pytest

import tactus
from conftest import BALL

sparse = pytest.importorskip("scipy.sparse")

MASS, H, MU = 2.0, 1 / 240, 0.5
G = np.array([0, 0, -9.81])


def point(velocity, gap=0.0):
    """A point mass on the ground: A, b, J, e, mu."""
    A = MASS * np.eye(3)
    return A, A @ velocity + H * MASS * G, np.eye(3), np.array([0, 0, gap / H]), MU


def test_a_sliding_point_obeys_coulomb():
    solution = tactus.solve(*point(np.array([1.0, 0, -1.0])))
    normal = MASS * (1 + 9.81 * H)
    np.testing.assert_allclose(solution.contact_impulse, [[-MU * normal, 0, normal]], rtol=1e-10)
    np.testing.assert_allclose(solution.velocity, [1 - MU * normal / MASS, 0, 0], atol=1e-10)
    assert solution.solved and solution.modes[0] == tactus.ContactMode.Slip
    assert solution.residual <= 1e-8 and solution.report.solver == "hybrid"


def test_a_resting_point_sticks_and_a_far_one_is_open():
    assert tactus.solve(*point(np.array([1e-3, 0, 0.0]))).modes[0] == tactus.ContactMode.Stick
    far = tactus.solve(*point(np.zeros(3), gap=1.0))
    assert far.modes[0] == tactus.ContactMode.Open and not far.impulse.any()


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix, sparse.lil_matrix])
def test_sparse_and_dense_agree(kind):
    problem = tactus.generate("dishes", 1)
    A, J = problem.A, problem.J
    dense = tactus.solve(A.toarray(), problem.b, J.toarray(), problem.e, problem.mu)
    other = tactus.solve(kind(A), problem.b, kind(J), problem.e, problem.mu[:, 0])
    assert dense.solved and other.solved
    np.testing.assert_allclose(dense.velocity, other.velocity, atol=1e-6)


def test_arrays_of_any_layout():
    A, b, J, e, mu = point(np.array([1.0, 0, -1.0]))
    expected = tactus.solve(A, b, J, e, mu).impulse
    wide = np.zeros((6, 6), dtype=np.float32)
    wide[::2, ::2] = A
    for variant in (np.asfortranarray(A), wide[::2, ::2], A.tolist(), A.astype(int)):
        np.testing.assert_allclose(tactus.solve(variant, b, J, e, mu).impulse, expected, rtol=1e-12)


def test_delassus_is_the_same_problem():
    A, b, J, e, mu = point(np.array([1.0, 0.5, -1.0]))
    W, q = J @ np.linalg.solve(A, J.T), J @ np.linalg.solve(A, b) + e
    np.testing.assert_allclose(tactus.solve_delassus(W, q, mu).impulse, tactus.solve(A, b, J, e, mu).impulse, rtol=1e-9)
    assert tactus.solve_delassus(sparse.csr_array(W), q, mu).velocity.size == 0
    assert tactus.solve_delassus(W, q, mu, "pgs").solved


def test_every_solver_of_the_table_is_known():
    table = tactus.solvers()
    assert next(iter(table)) == "hybrid" and "pgs" in table and all(table.values())
    problem = tactus.generate("dishes", 1)
    for name in ("hybrid", "pgs", "subadmm"):
        assert problem.solve(name, tolerance=1e-6).solved, name


def test_scalar_rows():
    # A mass that is driven to 1 m/s by a motor too weak for it, and one that is held.
    A, laws = np.eye(2), [tactus.RowLaw.bounded_soft(1e6, -1e6, -0.25, 0.25), tactus.RowLaw.equality()]
    solution = tactus.solve(A, [0, 3.0], np.eye(2), [0, 0], 0.0, rows=laws)
    np.testing.assert_allclose(solution.velocity, [0.25, 0], atol=1e-9)
    assert laws[0].kind == "bounded_soft" and laws[1].lo == -np.inf
    with pytest.raises(tactus.InputError, match="RowLaw"):
        tactus.solve(A, [0, 3.0], np.eye(2), [0, 0], 0.0, rows=["equality", "equality"])


def test_warm_starts_history_and_budgets():
    problem = tactus.generate("dishes", 3)
    cold = problem.solve(history=True)
    assert cold.report.history.shape[1] == 5 and cold.report.history[-1, 3] <= 1e-8
    warm = problem.solve(warm_start=cold)
    assert warm.solved and warm.report.newton_steps <= cold.report.newton_steps
    assert not problem.solve("pgs", max_iterations=1).solved
    with pytest.raises(tactus.InputError, match="warm"):
        problem.solve(warm_start=np.zeros(3))


def test_solutions_go_through_pickle():
    problem = tactus.generate("dishes", 3)
    solution = problem.solve(history=True)
    other = pickle.loads(pickle.dumps(solution))
    for name in ("impulse", "contact_impulse", "velocity", "sigma", "modes"):
        np.testing.assert_array_equal(getattr(other, name), getattr(solution, name))
    np.testing.assert_array_equal(other.report.history, solution.report.history)
    assert other.residual == solution.residual and problem.solve(warm_start=other).solved
    function, arguments, state = solution.__reduce_ex__(4)[:3]
    with pytest.raises(tactus.InputError, match="contacts and"):
        function(*arguments).__setstate__((*state[:-1], 10**6))
    with pytest.raises(tactus.InputError, match="100 contacts and 1 modes"):
        function(*arguments).__setstate__((*state[:3], b"\x01", *state[4:]))
    with pytest.raises(tactus.InputError, match="field 0 is of another kind"):
        function(*arguments).__setstate__((None, *state[1:]))


def test_delassus_matrices_are_symmetric():
    for kind in (np.asarray, sparse.csr_array):
        with pytest.raises(tactus.InputError, match="W: differs from its mirror image"):
            tactus.solve_delassus(kind(np.eye(3) + np.triu(np.ones((3, 3)), 1)), [0.5, 0, -1], 0.5)


def test_the_judge_takes_answers_of_any_origin():
    A, b, J, e, mu = point(np.array([1.0, 0, -1.0]))
    solution = tactus.solve(A, b, J, e, mu)
    assert float(tactus.ncp_residual((A, b, J, e, mu), solution.impulse)) <= 1e-8
    assert float(tactus.ncp_residual((A, b, J, e, mu), solution.impulse, solution.velocity)) <= 1e-8
    wrong = tactus.ncp_residual((A, b, J, e, mu), np.zeros(3))
    assert wrong.penetration == pytest.approx(1 + 9.81 * H) and wrong.worst > 0.1
    # Velocities that do not follow from the impulses are found out.
    assert tactus.ncp_residual((A, b, J, e, mu), solution.impulse, solution.velocity + 1).dynamics > 0.1
    assert float(tactus.ncp_residual((A, b, J, e, mu), np.full(3, np.nan))) == np.inf


def test_problem_files_come_back_bit_for_bit(tmp_path, program):
    problem = tactus.generate("dishes", 1)
    file = tmp_path / "dishes.h5"
    problem.write(file.as_posix())
    again = tactus.read_problem(file)
    for name in ("A", "J"):
        assert (getattr(problem, name) != getattr(again, name)).nnz == 0
    np.testing.assert_array_equal(problem.e, again.e)
    np.testing.assert_array_equal(problem.solve().impulse, again.solve().impulse)
    subprocess.run([program, "generate", "dishes", "--seed", "1", "--out", str(tmp_path / "cli.h5")], check=True,
                   capture_output=True)
    np.testing.assert_array_equal(tactus.read_problem(tmp_path / "cli.h5").b, problem.b)
    out = subprocess.run([program, "solve", str(file), "--json"], capture_output=True, text=True, check=True).stdout
    assert json.loads(out)[0]["natural_rho"] == problem.solve().residual
    (tmp_path / "broken.h5").write_bytes(file.read_bytes()[:5000])
    with pytest.raises(tactus.InputError):
        tactus.read_problem(tmp_path / "broken.h5")
    with pytest.raises(tactus.InputError):
        problem.write(str(tmp_path / "no" / "such" / "folder.h5"))
    with pytest.raises(tactus.InputError, match="format"):
        problem.write(str(tmp_path / "x.h5"), format="csv")


def test_the_problem_of_a_step_is_the_one_it_solved():
    model = tactus.load("panda_pick")
    data = model.make_data()
    for options, message in (({"rate": -1}, "rate: is -1"), ({"rate": np.nan}, "rate: is nan"), ({"title": 3}, "title: is 3")):
        with pytest.raises(tactus.InputError, match=message):
            tactus.Recorder(data, replay=True, **options)
    with pytest.raises(tactus.InputError, match="no step"):
        data.problem
    report = tactus.step(model, data, 3)
    problem = data.problem
    assert problem.num_contacts == report.contacts and problem.num_rows == report.rows
    solution = problem.solve()
    assert solution.solved
    tactus.step(model, data, 3)
    np.testing.assert_array_equal(problem.solve().impulse, solution.impulse)  # later steps do not change it
    # Its matrices alone are the same problem.
    alone = tactus.solve(problem.A, problem.b, problem.J, problem.e, problem.mu, rows=problem.rows)
    np.testing.assert_allclose(alone.velocity, solution.velocity, atol=1e-6)


@pytest.mark.parametrize("change", [
    {"A": -MASS * np.eye(3)}, {"A": np.eye(2)}, {"A": np.zeros((3, 3))}, {"b": [1, 2]}, {"J": np.eye(4)},
    {"e": [0, 0]}, {"e": [0, 0, np.nan]}, {"mu": -1}, {"mu": [0.5, 0.5]}, {"mu": np.nan}, {"A": "x"}, {"b": None},
    {"J": np.eye(3) * 1j}, {"A": np.full((3, 3), np.inf)}, {"mu": np.zeros((1, 3))}, {"solver": "nosuch"}, {"solver": 3},
    {"tolerance": 0}, {"tolerance": "x"}, {"max_iterations": -1}, {"threads": 0}, {"A": [[1, 2], [3]]},
])
def test_bad_matrices_are_input_errors(change):
    arguments = dict(zip("A b J e mu".split(), point(np.zeros(3))), **change)
    with pytest.raises(tactus.InputError):
        tactus.solve(**arguments)


def push(target, mu=0.3):
    """A block of 2 kg on the ground, pushed along x by an actuator: which impulse makes it move at the target speed?"""
    m, g = 2.0, 9.81 * H
    D = np.eye(3) / m
    C = np.array([[1 / m], [0], [0]])
    # Velocity along x: (x_a + x_c[0]) / m.
    return dict(A=np.array([[1 / m]]), B=np.array([[1 / m, 0, 0]]), b=[-target], C=C, D=D, g=[0, 0, -g], mu=mu)


def test_inverse_dynamics_overcomes_friction():
    problem = tactus.make_inverse_problem(**push(0.5))
    solution = tactus.invert(problem)
    assert solution.solved and solution.feasible and solution.loss < 1e-12
    np.testing.assert_allclose(solution.actuation, [2 * 0.5 + 0.3 * 2 * 9.81 * H], rtol=1e-5)
    assert solution.modes[0] == tactus.ContactMode.Slip
    sparse = pytest.importorskip("scipy.sparse")
    matrices = {k: sparse.csr_matrix(v) if k in "ABCD" else v for k, v in push(0.5).items()}
    np.testing.assert_array_equal(tactus.invert(**{"problem" if k == "A" else k: v for k, v in matrices.items()}).actuation,
                                  solution.actuation)
    with pytest.raises(tactus.InputError, match="forward_solver: is 'magic' .expected: one of hybrid"):
        tactus.invert(problem, forward_solver="magic")
    by_name = tactus.invert(**{"problem" if k == "A" else k: v for k, v in push(0.5).items()})
    np.testing.assert_allclose(by_name.actuation, solution.actuation)


def test_inverse_bounds_warm_starts_and_files(tmp_path):
    problem = tactus.make_inverse_problem(**push(0.5), lower=-0.2, upper=0.2)
    solution = tactus.invert(problem)
    assert abs(solution.actuation[0]) <= 0.2 + 1e-12
    assert tactus.invert(problem, warm_start=solution, real_time=True).feasible
    problem.write(str(tmp_path / "push.h5"))
    again = tactus.read_inverse_problem(tmp_path / "push.h5")
    np.testing.assert_array_equal(again.D, problem.D)
    assert again.kind == "ncp"
    for change in ({"kind": "odd"}, {"A": np.eye(3)}, {"mu": -1.0}, {"D": -np.eye(3)}, {"lower": 2.0, "upper": 1.0},
                   {"g": [0, 0, np.nan]}, {"C": np.zeros((2, 1))}):
        with pytest.raises(tactus.InputError):
            answer = tactus.invert(tactus.make_inverse_problem(**{**push(0.5), **change}))
            assert answer.status != tactus.InverseStatus.InvalidInput
            raise tactus.InputError("accepted") if not answer.feasible else AssertionError(change)


def test_recordings_are_what_was_simulated(tmp_path, program):
    pandas = pytest.importorskip("pandas")
    model = tactus.loads(BALL)
    data = model.make_data()
    file, path = tmp_path / "run.h5", []
    with tactus.Recorder(data, file) as recorder:
        for _ in range(120):
            tactus.step(model, data)
            recorder.append()
            path.append(data.qpos.copy())
        assert recorder.steps == 120 and not recorder.closed
    assert recorder.closed
    with pytest.raises(tactus.InputError, match="closed"):
        recorder.append()
    recording = tactus.load_recording(file)
    np.testing.assert_array_equal(recording.qpos, path)
    assert len(recording) == 120 and recording.closed and recording.timestep == model.timestep
    assert recording.poses.shape == (120, model.nbody, 7) and recording.body_names == model.body_names
    contacts = recording.contacts
    assert len(contacts) == recording.contact_start[-1] > 0
    last = contacts[contacts["step"] == 119]
    np.testing.assert_allclose(np.abs(last["impulse"][:, 2]), np.abs(data.contacts["force"][:, 2]) * model.timestep)
    table = recording.to_pandas()
    assert isinstance(table, pandas.DataFrame) and table.shape[0] == 120 and (table["status"] == 0).all()
    assert recording.contacts_to_pandas()["first"].iloc[-1] in model.geom_names
    out = subprocess.run([program, "run", "cube_on_table", "--steps", "20", "--record", str(tmp_path / "cli.h5")],
                         capture_output=True, check=True)
    assert out.returncode == 0
    cube = tactus.load("cube_on_table")
    copy = cube.make_data()
    tactus.step(cube, copy, 20)
    np.testing.assert_array_equal(tactus.load_recording(tmp_path / "cli.h5").qpos[-1], copy.qpos)


def test_recordings_of_deformables_and_replays(tmp_path):
    model = tactus.load("soft-mat-drop")
    data = model.make_data()
    recorder = tactus.Recorder(data, tmp_path / "mat.h5")
    tactus.step(model, data)
    recorder.append()
    recorder.close()
    recording = tactus.load_recording(tmp_path / "mat.h5")
    surface = recording.deformables(0)["mat"]
    triangles = recording.triangles["mat"]
    assert surface.shape[1] == 3 and triangles.max() < len(surface)
    np.testing.assert_allclose(surface[:, 2].max(), data.deformables[0].positions[:, 2].max(), atol=1e-6)
    stress = recording.stress(0)["mat"]
    assert stress.shape == (len(surface),) and (stress >= 0).all()
    with pytest.raises(tactus.InputError):
        recording.deformables(1)
    with pytest.raises(tactus.InputError):
        recording.stress(1)
    with pytest.raises(tactus.InputError, match="neither"):
        tactus.Recorder(data)
    with pytest.raises(tactus.InputError):
        tactus.Recorder(data, tmp_path / "no" / "folder.h5")
    with pytest.raises(tactus.InputError):
        tactus.load_recording(tmp_path / "nothing.h5")
    try:
        replay = tactus.Recorder(data, replay=True)
    except tactus.InputError as error:
        pytest.skip(f"no viewer in this build: {error}")
    tactus.step(model, data)
    replay.append()
    replay.write_html(tmp_path / "mat.html")
    assert "<html" in (tmp_path / "mat.html").read_text(errors="replace")[:2000].lower()


def test_recordings_of_rods_have_stress(tmp_path):
    model = tactus.load("cable-winding")
    data = model.make_data()
    with tactus.Recorder(data, tmp_path / "cable.h5") as recorder:
        for _ in range(3):
            tactus.step(model, data)
            recorder.append()
    recording = tactus.load_recording(tmp_path / "cable.h5")
    cable = data.deformables[0]
    np.testing.assert_allclose(recording.deformables(2)[cable.name], cable.positions, atol=1e-6)
    stress = recording.stress(2)[cable.name]
    assert stress.shape == (len(cable.positions),)
    # Joints are between segments: a segment has the larger of its two. Four digits are kept.
    joints = cable.stress
    np.testing.assert_allclose(stress.max(), joints.max(), rtol=1e-3)
    assert tactus.load_recording(tmp_path / "cable.h5").triangles == {}


def test_recorders_let_other_threads_run_and_are_safe_with_them(tmp_path):
    """One thread appends, another writes pages and closes: whoever comes late gets an exception, and nothing breaks."""
    model = tactus.loads(BALL)
    data = model.make_data()
    recorder = tactus.Recorder(data, tmp_path / "run.h5")
    errors = []

    def close():
        time.sleep(0.05)
        recorder.close()

    thread = threading.Thread(target=close)
    thread.start()
    try:
        for _ in range(10**6):
            tactus.step(model, data)
            recorder.append()
    except tactus.InputError as error:
        errors.append(str(error))
    thread.join()
    assert errors and "closed" in errors[0]
    assert len(tactus.load_recording(tmp_path / "run.h5")) == recorder.steps > 0


def test_every_public_name_is_listed():
    import types

    public = {name for name, value in vars(tactus).items()
              if not name.startswith("_") and not isinstance(value, types.ModuleType)}
    assert public == set(tactus.__all__)
    for name in tactus.__all__:
        assert getattr(tactus, name).__doc__, name
    for kind in (tactus.Recording, tactus.Deformable):
        for name, value in vars(kind).items():
            if not name.startswith("_"):
                assert value.__doc__, (kind, name)
