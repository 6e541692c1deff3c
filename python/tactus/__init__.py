"""tactus: a simulator for robots in contact that solves the exact law of friction, and says how well.

    import tactus

    model = tactus.load("panda_pick")           # a scene of ours, or your robot.urdf, model.xml, scene.yaml
    data = model.make_data()
    for _ in range(240):
        data.ctrl[:] = model.ctrl0              # what ctrl means: model.actuator_names, model.actuator_kinds
        report = tactus.step(model, data)       # report.status, .residual, .iterations, .timings
    print(data.qpos, data.contacts["force"])

All units are SI. Bad input raises tactus.InputError, a ValueError, with what was expected. Numerical outcomes are never
raised: they are in the reports.
"""

from pathlib import Path as _Path

from . import _tactus
from ._tactus import (
    ContactMode,
    Data,
    InputError,
    InverseProblem,
    InverseSolution,
    InverseStatus,
    Model,
    NcpResidual,
    NumericalError,
    Problem,
    Recording,
    RowLaw,
    Solution,
    SolveReport,
    SolveStatus,
    StepReport,
    StepStatus,
    step,
    step_batch,
)
from .mapping import JobFailure, MapError, MapResult, map
from .loading import load, loads, reset, robots, scenes
from .deformables import Deformable
from .inline import InlineReplay, show
from .inverse import invert, make_inverse_problem, read_inverse_problem
from .problems import (
    generate,
    make_delassus,
    make_problem,
    ncp_residual,
    read_problem,
    solve,
    solve_delassus,
    solvers,
)
from .recordings import Recorder, load_recording
from .rollouts import RolloutResult, rollout

__version__ = _tactus.version()

_data = _Path(__file__).parent / "data"
if _data.is_dir():
    _tactus.set_data_folder(str(_data))

__all__ = [
    "ContactMode",
    "Data",
    "Deformable",
    "InlineReplay",
    "InputError",
    "InverseProblem",
    "InverseSolution",
    "InverseStatus",
    "JobFailure",
    "MapError",
    "MapResult",
    "Model",
    "NcpResidual",
    "NumericalError",
    "Problem",
    "Recorder",
    "Recording",
    "RolloutResult",
    "RowLaw",
    "Solution",
    "SolveReport",
    "SolveStatus",
    "StepReport",
    "StepStatus",
    "generate",
    "invert",
    "load",
    "load_recording",
    "loads",
    "make_delassus",
    "make_inverse_problem",
    "make_problem",
    "map",
    "ncp_residual",
    "read_inverse_problem",
    "read_problem",
    "reset",
    "robots",
    "rollout",
    "scenes",
    "show",
    "solve",
    "solve_delassus",
    "solvers",
    "step",
    "step_batch",
]
