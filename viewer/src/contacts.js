// Contact points, their normals, forces and friction cones, coloured by mode.
import * as THREE from 'three';

import {modes, normalColor} from './palette.js';

const upright = (geometry) => geometry.rotateX(Math.PI / 2);

// Along z from the origin, of unit length and radius.
const makeShaft = () => upright(new THREE.CylinderGeometry(1, 1, 1, 12)).translate(0, 0, 0.5);
const makeHead = () => upright(new THREE.ConeGeometry(1, 1, 20)).translate(0, 0, 0.5);
// The tip at the origin, opening along z.
const makeCone = () => upright(new THREE.ConeGeometry(1, 1, 28, 1, true)).rotateX(Math.PI).translate(0, 0, 0.5);

// Rotation that takes z to `axis`, and x near `side` if that is given.
function rotationTo(axis, side, out) {
  const x = new THREE.Vector3(), y = new THREE.Vector3();
  x.copy(side ?? (Math.abs(axis.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0)));
  y.crossVectors(axis, x).normalize();
  x.crossVectors(y, axis);
  return out.makeBasis(x, y, axis);
}

// The force that only one contact in twenty exceeds.
function typicalForce(force) {
  const sizes = [];
  const step = Math.max(1, Math.floor(force.length / 3 / 20000));
  for (let i = 0; i < force.length / 3; i += step) {
    const size = Math.hypot(force[3 * i], force[3 * i + 1], force[3 * i + 2]);
    if (size > 0) sizes.push(size);
  }
  sizes.sort((a, b) => a - b);
  return sizes.length > 0 ? sizes[Math.floor(0.95 * (sizes.length - 1))] : 1;
}

export class Contacts {
  // `length`: how long a typical force is drawn [m], until one comes nearer (zoom < 1).
  constructor(replay, scene, length) {
    this.replay = replay;
    this.fullLength = length;
    this.zoom = 1;
    this.typical = typicalForce(replay.contacts.force);
    this.stretch = 1;
    this.show = {points: false, normals: false, forces: false, cones: false};
    const {start} = replay.contacts;
    let most = 0;
    for (let f = 0; f < replay.frames; ++f) most = Math.max(most, start[f + 1] - start[f]);
    const add = (geometry, options, order) => {
      const material = new THREE.MeshBasicMaterial({depthTest: false, transparent: true, ...options});
      const mesh = new THREE.InstancedMesh(geometry, material, Math.max(most, 1));
      mesh.frustumCulled = false;
      mesh.renderOrder = order;
      mesh.count = 0;
      scene.add(mesh);
      return mesh;
    };
    this.cones = add(makeCone(), {opacity: 0.22, side: THREE.DoubleSide, depthWrite: false}, 1);
    this.normals = add(makeShaft(), {opacity: 0.9}, 2);
    this.shafts = add(makeShaft(), {}, 3);
    this.heads = add(makeHead(), {}, 3);
    this.dots = add(new THREE.SphereGeometry(1, 16, 12), {}, 4);
    this.colors = modes.map((mode) => new THREE.Color(mode.color));
    this.normalColor = new THREE.Color(normalColor);
    this.counts = modes.map(() => 0);
  }

  get length() {
    return this.zoom * this.fullLength;
  }

  any() {
    return Object.values(this.show).some((on) => on);
  }

  update(frame) {
    const {contacts} = this.replay;
    const from = contacts.start[frame], count = contacts.start[frame + 1] - from;
    this.counts.fill(0);
    const meshes = [this.cones, this.normals, this.shafts, this.heads, this.dots];
    for (const mesh of meshes) mesh.count = 0;
    for (let i = 0; i < count; ++i) ++this.counts[contacts.mode[from + i]];
    if (!this.any()) return;
    for (let i = 0; i < count; ++i) this.place(from + i);
    for (const mesh of meshes) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  place(c) {
    const {point, normal, tangent, force, friction, mode} = this.replay.contacts;
    const at = new THREE.Vector3().fromArray(point, 3 * c);
    const n = new THREE.Vector3().fromArray(normal, 3 * c).normalize();
    const f = new THREE.Vector3().fromArray(force, 3 * c);
    // As they act on the upper of the two bodies: the ground's forces point up.
    if (n.z < -0.1) {
      n.negate();
      f.negate();
    }
    const color = this.colors[mode[c]];
    const thin = 0.02 * this.length;
    const frame = new THREE.Matrix4();
    const open = mode[c] === 0;  // these are many and push nothing: small, and without a cone
    const dot = (open ? 0.9 : 1.7) * thin;
    if (this.show.points) this.add(this.dots, frame.identity(), at, [dot, dot, dot], color);
    if (this.show.normals) {
      this.add(this.normals, rotationTo(n, null, frame), at, [0.6 * thin, 0.6 * thin, 0.6 * this.length], this.normalColor);
    }
    if (this.show.cones && !open) {
      const [mu1, mu2] = this.replay.frictions[friction[c]] ?? [0, 0];
      const side = tangent ? new THREE.Vector3().fromArray(tangent, 3 * c) : null;
      const height = 0.5 * this.length / Math.max(1, mu1, mu2);
      if (mu1 > 0 || mu2 > 0) {
        this.add(this.cones, rotationTo(n, side, frame), at, [mu1 * height, mu2 * height, height], color);
      }
    }
    const size = f.length() / this.typical * this.length * this.stretch;
    if (!this.show.forces || !(size > 1e-3 * this.length)) return;
    f.normalize();
    const head = Math.min(0.35 * size, 7 * thin);
    rotationTo(f, null, frame);
    this.add(this.shafts, frame, at, [thin, thin, size - head], color);
    this.add(this.heads, frame, at.addScaledVector(f, size - head), [0.42 * head, 0.42 * head, head], color);
  }

  add(mesh, rotation, at, scale, color) {
    const matrix = rotation.clone().scale(new THREE.Vector3(...scale)).setPosition(at);
    mesh.setMatrixAt(mesh.count, matrix);
    mesh.setColorAt(mesh.count, color);
    ++mesh.count;
  }
}
