"""mypy has nothing to say about the package."""

import subprocess
import sys
from pathlib import Path

import pytest

import tactus
from conftest import ROOT


def test_mypy(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed: pip install mypy")
    package = Path(tactus.__file__).parent
    if not (package / "_tactus.pyi").exists():
        pytest.skip("the compiled module has no stub here")
    # What mypy knows of other packages is kept in the build folder: reading NumPy anew takes most of its time.
    cache = ROOT / "build" / "mypy" if (ROOT / "build").is_dir() else tmp_path
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir", cache,
                           "-p", "tactus"], cwd=package.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
