"""Notebooks run from top to bottom; what they claim, they assert themselves."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"


def notebooks():
    return sorted(FOLDER.glob("*.ipynb"))


def test_there_are_notebooks():
    assert {path.stem for path in notebooks()} >= {"quick_start", "own_contacts_pinocchio", "own_contacts_mujoco", "rollouts",
                                                   "inverse_dynamics", "deformables"}


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_notebook(path, tmp_path):
    for package in ("nbformat", "nbclient", "ipykernel"):
        pytest.importorskip(package, reason=f"{package} is not installed: pip install nbclient ipykernel")
    code = "".join("".join(cell["source"]) + "\n" for cell in json.loads(path.read_text())["cells"]
                   if cell["cell_type"] == "code")
    for package in re.findall(r"^import (pinocchio|mujoco)", code, flags=re.M):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    import nbclient
    import nbformat
    import tactus

    if "tactus.show" in code and not (Path(tactus.__file__).parent / "data" / "viewer" / "replay.js").exists():
        pytest.skip("the viewer of replays was not bundled (npm)")
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert all(not cell.get("outputs") for cell in notebook.cells), "outputs are not kept in the repository"
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])
             if "<iframe srcdoc=" in "".join(output.get("data", {}).get("text/html", ""))]
    assert len(shown) == code.count("tactus.show(")
