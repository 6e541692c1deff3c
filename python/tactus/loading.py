"""Models out of files, text and names."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _tactus
from ._tactus import Data, InputError, Model
from .arrays import mapping, real_array


def _plain(value: Any) -> Any:
    """Numbers, lists and maps as JSON has them, out of NumPy's and of tuples."""
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def _override(key: str, value: Any) -> str:
    """`key=value` as on the command line. Text is YAML as it stands."""
    value = _plain(value)
    if isinstance(value, (bool, list, dict)) or value is None:
        value = json.dumps(value, default=str)
    return f"{key}={value}"


def _folders(roots: Any) -> tuple[str, ...]:
    """One folder or several."""
    if isinstance(roots, (str, bytes, os.PathLike)):
        roots = (roots,)
    return tuple(os.fsdecode(root) for root in roots)


def _remember(model: Model, function: Any, *arguments: Any) -> Model:
    """What pickling goes by. Kept in the model itself, which outlives this object where a Data holds it."""
    try:
        model._recipe = pickle.dumps((function, arguments))
    except Exception:  # an option that has no pickle: the model is none the worse for it
        pass
    return model


_OPTIONS = {
    "seed": "a whole number from 0 to 2**64 - 1, or None",
    "trial": "a whole number",
    "controllers": "True or False",
    "time_step": "seconds, or None",
    "tolerance": "a number, or None",
    "time_budget": "seconds, or None",
    "max_iterations": "a whole number, or None",
    "linearizations": "a whole number, or None",
    "threads": "a whole number, or None",
    "solver": "a name, or None",
    "on_failure": "'continue', 'retry', 'stop' or None",
}


def _settings(options: Mapping[str, Any]) -> _tactus.LoadSettings:
    settings = _tactus.LoadSettings()
    settings.overrides = [_override(key, value) for key, value in mapping("set", options["set"]).items()]
    settings.roots = list(options["roots"])
    base = options["base"]
    if base not in ("fixed", "floating"):
        raise InputError(f"base: is {base!r} (expected: 'fixed' or 'floating')")
    settings.floating_base = base == "floating"
    missing = options["missing_meshes"]
    if missing not in ("error", "warn"):
        raise InputError(f"missing_meshes: is {missing!r} (expected: 'error' or 'warn')")
    settings.missing_meshes = missing == "warn"
    for name, expected in _OPTIONS.items():
        try:
            setattr(settings, name, options[name])
        except (TypeError, OverflowError):
            raise TypeError(f"{name}: is {options[name]!r} (expected: {expected})") from None
    return settings


def load(
    source: Union[str, "os.PathLike[str]"],
    *,
    set: Optional[Mapping[str, Any]] = None,
    seed: Optional[int] = None,
    trial: int = 0,
    base: str = "fixed",
    controllers: bool = True,
    time_step: Optional[float] = None,
    solver: Optional[str] = None,
    tolerance: Optional[float] = None,
    max_iterations: Optional[int] = None,
    time_budget: Optional[float] = None,
    linearizations: Optional[int] = None,
    on_failure: Optional[str] = None,
    threads: Optional[int] = None,
    roots: Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]] = (),
    missing_meshes: str = "error",
) -> Model:
    """A model out of a file, or one that comes with tactus.

    source: a scene (YAML), a robot (URDF or MJCF), the name of a built-in scene (tactus.scenes()) or of a built-in robot
        (tactus.robots()). A bare robot stands on a ground plane.
    set: changes parameters of the scene, or any of its keys: {"robots": 3, "objects.cube.mass": 2.0}.
    seed, trial: of what the scene randomizes.
    base: "floating" lets the root link of a bare URDF file move; "fixed" welds it to the world.
    controllers: False leaves out those of the scene, so that data.ctrl is yours alone. Their drives stay.
    time_step [s], solver, tolerance, max_iterations, time_budget [s], linearizations, on_failure ("continue", "retry" or
        "stop"), threads: in place of what the scene says.
    roots: a folder, or several, in which meshes and packages are looked for, besides that of the file.
    missing_meshes: "warn" goes on without collision meshes that are not there.

    Raises InputError, with file and line, for whatever is wrong. model.notes and model.warnings say what was added or not
    taken as it stands.
    """
    options = dict(set=set, seed=seed, trial=trial, base=base, controllers=controllers, time_step=time_step,
                   solver=solver, tolerance=tolerance, max_iterations=max_iterations, time_budget=time_budget,
                   linearizations=linearizations, on_failure=on_failure, threads=threads, roots=_folders(roots),
                   missing_meshes=missing_meshes)
    source = os.fspath(source)
    if isinstance(source, bytes):
        source = os.fsdecode(source)
    model = _tactus.load_model(source, _settings(options))
    # Absolute, as a worker that unpickles the model may be elsewhere.
    path = Path(source)
    return _remember(model, _reload, str(path.resolve()) if path.is_file() else source, options)


def loads(text: str, **options: Any) -> Model:
    """A model out of the text of a scene file (YAML); options as in load. Files that it names are looked for in `roots`."""
    defaults: dict[str, Any] = dict(set=None, seed=None, trial=0, base="fixed", controllers=True, time_step=None, solver=None,
                          tolerance=None, max_iterations=None, time_budget=None, linearizations=None, on_failure=None,
                          threads=None, roots=(), missing_meshes="error")
    unknown = [name for name in options if name not in defaults]
    if unknown:
        raise TypeError(f"loads() got an unexpected keyword argument {unknown[0]!r}")
    defaults.update(options)
    defaults["roots"] = _folders(defaults["roots"])
    return _remember(_tactus.parse_model(text, _settings(defaults)), _reload_text, text, defaults)


def _reload(source: str, options: dict[str, Any]) -> Model:
    return load(source, **options)


def _reload_text(text: str, options: dict[str, Any]) -> Model:
    return loads(text, **options)


def _restore_data(model: Model, snapshot: bytes, ctrl: np.ndarray, force: np.ndarray, wrench: np.ndarray) -> Data:
    data = Data(model)
    data.restore(snapshot)
    data.ctrl, data.qfrc_applied, data.applied_wrench = ctrl, force, wrench
    return data


def _reduce_model(self: Model) -> Any:
    if not self._recipe:
        raise TypeError("cannot pickle this Model: an option that it was loaded with has no pickle")
    return pickle.loads(self._recipe)


def _reduce_data(self: Data) -> Any:
    return _restore_data, (self.model, self.save(), np.array(self.ctrl), np.array(self.qfrc_applied),
                           np.array(self.applied_wrench))


def _make_data(self: Model) -> Data:
    """A new simulation of this model, at the scene's start."""
    return Data(self)


def _set_state(self: Data, state: Any) -> None:
    """To a state as get_state gives it, or to qpos and qvel alone. Forgets impulses: what follows depends on nothing
    that was before."""
    self._set_state(real_array("state", state, (1,)))


setattr(Model, "make_data", _make_data)
# A model never changes: a copy is itself.
setattr(Model, "__copy__", lambda self: self)
setattr(Model, "__deepcopy__", lambda self, memo: self)
setattr(Model, "__reduce__", _reduce_model)
setattr(Data, "__reduce__", _reduce_data)
setattr(Data, "set_state", _set_state)


def reset(model: Model, data: Data) -> None:
    """Back to the scene's start."""
    if data.model is not model:
        raise InputError("reset: the data is of another model (expected: data made by this model)")
    data.reset()


def scenes() -> list[str]:
    """Names of the scenes that come with tactus."""
    return list(_tactus.scene_names())


def robots() -> list[str]:
    """Names of the robots that come with tactus."""
    return list(_tactus.robot_names())
