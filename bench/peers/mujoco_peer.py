"""MuJoCo: Newton's method and elliptic cones, joint springs by position actuators, integrator implicitfast.

default: everything else as MuJoCo has it. noslip: 20 iterations of its solver without slip on top. stiff: contacts as
stiff as the manual allows (solref 2 h, solimp 0.99 0.999), impratio 100, noslip.
"""

import mujoco
import numpy as np
import peer


def numbers(values):
    return " ".join(repr(float(x)) for x in values)


def geom(shape, meshes):
    size, kind = shape["size"], shape["type"]
    place = f'pos="{numbers(shape["pose"][:3])}" quat="{numbers(shape["pose"][3:])}"'
    if kind == "half-space":
        return f'<geom type="plane" size="5 5 0.1" {place}/>'
    if kind == "mesh":
        name = f"mesh_{len(meshes)}"
        points = numbers(np.array(shape["points"]).ravel())
        meshes.append(f'<mesh name="{name}" vertex="{points}"/>')
        return f'<geom type="mesh" mesh="{name}" {place}/>'
    count = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3}[kind]
    return f'<geom type="{kind}" size="{numbers(size[:count])}" {place}/>'


class Driver:
    variants = ["default", "noslip", "stiff"]

    def version(self):
        return mujoco.__version__

    def cannot(self, scene, variant):
        return None

    def make(self, scene, variant, h):
        return World(scene, variant, h)


class World:
    def __init__(self, scene, variant, h):
        self.links = scene["links"]
        text = self.describe(scene, variant, h)
        # Meshes are moved to their own centre by the compiler, and geoms with them: poses of bodies stay.
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        self.ids = [mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, f"b{k}") for k in range(len(self.links))]
        self.set_state()
        for k, drive in enumerate(scene["drives"]):
            self.data.ctrl[k] = drive["target"] if drive["stiffness"] > 0 else drive["force"]
        mujoco.mj_forward(self.model, self.data)

    def set_state(self):
        for k, link in enumerate(self.links):
            joint = link["joint"]
            if not joint:
                continue
            number = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_JOINT, f"j{k}")
            q, v = self.model.jnt_qposadr[number], self.model.jnt_dofadr[number]
            if joint["type"] == "floating":
                self.data.qpos[q : q + 7] = link["pose"]
                self.data.qvel[v : v + 3] = link["velocity"][:3]
                self.data.qvel[v + 3 : v + 6] = peer.rotation(link["pose"][3:]).T @ np.array(link["velocity"][3:])
            else:
                self.data.qpos[q], self.data.qvel[v] = joint["q"], joint["v"]

    def describe(self, scene, variant, h):
        stiff, meshes = variant == "stiff", []
        noslip = 0 if variant == "default" else 20
        contact = f'solref="{2 * h!r} 1" solimp="0.99 0.999 0.001"' if stiff else ""
        children = {k: [] for k in range(-1, len(self.links))}
        for k, link in enumerate(self.links):
            children[link["parent"]].append(k)

        def body(k):
            link, joint = self.links[k], self.links[k]["joint"]
            floating = joint and joint["type"] == "floating"
            pose = link["pose"] if floating else link["X_PL"]
            out = f'<body name="b{k}" pos="{numbers(pose[:3])}" quat="{numbers(pose[3:])}">'
            if link["moves"] and link["mass"] > 0:
                m = link["inertia"]
                full = numbers([m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]])
                out += f'<inertial pos="{numbers(link["com"])}" mass="{link["mass"]!r}" fullinertia="{full}"/>'
            if floating:
                out += f'<freejoint name="j{k}"/>'
            elif joint:
                kind = "slide" if joint["type"] == "prismatic" else "hinge"
                limits = ""
                if joint["lower"] is not None and joint["upper"] is not None:
                    limits = f'limited="true" range="{numbers([joint["lower"], joint["upper"]])}"'
                out += f'<joint name="j{k}" type="{kind}" axis="{numbers(joint["axis"])}" {limits}/>'
            out += "".join(geom(shape, meshes) for shape in link["shapes"])
            return out + "".join(body(c) for c in children[k]) + "</body>"

        bodies = "".join(body(k) for k in children[-1])
        excludes = ""
        for i, a in enumerate(self.links):
            for j in range(i):
                if a["tree"] == self.links[j]["tree"] and a["moves"] and self.links[j]["moves"]:
                    excludes += f'<exclude body1="b{j}" body2="b{i}"/>'
        actuators = ""
        for drive in scene["drives"]:
            joint = f'joint="j{drive["link"]}"'
            if drive["stiffness"] > 0:
                limit = (
                    f'forcelimited="true" forcerange="{-drive["effort"]!r} {drive["effort"]!r}"'
                    if drive["effort"]
                    else ""
                )
                actuators += f'<position {joint} kp="{drive["stiffness"]!r}" kv="{drive["damping"]!r}" {limit}/>'
            else:
                actuators += f"<motor {joint}/>"
        return f"""<mujoco><compiler angle="radian" autolimits="false"/>
<size memory="512M"/>
<option timestep="{h!r}" gravity="{numbers(scene["gravity"])}" solver="Newton" cone="elliptic"
  integrator="implicitfast" noslip_iterations="{noslip}" impratio="{100 if stiff else 1}"/>
<default><geom friction="{scene["friction"]!r} 0 0" condim="3" {contact}/></default>
<asset>{"".join(meshes)}</asset><worldbody>{bodies}</worldbody><contact>{excludes}</contact>
<actuator>{actuators}</actuator></mujoco>"""

    def step(self):
        mujoco.mj_step(self.model, self.data)

    def poses(self):
        # Positions of bodies are those of the last forward pass; qpos is one step ahead.
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        return [np.concatenate([self.data.xpos[i], self.data.xquat[i]]) for i in self.ids]

    def velocities(self):
        mujoco.mj_comVel(self.model, self.data)
        out, v = [], np.zeros(6)
        for i in self.ids:
            mujoco.mj_objectVelocity(self.model, self.data, mujoco.mjtObj.mjOBJ_XBODY, i, v, 0)
            out.append(np.concatenate([v[3:], v[:3]]))
        return out


if __name__ == "__main__":
    peer.main(Driver())
