"""Solids and rods of a simulation."""

from __future__ import annotations

import numpy as np

from ._tactus import Data


class Deformable:
    """Something that deforms, in one Data. positions and velocities are views: what you write is where the next step
    begins.

    name: as in the scene.
    positions: (nodes, 3) of a solid [m]; (segments, 7) of a rod: place and quaternion, w first.
    velocities: of the nodes or segments that are free to move, one after the other: 3 numbers a node [m/s], 6 a segment
        (of its centre, then angular, world axes).
    free: which these are, so that velocities.reshape(len(free), -1)[k] is that of free[k]. The others are held: they move
        as the scene says.
    tetrahedra: (n, 4) of a solid, nodes of each; triangles: (m, 3), those of its surface, counterclockwise from outside.
        Rods have none.
    """

    def __init__(self, data: Data, number: int, name: str):
        self._data, self._number, self.name = data, number, name
        self.positions: np.ndarray = data._node_positions[number]
        self.velocities: np.ndarray = data._node_velocities[number]
        self.free: np.ndarray
        self.tetrahedra: np.ndarray
        self.triangles: np.ndarray
        self.free, self.tetrahedra, self.triangles = data.model._topology(number)

    @property
    def stress(self) -> np.ndarray:
        """Von Mises stress of each tetrahedron of a solid, the largest of the cross section at each joint of a rod [Pa], at
        the present positions, computed anew each time."""
        return self._data._stress(self._number)

    def __repr__(self) -> str:
        kind = "segments" if self.positions.shape[1] == 7 else "nodes"
        return f"<tactus.Deformable '{self.name}': {len(self.positions)} {kind}>"


def _deformables(self: Data) -> list[Deformable]:
    """The things that deform, in the order of model.deformable_names."""
    return [Deformable(self, k, name) for k, name in enumerate(self.model.deformable_names)]


setattr(Data, "deformables", property(_deformables))
