"""What the documentation shows runs."""

import re

import numpy as np
import pytest

import tactus
from conftest import ROOT


def blocks(file):
    return re.findall(r"```python\n(.*?)```", (ROOT / file).read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def names(tmp_path, monkeypatch):
    """What the examples take for granted."""
    monkeypatch.chdir(tmp_path)
    model = tactus.load("panda_pick")
    state = np.concatenate([model.qpos0, model.qvel0])
    A, W = 2 * np.eye(3), np.eye(3) / 2
    return dict(tactus=tactus, model=model, data=model.make_data(), initial_states=np.repeat(state[None], 3, axis=0),
                controls=np.repeat(model.ctrl0[None], 4, axis=0), A=A, b=np.array([2.0, 0, -2]), J=np.eye(3), e=np.zeros(3),
                mu=0.5, W=W, q=np.array([1.0, 0, -1]), impulse=np.zeros(3))


def test_readme(names):
    found = [text for text in blocks("README.md") if "import tactus" in text]
    assert found
    for text in found:
        exec(text, names)
    assert names["report"].ok


@pytest.mark.filterwarnings("ignore")
def test_python_page(names):
    found = blocks("docs/python.md")
    assert len(found) >= 4
    for text in found:
        if "Recorder" in text:
            pytest.importorskip("pandas")
            try:
                tactus.Recorder(names["data"], replay=True)
            except tactus.InputError:  # no viewer in this build
                lines = text.replace(", replay=True", "").splitlines()
                text = "\n".join(line for line in lines if "run.html" not in line)
        exec(text, names)
    assert names["solution"].solved and names["result"].ok and len(names["recording"]) == 240


def test_everything_public_is_documented():
    for name in tactus.__all__:
        assert getattr(tactus, name).__doc__, name
    for cls in (tactus.Model, tactus.Data):
        for name, member in vars(cls).items():
            if not name.startswith("_") and name not in ("name", "description", "joint_names", "geom_names",
                                                         "deformable_names", "solver", "model"):
                assert member.__doc__, (cls, name)
