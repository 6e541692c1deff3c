"""Environments of Gymnasium on scenes of ours: `import tactus.gym` registers them. Needs `pip install tactus[gym]`.

    import gymnasium
    import tactus.gym

    env = gymnasium.make("Tactus/GraspLift-v0")
    envs = gymnasium.make_vec("Tactus/GraspLift-v0", num_envs=16)      # steps them on C++ threads

Tactus/GraspLift-v0: a Panda grasps a can and lifts it. Tactus/Go2Stand-v0: a quadruped gets up from a crouch.
Tactus/DishPiling-v0: a Panda with a hand piles dishes along a path, and the agent corrects for where they really are.

An environment that is reset with a seed does the same, to the bit, in every run, alone or in a vector of any size.
"""

from __future__ import annotations

import functools
from typing import Any

try:
    import gymnasium
except ImportError as error:
    raise ImportError("tactus.gym needs Gymnasium: pip install 'tactus[gym]', or pip install gymnasium") from error

from .base import TactusEnv
from .dish_piling import DishPilingEnv
from .go2_stand import Go2StandEnv
from .grasp_lift import GraspLiftEnv
from .vector import TactusVectorEnv

__all__ = ["DishPilingEnv", "Go2StandEnv", "GraspLiftEnv", "TactusEnv", "TactusVectorEnv", "register"]

_ENVIRONMENTS: dict[str, Any] = {"DishPiling": DishPilingEnv, "GraspLift": GraspLiftEnv, "Go2Stand": Go2StandEnv}


def register() -> None:
    """Makes the environments known to Gymnasium. Done on import; again does no harm."""
    for name, kind in _ENVIRONMENTS.items():
        if f"Tactus/{name}-v0" not in gymnasium.registry:
            gymnasium.register(f"Tactus/{name}-v0", entry_point=f"{kind.__module__}:{kind.__name__}",
                               vector_entry_point=functools.partial(TactusVectorEnv, kind))


register()
