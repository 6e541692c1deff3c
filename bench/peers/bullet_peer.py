"""Bullet through pybullet, in its own direct mode: sequential impulses, friction by a pyramid unless said otherwise.

default: 50 iterations, as Bullet has it. long: 1000 iterations and residual threshold 0. Collision margins are zero
for boxes and hulls where Bullet lets one set them. Everything is a multibody. There are no implicit joint springs.
"""

import tempfile

import numpy as np
import peer
import pybullet


class Driver:
    variants = ["default", "long"]

    def version(self):
        return str(pybullet.getAPIVersion())

    def cannot(self, scene, variant):
        if any(drive["stiffness"] > 0 for drive in scene["drives"]):
            return "no implicit joint springs"
        return None

    def make(self, scene, variant, h):
        return World(scene, variant, h)


def xyzw(q):
    return [q[1], q[2], q[3], q[0]]


class World:
    def __init__(self, scene, variant, h):
        self.links, self.scene, self.h = scene["links"], scene, h
        self.client = pybullet.connect(pybullet.DIRECT)
        pybullet.resetSimulation()
        pybullet.setGravity(*scene["gravity"])
        pybullet.setPhysicsEngineParameter(
            fixedTimeStep=h,
            numSolverIterations=1000 if variant == "long" else 50,
            solverResidualThreshold=0 if variant == "long" else 1e-7,
            numSubSteps=0,
            deterministicOverlappingPairs=1,
        )
        self.at = [None] * len(self.links)  # (body, link or -1) of every link
        roots = [k for k, link in enumerate(self.links) if link["parent"] < 0]
        for root in roots:
            self.add_tree(root)
        for drive in scene["drives"]:
            body, link = self.at[drive["link"]]
            pybullet.setJointMotorControl2(body, link, pybullet.VELOCITY_CONTROL, force=0)

    def __del__(self):
        pybullet.disconnect(self.client)

    def shape(self, link):
        """One collision shape for all of a link; -1 for none. Poses are those in the frame of inertia."""
        options = {k: [] for k in ("types", "radii", "half", "lengths", "positions", "orientations", "points")}
        if not link["shapes"]:
            return -1
        if len(link["shapes"]) == 1 and link["shapes"][0]["type"] == "half-space":
            return pybullet.createCollisionShape(pybullet.GEOM_PLANE, planeNormal=[0, 0, 1])
        to_inertia = np.concatenate([-np.array(link["com"]), [1, 0, 0, 0]])
        kinds = {
            "sphere": pybullet.GEOM_SPHERE,
            "box": pybullet.GEOM_BOX,
            "capsule": pybullet.GEOM_CAPSULE,
            "cylinder": pybullet.GEOM_CYLINDER,
            "mesh": pybullet.GEOM_MESH,
        }
        for shape in link["shapes"]:
            size = shape["size"]
            pose = peer.multiply(to_inertia, shape["pose"])
            options["types"].append(kinds[shape["type"]])
            options["radii"].append(size[0])
            options["half"].append(size)
            options["lengths"].append(2 * size[1])
            options["positions"].append(list(pose[:3]))
            options["orientations"].append(xyzw(pose[3:]))
            options["points"].append(shape.get("points", []))
        if len(options["types"]) == 1:
            extra = {"vertices": options["points"][0]} if options["points"][0] else {}
            kind = options["types"][0]
            if kind == pybullet.GEOM_BOX:
                extra["halfExtents"] = options["half"][0]
            elif kind == pybullet.GEOM_SPHERE:
                extra["radius"] = options["radii"][0]
            elif kind != pybullet.GEOM_MESH:
                extra.update(radius=options["radii"][0], height=options["lengths"][0])
            return pybullet.createCollisionShape(
                kind,
                collisionFramePosition=options["positions"][0],
                collisionFrameOrientation=options["orientations"][0],
                **extra,
            )
        if any(options["points"]):
            return self.hulls(link, to_inertia)
        arrays = dict(
            shapeTypes=options["types"],
            radii=options["radii"],
            halfExtents=options["half"],
            lengths=options["lengths"],
            collisionFramePositions=options["positions"],
            collisionFrameOrientations=options["orientations"],
        )
        return pybullet.createCollisionShapeArray(**arrays)

    def hulls(self, link, to_inertia):
        """Convex pieces come as the objects of a file: Bullet makes a hull of each."""
        with tempfile.NamedTemporaryFile("w", suffix=".obj") as file:
            first = 1
            for n, shape in enumerate(link["shapes"]):
                pose = peer.multiply(to_inertia, shape["pose"])
                points = np.array(shape["points"]) @ peer.rotation(pose[3:]).T + pose[:3]
                file.write(f"o piece_{n}\n" + "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in points.tolist()))
                file.write("".join(f"f {a + first} {b + first} {c + first}\n" for a, b, c in shape["triangles"]))
                first += len(points)
            file.flush()
            return pybullet.createCollisionShape(pybullet.GEOM_MESH, fileName=file.name)

    def add_tree(self, root):
        members = [k for k, link in enumerate(self.links) if link["tree"] == root]
        base, rest = self.links[root], [k for k in members if k != root]
        number = {root: 0, **{k: n + 1 for n, k in enumerate(rest)}}
        kinds = {"prismatic": pybullet.JOINT_PRISMATIC, "revolute": pybullet.JOINT_REVOLUTE}
        positions, orientations = [], []
        for k in rest:
            link = self.links[k]
            if any(self.links[link["parent"]]["com"]):
                raise peer.Cannot("a link whose parent's centre of mass is not at its origin")
            positions.append(link["X_PL"][:3])
            orientations.append(xyzw(link["X_PL"][3:]))
        floating = base["joint"] is not None
        com = np.array(base["com"])
        body = pybullet.createMultiBody(
            baseMass=base["mass"] if floating else 0,
            baseCollisionShapeIndex=self.shape(base),
            basePosition=base["pose"][:3],
            baseOrientation=xyzw(base["pose"][3:]),
            baseInertialFramePosition=list(com),
            linkMasses=[self.links[k]["mass"] for k in rest],
            linkCollisionShapeIndices=[self.shape(self.links[k]) for k in rest],
            linkVisualShapeIndices=[-1] * len(rest),
            linkPositions=positions,
            linkOrientations=orientations,
            linkInertialFramePositions=[self.links[k]["com"] for k in rest],
            linkInertialFrameOrientations=[[0, 0, 0, 1]] * len(rest),
            linkParentIndices=[number[self.links[k]["parent"]] for k in rest],
            linkJointTypes=[
                kinds[self.links[k]["joint"]["type"]] if self.links[k]["joint"] else pybullet.JOINT_FIXED for k in rest
            ],
            linkJointAxis=[self.links[k]["joint"]["axis"] if self.links[k]["joint"] else [0, 0, 1] for k in rest],
        )
        self.at[root] = (body, -1)
        # Friction coefficients are multiplied, damping is off: nothing but contacts slows anything.
        mu = float(np.sqrt(self.scene["friction"]))
        for k in members:
            link, index = self.links[k], number[k] - 1
            self.at[k] = (body, index)
            pybullet.changeDynamics(
                body,
                index,
                lateralFriction=mu,
                rollingFriction=0,
                spinningFriction=0,
                restitution=0,
                linearDamping=0,
                angularDamping=0,
                activationState=pybullet.ACTIVATION_STATE_DISABLE_SLEEPING,
            )
            if link["moves"] and link["mass"] > 0:
                moments = np.array(link["inertia"])
                if np.abs(moments - np.diag(np.diag(moments))).max() > 1e-9 * moments.max():
                    raise peer.Cannot("inertia across the axes of a link")
                pybullet.changeDynamics(body, index, localInertiaDiagonal=list(np.diag(moments)))
            if index >= 0 and link["joint"]:
                pybullet.resetJointState(body, index, link["joint"]["q"], link["joint"]["v"])
        if floating:
            v = np.array(base["velocity"])
            spin = v[3:]
            at_com = v[:3] + np.cross(spin, peer.rotation(base["pose"][3:]) @ com)
            pybullet.resetBaseVelocity(body, list(at_com), list(spin))

    def step(self):
        for drive in self.scene["drives"]:
            body, link = self.at[drive["link"]]
            pybullet.setJointMotorControl2(body, link, pybullet.TORQUE_CONTROL, force=drive["force"])
        pybullet.stepSimulation()

    def poses(self):
        out = []
        for link, (body, index) in zip(self.links, self.at):
            if index < 0:
                p, q = pybullet.getBasePositionAndOrientation(body)
                R = peer.rotation([q[3], *q[:3]])
                out.append(np.array([*(np.array(p) - R @ np.array(link["com"])), q[3], *q[:3]]))
            else:
                state = pybullet.getLinkState(body, index, computeForwardKinematics=1)
                p, q = state[4], state[5]
                out.append(np.array([*p, q[3], *q[:3]]))
        return out

    def velocities(self):
        out = []
        for link, (body, index) in zip(self.links, self.at):
            if index < 0:
                v, w = (np.array(x) for x in pybullet.getBaseVelocity(body))
                q = pybullet.getBasePositionAndOrientation(body)[1]
            else:
                state = pybullet.getLinkState(body, index, computeLinkVelocity=1, computeForwardKinematics=1)
                v, w, q = np.array(state[6]), np.array(state[7]), state[5]
            arm = peer.rotation([q[3], *q[:3]]) @ np.array(link["com"])
            out.append(np.concatenate([v - np.cross(w, arm), w]))
        return out


if __name__ == "__main__":
    peer.main(Driver())
