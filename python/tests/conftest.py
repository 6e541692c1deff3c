"""What tests share. `pytest --long` also runs those that take minutes."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="run tests that take minutes")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--long"):
        return
    for item in items:
        if "long" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="takes minutes: pytest --long"))


@pytest.fixture
def program():
    """The command line program, to compare with."""
    path = Path(os.environ.get("TACTUS_PROGRAM", ROOT / "build" / "bin" / "tactus"))
    if not path.exists():
        pytest.skip(f"there is no program {path}: make build, or TACTUS_PROGRAM")
    return str(path)


BALL = """
name: ball
objects:
  - {name: ground, fixed: true, shape: {type: plane}}
  - {name: ball, shape: {type: sphere, radius: 0.1}, pose: {position: [0, 0, 0.5]}, mass: 1}
"""

PENDULUM_URDF = """<robot name="pendulum">
  <link name="base"/>
  <link name="arm">
    <inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="5" velocity="10"/></joint>
</robot>
"""

SLIDER_MJCF = """<mujoco model="slider">
  <worldbody>
    <body name="box"><joint name="slide" type="slide" axis="1 0 0"/>
      <geom name="box" type="box" size="0.1 0.1 0.1" mass="2"/>
      <body name="flag"><joint name="swing" type="hinge" axis="0 1 0"/><geom type="sphere" size="0.05" mass="0.1" pos="0 0 1"/></body>
    </body>
  </worldbody>
  <actuator><motor name="push" joint="slide" gear="3" ctrlrange="-2 2"/></actuator>
</mujoco>
"""
