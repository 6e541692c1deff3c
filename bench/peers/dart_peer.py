"""DART: Featherstone's dynamics, boxed LCP; collision detection by its ODE detector,
with which boxes stand best on planes (by the others the sliding cube sinks in by centimetres).

dantzig: the default, Dantzig's pivoting with projected Gauss-Seidel behind it. Sleeping is off. Joint springs are
DART's own implicit ones.
"""

import dartpy as dart
import numpy as np
import peer

dynamics = dart.dynamics


def isometry(pose):
    out = dart.math.Isometry3()
    out.set_rotation(peer.rotation(np.array(pose[3:]) / np.linalg.norm(pose[3:])))
    out.set_translation(np.array(pose[:3]))
    return out


def make_shape(shape):
    size, kind = shape["size"], shape["type"]
    if kind == "sphere":
        return dynamics.SphereShape(size[0])
    if kind == "capsule":
        return dynamics.CapsuleShape(size[0], 2 * size[1])
    if kind == "cylinder":
        return dynamics.CylinderShape(size[0], 2 * size[1])
    if kind == "box":
        return dynamics.BoxShape(2 * np.array(size))
    return dynamics.PlaneShape(np.array([0.0, 0.0, 1.0]), 0.0)


class Driver:
    variants = ["dantzig"]

    def version(self):
        return dart.__version__

    def cannot(self, scene, variant):
        if any(shape["type"] == "mesh" for link in scene["links"] for shape in link["shapes"]):
            return "no convex hulls from points"
        return None

    def make(self, scene, variant, h):
        return World(scene, h)


class World:
    def __init__(self, scene, h):
        self.links, self.scene = scene["links"], scene
        self.world = dart.simulation.World("peers")
        self.world.setTimeStep(h)
        self.world.setGravity(np.array(scene["gravity"]))
        kinds = dart.simulation.CollisionDetectorType
        self.world.setCollisionDetector(kinds.ODE)
        if hasattr(self.world, "getDeactivationOptions"):  # newer ones let bodies sleep
            options = self.world.getDeactivationOptions()
            options.mEnabled = False
            self.world.setDeactivationOptions(options)
        self.bodies, self.joints, skeletons = [], [], {}
        for k, link in enumerate(self.links):
            skeleton = skeletons.get(link["tree"])
            if skeleton is None:
                skeleton = skeletons[link["tree"]] = dynamics.Skeleton(f"s{k}")
            self.add_link(k, link, skeleton)
        for drive in scene["drives"]:
            joint = self.joints[drive["link"]]
            joint.setSpringStiffness(0, drive["stiffness"])
            joint.setDampingCoefficient(0, drive["damping"])
            joint.setRestPosition(0, drive["target"])
        moving = {link["tree"] for link in self.links if link["moves"]}
        for tree, skeleton in skeletons.items():
            skeleton.setMobile(tree in moving)
            self.world.addSkeleton(skeleton)

    def add_link(self, k, link, skeleton):
        joint, parent = link["joint"], self.bodies[link["parent"]] if link["parent"] >= 0 else None
        kind = (
            "Weld"
            if not joint
            else {"floating": "Free", "prismatic": "Prismatic", "revolute": "Revolute"}[joint["type"]]
        )
        create = getattr(skeleton if parent is None else parent, f"create{kind}JointAndBodyNodePair")
        made, body = create()
        self.joints.append(made)
        self.bodies.append(body)
        if link["moves"] and link["mass"] > 0:
            body.setInertia(dynamics.Inertia(link["mass"], np.array(link["com"]), np.array(link["inertia"])))
        if kind == "Free":
            dynamics.FreeJoint.setTransformOf(body, isometry(link["pose"]))
            v = np.array(link["velocity"])
            R = peer.rotation(link["pose"][3:])
            made.setVelocities(np.concatenate([R.T @ v[3:], R.T @ v[:3]]))
        else:
            made.setTransformFromParentBodyNode(isometry(link["X_PL"]))
        if kind in ("Prismatic", "Revolute"):
            made.setAxis(np.array(joint["axis"]))
            made.setPosition(0, joint["q"])
            made.setVelocity(0, joint["v"])
        for shape in link["shapes"]:
            node = body.createShapeNode(make_shape(shape))
            node.createVisualAspect()
            node.createCollisionAspect()
            node.createDynamicsAspect().setFrictionCoeff(self.scene["friction"])
            node.setRelativeTransform(isometry(shape["pose"]))

    def step(self):
        for drive in self.scene["drives"]:
            if drive["force"]:
                self.joints[drive["link"]].setForce(0, drive["force"])
        self.world.step()

    def poses(self):
        out = []
        for body in self.bodies:
            X = body.getWorldTransform()
            out.append(np.concatenate([np.array(X.translation()).ravel(), peer.quaternion(np.array(X.rotation()))]))
        return out

    def velocities(self):
        return [
            np.concatenate([np.array(b.getLinearVelocity()).ravel(), np.array(b.getAngularVelocity()).ravel()])
            for b in self.bodies
        ]


if __name__ == "__main__":
    peer.main(Driver())
