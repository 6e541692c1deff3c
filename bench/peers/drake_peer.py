"""Drake: MultibodyPlant with the SAP solver; joint springs are its implicit PD controllers.

point: point contact, which has one point for each pair of shapes; at these steps Drake's own compliance is beyond the
near-rigid limit of SAP, so that greater stiffness changes nothing. hydro: hydroelastic contact of compliant bodies
(modulus 1e7 Pa). lagged: the same, softer (1e6 Pa), with the approximation that lags normal forces, which does not let
sliding bodies lift.
"""

import numpy as np
import peer
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    AddContactMaterial,
    AddRigidHydroelasticProperties,
    Box,
    Capsule,
    CollisionFilterDeclaration,
    Convex,
    Cylinder,
    GeometrySet,
    HalfSpace,
    ProximityProperties,
    Sphere,
)
from pydrake.math import RigidTransform
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.plant import (
    AddMultibodyPlantSceneGraph,
    ContactModel,
    CoulombFriction,
    DiscreteContactApproximation,
)
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    PdControllerGains,
    PrismaticJoint,
    RevoluteJoint,
    RotationalInertia,
    SpatialInertia,
)
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder


def transform(pose):
    q = np.array(pose[3:]) / np.linalg.norm(pose[3:])
    return RigidTransform(Quaternion(q), np.array(pose[:3]))


def make_shape(shape):
    size, kind = shape["size"], shape["type"]
    if kind == "sphere":
        return Sphere(size[0])
    if kind == "capsule":
        return Capsule(size[0], 2 * size[1])
    if kind == "cylinder":
        return Cylinder(size[0], 2 * size[1])
    if kind == "box":
        return Box(2 * size[0], 2 * size[1], 2 * size[2])
    if kind == "half-space":
        return HalfSpace()
    return Convex(points=np.array(shape["points"]).T, label="piece")


class Driver:
    variants = ["point", "hydro", "lagged"]

    def version(self):
        from importlib.metadata import version

        return version("drake")

    def cannot(self, scene, variant):
        return None

    def make(self, scene, variant, h):
        return World(scene, variant, h)


