"""Pinocchio: its dynamics, Coal's collision detection with contact patches, and its ADMM and PGS contact solvers.

Pinocchio is a library, not a simulator: the loop around it is this file, semi-implicit Euler with gaps over the step as
in tactus; overlaps are undone at a fifth a step. The time of a step is that of the calls into the libraries (collision,
dynamics, factorization, solver); the making of constraint objects in Python is left out. Joint springs are implicit, by
armature; joint limits are left out, nothing reaches them. Pairs come from a sweep along x, left out of the time, too.

admm, pgs: tolerance 1e-8, at most 1000 iterations, warm started by nothing.
"""

import time

import coal
import numpy as np
import peer
import pinocchio as pin

TOLERANCE, ITERATIONS, MARGIN = 1e-8, 1000, 1e-3


def se3(pose):
    return pin.SE3(peer.rotation(np.array(pose[3:]) / np.linalg.norm(pose[3:])), np.array(pose[:3]))


def make_shape(shape):
    size, kind = shape["size"], shape["type"]
    if kind == "sphere":
        return coal.Sphere(size[0])
    if kind == "capsule":
        return coal.Capsule(size[0], 2 * size[1])
    if kind == "cylinder":
        return coal.Cylinder(size[0], 2 * size[1])
    if kind == "box":
        return coal.Box(2 * size[0], 2 * size[1], 2 * size[2])
    if kind == "half-space":
        return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
    points = coal.StdVec_Vec3s()
    for p in shape["points"]:
        points.append(np.array(p))
    return coal.Convex.convexHull(points, True, None)


class Driver:
    variants = ["admm", "pgs"]

    def version(self):
        return pin.__version__

    def cannot(self, scene, variant):
        if sum(link["moves"] for link in scene["links"]) > 300:
            return (
                "its factorization is dense over all bodies that touch: a thousand of them take gigabytes and minutes"
            )
        return None

    def make(self, scene, variant, h):
        return World(scene, variant, h)


class Shape:
    """A shape on a joint, with its box."""

    def __init__(self, shape, placement, joint, tree):
        self.geometry = make_shape(shape)
        self.geometry.computeLocalAABB()
        self.placement, self.joint, self.tree = placement, joint, tree
        self.radius = np.inf if shape["type"] == "half-space" else self.geometry.aabb_radius
        self.center = np.zeros(3) if shape["type"] == "half-space" else np.array(self.geometry.aabb_center)
        self.curved = shape["type"] in ("sphere", "capsule")