class World:
    def __init__(self, scene, variant, h):
        self.links, self.h, self.steps = scene["links"], h, 0
        builder = DiagramBuilder()
        self.plant, self.graph = AddMultibodyPlantSceneGraph(builder, h)
        plant = self.plant
        kinds = DiscreteContactApproximation
        plant.set_discrete_contact_approximation(kinds.kLagged if variant == "lagged" else kinds.kSap)
        plant.set_contact_model(ContactModel.kPoint if variant == "point" else ContactModel.kHydroelasticWithFallback)
        plant.mutable_gravity_field().set_gravity_vector(np.array(scene["gravity"]))
        self.bodies, joints = [], {}
        for k, link in enumerate(self.links):
            joints[k] = self.add_link(k, link, scene["friction"], variant)
        self.exclude()
        actuators = self.add_drives(scene["drives"], joints)
        plant.Finalize()
        diagram = builder.Build()
        self.simulator = Simulator(diagram)
        root = self.simulator.get_mutable_context()
        self.context = plant.GetMyMutableContextFromRoot(root)
        self.set_state(joints)
        force, desired = np.zeros(plant.num_actuators()), []
        for actuator, drive in actuators:
            if drive["stiffness"] > 0:
                desired.append((actuator.input_start(), drive["target"]))
            else:
                force[actuator.input_start()] = drive["force"]
        if plant.num_actuators():
            plant.get_actuation_input_port().FixValue(self.context, force)
        if desired:
            targets = [q for _, q in sorted(desired)]
            port = plant.get_desired_state_input_port(self.instance)
            port.FixValue(self.context, np.array(targets + [0.0] * len(targets)))
        self.simulator.Initialize()

    @property
    def instance(self):
        from pydrake.multibody.tree import default_model_instance

        return default_model_instance()

    def add_link(self, k, link, friction, variant):
        plant, joint = self.plant, link["joint"]
        # Drake refuses bodies without mass where they move; those that do not move need none.
        mass, com = link["mass"], np.array(link["com"])
        if link["moves"] and mass > 0:
            m = np.array(link["inertia"])
            central = RotationalInertia(m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2])
            inertia = SpatialInertia.MakeFromCentralInertia(mass, com, central)
            body = plant.AddRigidBody(f"b{k}", inertia)
        else:
            body = plant.AddRigidBody(f"b{k}", SpatialInertia.Zero())
        self.bodies.append(body)
        parent = self.bodies[link["parent"]] if link["parent"] >= 0 else plant.world_body()
        made = None
        if not joint:
            plant.WeldFrames(parent.body_frame(), body.body_frame(), transform(link["X_PL"]))
        elif joint["type"] != "floating":
            frame = plant.AddFrame(FixedOffsetFrame(f"f{k}", parent.body_frame(), transform(link["X_PL"])))
            kind = PrismaticJoint if joint["type"] == "prismatic" else RevoluteJoint
            lower = -np.inf if joint["lower"] is None else joint["lower"]
            upper = np.inf if joint["upper"] is None else joint["upper"]
            made = plant.AddJoint(
                kind(f"j{k}", frame, body.body_frame(), np.array(joint["axis"]), lower, upper, damping=0)
            )
        for n, shape in enumerate(link["shapes"]):
            properties = ProximityProperties()
            made_shape = make_shape(shape)
            if variant != "point":
                if shape["type"] == "half-space":
                    AddRigidHydroelasticProperties(properties)
                else:
                    AddCompliantHydroelasticProperties(0.03, 1e6 if variant == "lagged" else 1e7, properties)
            AddContactMaterial(properties=properties, friction=CoulombFriction(friction, friction))
            # What does not move belongs to the world: the trees of moving shapes do not bear boundless ones.
            place = transform(shape["pose"]) if link["moves"] else transform(link["pose"]) @ transform(shape["pose"])
            owner = body if link["moves"] else plant.world_body()
            plant.RegisterCollisionGeometry(owner, place, made_shape, f"g{k}_{n}", properties)
        return made

    def exclude(self):
        trees = {}
        for k, link in enumerate(self.links):
            if link["moves"]:
                trees.setdefault(link["tree"], []).append(k)
        manager = self.graph.collision_filter_manager()
        for members in trees.values():
            if len(members) > 1:
                ids = [g for k in members for g in self.plant.GetCollisionGeometriesForBody(self.bodies[k])]
                manager.Apply(CollisionFilterDeclaration().ExcludeWithin(GeometrySet(ids)))

    def add_drives(self, drives, joints):
        out = []
        for k, drive in enumerate(drives):
            limit = np.inf if drive["effort"] is None else drive["effort"]
            actuator = self.plant.AddJointActuator(f"a{k}", joints[drive["link"]], limit)
            if drive["stiffness"] > 0:
                actuator.set_controller_gains(PdControllerGains(p=drive["stiffness"], d=drive["damping"]))
            out.append((actuator, drive))
        return out

    def set_state(self, joints):
        for k, link in enumerate(self.links):
            joint = link["joint"]
            if not joint:
                continue
            if joint["type"] == "floating":
                self.plant.SetFreeBodyPose(self.context, self.bodies[k], transform(link["pose"]))
                v = np.array(link["velocity"])
                self.plant.SetFreeBodySpatialVelocity(self.context, self.bodies[k], SpatialVelocity(v[3:], v[:3]))
            elif joint["type"] == "prismatic":
                joints[k].set_translation(self.context, joint["q"])
                joints[k].set_translation_rate(self.context, joint["v"])
            else:
                joints[k].set_angle(self.context, joint["q"])
                joints[k].set_angular_rate(self.context, joint["v"])

    def step(self):
        self.steps += 1
        self.simulator.AdvanceTo(self.steps * self.h)

    def poses(self):
        out = []
        for body in self.bodies:
            X = self.plant.EvalBodyPoseInWorld(self.context, body)
            out.append(np.concatenate([X.translation(), X.rotation().ToQuaternion().wxyz()]))
        return out

    def velocities(self):
        out = []
        for body in self.bodies:
            V = self.plant.EvalBodySpatialVelocityInWorld(self.context, body)
            out.append(np.concatenate([V.translational(), V.rotational()]))
        return out


if __name__ == "__main__":
    peer.main(Driver())