class World:
    def __init__(self, scene, variant, h):
        self.links, self.h, self.variant, self.mu = scene["links"], h, variant, scene["friction"]
        self.model = pin.Model()
        self.model.gravity = pin.Motion(np.array(scene["gravity"]), np.zeros(3))
        self.joints, self.placements, self.shapes = [], [], []
        for k, link in enumerate(self.links):
            self.add_link(k, link)
        self.add_drives(scene["drives"])
        self.data = self.model.createData()
        self.set_state()
        self.zero = pin.SE3.Identity()
        pin.forwardKinematics(self.model, self.data, self.q, self.v)

    def add_link(self, k, link):
        parent = link["parent"]
        at = (0, pin.SE3.Identity()) if parent < 0 else (self.joints[parent], self.placements[parent])
        joint, placement = link["joint"], at[1] * se3(link["X_PL"])
        if not joint:
            self.joints.append(at[0])
            self.placements.append(placement)
        else:
            axis = np.array(joint.get("axis", [0, 0, 1.0]))
            if joint["type"] == "floating":
                made, placement = pin.JointModelFreeFlyer(), pin.SE3.Identity()
            elif joint["type"] == "prismatic":
                made = pin.JointModelPrismaticUnaligned(axis)
            else:
                made = pin.JointModelRevoluteUnaligned(axis)
            self.joints.append(self.model.addJoint(at[0], made, placement, f"j{k}"))
            self.placements.append(pin.SE3.Identity())
        if link["moves"] and link["mass"] > 0:
            inertia = pin.Inertia(link["mass"], np.array(link["com"]), np.array(link["inertia"]))
            self.model.appendBodyToJoint(self.joints[k], inertia, self.placements[k])
        for shape in link["shapes"]:
            tree = link["tree"] if link["moves"] else -1
            self.shapes.append(Shape(shape, self.placements[k] * se3(shape["pose"]), self.joints[k], tree))

    def add_drives(self, drives):
        """Implicit springs: M + h D + h^2 K, and what they do with the velocity of the start."""
        nv = self.model.nv
        self.K, self.D, self.target, self.force = np.zeros(nv), np.zeros(nv), np.zeros(nv), np.zeros(nv)
        self.q_of_v = np.zeros(nv, int)
        for drive in drives:
            joint = self.model.joints[self.joints[drive["link"]]]
            v = joint.idx_v
            self.K[v], self.D[v], self.target[v] = drive["stiffness"], drive["damping"], drive["target"]
            self.force[v], self.q_of_v[v] = drive["force"], joint.idx_q
        self.model.armature = self.h * self.D + self.h**2 * self.K

    def set_state(self):
        self.q, self.v = pin.neutral(self.model), np.zeros(self.model.nv)
        for k, link in enumerate(self.links):
            joint = link["joint"]
            if not joint:
                continue
            made = self.model.joints[self.joints[k]]
            if joint["type"] == "floating":
                pose = link["pose"]
                self.q[made.idx_q : made.idx_q + 7] = pose[:3] + pose[4:] + [pose[3]]
                R = peer.rotation(pose[3:]).T
                self.v[made.idx_v : made.idx_v + 3] = R @ np.array(link["velocity"][:3])
                self.v[made.idx_v + 3 : made.idx_v + 6] = R @ np.array(link["velocity"][3:])
            else:
                self.q[made.idx_q], self.v[made.idx_v] = joint["q"], joint["v"]

    def pairs(self, placed):
        """Shapes of different trees whose spheres come near within the step."""
        centers = np.array([X.act(s.center) for s, X in zip(self.shapes, placed)])
        radii = np.array([s.radius for s in self.shapes])
        reach = MARGIN + self.h * np.array(
            [np.linalg.norm(self.data.v[s.joint].linear) if s.joint else 0.0 for s in self.shapes]
        )
        trees = np.array([s.tree for s in self.shapes])
        low = np.where(np.isfinite(radii), centers[:, 0] - radii - reach, -np.inf)
        order = np.argsort(low, kind="stable")
        for n, i in enumerate(order):
            rest = order[n + 1 :]
            rest = rest[low[rest] <= centers[i, 0] + radii[i] + reach[i]]
            near = np.linalg.norm(centers[rest] - centers[i], axis=1) <= radii[rest] + radii[i] + reach[rest] + reach[i]
            for j in rest[near & (trees[rest] != trees[i])]:
                yield (i, j, reach[i] + reach[j])

    def contacts(self, clock):
        placed = [self.data.oMi[s.joint] * s.placement for s in self.shapes]
        transforms = [coal.Transform3s(X.rotation, X.translation) for X in placed]
        out = []
        request, patch_request = coal.CollisionRequest(), coal.ContactPatchRequest()
        for i, j, reach in self.pairs(placed):
            request.security_margin = float(reach)
            result, patches = coal.CollisionResult(), coal.ContactPatchResult()
            a, b = self.shapes[i], self.shapes[j]
            begin = time.thread_time()
            hit = coal.collide(a.geometry, transforms[i], b.geometry, transforms[j], request, result)
            if hit and not (a.curved and b.curved):
                coal.computeContactPatch(
                    a.geometry, transforms[i], b.geometry, transforms[j], result, patch_request, patches
                )
            clock[0] += time.thread_time() - begin
            if not hit:
                continue
            if patches.numContactPatches() > 0 and patches.getContactPatch(0).size() > 0:
                patch = patches.getContactPatch(0)
                normal = np.array(patch.getNormal())
                for k in range(patch.size()):
                    p1, p2 = np.array(patch.getPointShape1(k)), np.array(patch.getPointShape2(k))
                    out.append((a.joint, b.joint, 0.5 * (p1 + p2), normal, normal @ (p2 - p1)))
            else:
                contact = result.getContact(0)
                out.append(
                    (a.joint, b.joint, np.array(contact.pos), np.array(contact.normal), contact.penetration_depth)
                )
        return out

    def constraints(self, contacts):
        models, gaps = pin.StdVec_ConstraintModel(), np.zeros(3 * len(contacts))
        for k, (a, b, point, normal, gap) in enumerate(contacts):
            helper = np.eye(3)[int(np.argmin(np.abs(normal)))]
            t1 = np.cross(normal, helper)
            t1 /= np.linalg.norm(t1)
            frame = pin.SE3(np.column_stack([t1, np.cross(normal, t1), normal]), point)
            made = pin.PointContactConstraintModel(
                self.model, a, self.data.oMi[a].actInv(frame), b, self.data.oMi[b].actInv(frame)
            )
            made.setFriction(self.mu)
            models.append(pin.ConstraintModel(made))
            gaps[3 * k + 2] = gap / self.h if gap > 0 else 0.2 * gap / self.h
        return models, gaps

    def step(self):
        model, data, h = self.model, self.data, self.h
        clock = [0.0]
        begin = time.thread_time()
        pin.forwardKinematics(model, data, self.q, self.v)
        clock[0] += time.thread_time() - begin
        contacts = self.contacts(clock)
        spring = self.K * (self.target - self.q[self.q_of_v] - h * self.v) - self.D * self.v
        begin = time.thread_time()
        v_free = self.v + h * pin.aba(model, data, self.q, self.v, self.force + spring)
        clock[0] += time.thread_time() - begin
        if contacts:
            v_free = v_free + self.solve(contacts, v_free, clock)
        self.v = v_free
        self.q = pin.integrate(model, self.q, h * self.v)
        pin.normalize(model, self.q)
        return clock[0]

    def solve(self, contacts, v_free, clock):
        """The velocities that contacts add."""
        model, data = self.model, self.data
        models, gaps = self.constraints(contacts)
        datas = pin.StdVec_ConstraintData()
        for m in models:
            datas.append(m.createData())
        begin = time.thread_time()
        pin.crba(model, data, self.q, pin.Convention.WORLD)
        pin.cholesky.decompose(model, data)
        cholesky = pin.ConstraintCholeskyDecomposition(model, data, models, datas)
        for m, d in zip(models, datas):
            m.calc(model, data, d)
        cholesky.compute(model, data, models, datas, 1e-10)
        jacobian = pin.getConstraintsJacobian(model, data, models, datas)
        free = jacobian @ v_free + gaps
        solver, result, settings = self.make_solver()
        delassus = cholesky.getDelassusOperatorCholeskyExpression()
        if self.variant == "pgs":
            delassus = pin.DelassusOperatorDense(delassus.matrix())  # what its sweeps are quickest on
        solver.solve(delassus, free, models, datas, settings, result)
        impulse = np.array(result.retrieveConstraintImpulses()).ravel()
        change = pin.cholesky.solve(model, data, jacobian.T @ impulse)
        clock[0] += time.thread_time() - begin
        return change

    def make_solver(self):
        if self.variant == "admm":
            solver, result, settings = pin.ADMMConstraintSolver(), pin.ADMMSolverResult(), pin.ADMMSolverSettings()
        else:
            solver, result, settings = pin.PGSConstraintSolver(), pin.PGSSolverResult(), pin.PGSSolverSettings()
        settings.absolute_feasibility_tol = settings.relative_feasibility_tol = TOLERANCE
        settings.absolute_complementarity_tol = settings.relative_complementarity_tol = TOLERANCE
        settings.max_iterations = ITERATIONS
        settings.solve_ncp = True
        return solver, result, settings

    def poses(self):
        pin.forwardKinematics(self.model, self.data, self.q, self.v)
        out = []
        for joint, placement in zip(self.joints, self.placements):
            X = self.data.oMi[joint] * placement
            out.append(np.concatenate([X.translation, peer.quaternion(X.rotation)]))
        return out

    def velocities(self):
        out = []
        for joint, placement in zip(self.joints, self.placements):
            X = self.data.oMi[joint] * placement
            v = placement.actInv(self.data.v[joint]) if joint else pin.Motion.Zero()
            out.append(np.concatenate([X.rotation @ v.linear, X.rotation @ v.angular]))
        return out


if __name__ == "__main__":
    peer.main(Driver())
