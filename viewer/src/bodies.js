// Shapes on links. Shapes of the same form are instances of one mesh, so that thousands of them are drawn at once.
import * as THREE from 'three';
import {toCreasedNormals} from 'three/examples/jsm/utils/BufferGeometryUtils.js';

import {chooseColors, kindFixed, kindRobot, selectedColor} from './palette.js';

// Up to so many fixed shapes are meshes of their own, which fade where they hide what moves.
const mostWalls = 60;
const faded = 0.22;
const crease = 35 * Math.PI / 180;

function makeMesh({vertices, triangles}) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(vertices, 3));
  geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(triangles), 1));
  return toCreasedNormals(geometry, crease);
}

const upright = (geometry) => geometry.rotateX(Math.PI / 2);  // three.js has its axes along y, we along z

// How a type of shape becomes an instance: a key for those that share triangles, the triangles, and the scale.
const forms = {
  'sphere': (s) => ({key: 'sphere', make: () => new THREE.SphereGeometry(1, 40, 24), scale: [s[0], s[0], s[0]]}),
  'ellipsoid': (s) => ({key: 'sphere', make: () => new THREE.SphereGeometry(1, 40, 24), scale: s}),
  'box': (s) => ({key: 'box', make: () => new THREE.BoxGeometry(2, 2, 2), scale: s}),
  'cylinder': (s) => ({
    key: 'cylinder', make: () => upright(new THREE.CylinderGeometry(1, 1, 2, 48)), scale: [s[0], s[0], s[1]]}),
  'capsule': (s) => ({
    key: `capsule ${s[0]} ${s[1]}`,
    make: () => upright(new THREE.CapsuleGeometry(s[0], 2 * s[1], 12, 32)),
    scale: [1, 1, 1],
  }),
};

function makeForm(shape, replay) {
  if (shape.type === 'mesh') {
    return {key: `mesh ${shape.mesh}`, make: () => makeMesh(replay.meshes[shape.mesh]), scale: [1, 1, 1]};
  }
  return forms[shape.type] ? forms[shape.type](shape.size) : null;
}

// Where links have shapes for show, those that collide are hidden.
function chooseShapes(replay) {
  const decorated = new Set(replay.shapes.filter((s) => !s.collides).map((s) => s.link));
  return replay.shapes.map((shape) => shape.collides ? !decorated.has(shape.link) : true);
}

export class Bodies {
  constructor(replay, scene) {
    this.replay = replay;
    this.batches = [];
    this.linkMatrices = replay.links.map(() => new THREE.Matrix4());
    this.identity = new THREE.Matrix4();
    this.selected = -1;
    this.seeThrough = false;
    const shown = chooseShapes(replay);
    const colors = chooseColors(replay.shapes);
    const batches = new Map();
    const walls = replay.shapes.filter((shape) => shape.kind === kindFixed).length <= mostWalls;
    replay.shapes.forEach((shape, number) => {
      const form = shown[number] ? makeForm(shape, replay) : null;
      if (!form) return;
      const material = shape.kind === kindRobot ? 'robot' : shape.kind === kindFixed ? 'fixed' : 'object';
      const key = `${form.key} ${material}` + (walls && material === 'fixed' ? ` ${number}` : '');
      if (!batches.has(key)) batches.set(key, {form, material, instances: []});
      const local = new THREE.Matrix4().compose(
          new THREE.Vector3(...shape.position),
          new THREE.Quaternion(shape.rotation[1], shape.rotation[2], shape.rotation[3], shape.rotation[0]),
          new THREE.Vector3(...form.scale));
      batches.get(key).instances.push({shape, local, color: new THREE.Color(colors[number])});
    });
    const materials = {
      robot: new THREE.MeshStandardMaterial({roughness: 0.38, metalness: 0.05}),
      object: new THREE.MeshStandardMaterial({roughness: 0.45, metalness: 0, side: THREE.DoubleSide}),
      fixed: new THREE.MeshStandardMaterial({roughness: 0.8, metalness: 0, side: THREE.DoubleSide}),
    };
    for (const {form, material, instances} of batches.values()) {
      const wall = walls && material === 'fixed';
      const mesh = new THREE.InstancedMesh(
          form.make(), wall ? materials.fixed.clone() : materials[material], instances.length);
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      mesh.geometry.computeBoundingSphere();
      mesh.geometry.computeBoundingBox();
      scene.add(mesh);
      this.batches.push({mesh, instances, wall});
    }
    this.materials = new Set(this.batches.map(({mesh}) => mesh.material));
    this.paint();
  }

  // Between two frames links go straight and turn evenly.
  update(frame, part) {
    const {replay} = this;
    const next = Math.min(frame + 1, replay.frames - 1);
    const count = replay.links.length;
    const position = new THREE.Vector3(), rotation = new THREE.Quaternion(), other = new THREE.Quaternion();
    const one = new THREE.Vector3(1, 1, 1);
    for (let link = 0; replay.hasPoses && link < count; ++link) {
      const a = frame * count + link, b = next * count + link;
      const p = replay.position, q = replay.rotation;
      position.set(p[3 * a] + part * (p[3 * b] - p[3 * a]), p[3 * a + 1] + part * (p[3 * b + 1] - p[3 * a + 1]),
                   p[3 * a + 2] + part * (p[3 * b + 2] - p[3 * a + 2]));
      rotation.set(q[4 * a + 1], q[4 * a + 2], q[4 * a + 3], q[4 * a]).normalize();
      if (part > 0) {
        other.set(q[4 * b + 1], q[4 * b + 2], q[4 * b + 3], q[4 * b]).normalize();
        rotation.slerp(other, part);
      }
      this.linkMatrices[link].compose(position, rotation, one);
    }
    const matrix = new THREE.Matrix4();
    for (const {mesh, instances} of this.batches) {
      instances.forEach(({shape, local}, i) => {
        mesh.setMatrixAt(i, matrix.multiplyMatrices(this.linkMatrix(shape.link), local));
      });
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;  // rays ask for it again
    }
  }

  linkMatrix(link) {
    return link < 0 ? this.identity : this.linkMatrices[link];
  }

  paint() {
    const color = new THREE.Color(), highlight = new THREE.Color(selectedColor);
    for (const {mesh, instances} of this.batches) {
      instances.forEach((instance, i) => {
        color.copy(instance.color);
        if (this.selected >= 0 && instance.shape.link === this.selected) color.lerp(highlight, 0.75);
        mesh.setColorAt(i, color);
      });
      mesh.instanceColor.needsUpdate = true;
    }
  }

  select(link) {
    this.selected = link;
    this.paint();
  }

  setSeeThrough(on) {
    this.seeThrough = on;
    for (const material of this.materials) this.setOpacity(material, on ? 0.42 : 1);
  }

  setOpacity(material, opacity) {
    if (material.opacity === opacity) return;
    material.transparent = opacity < 1;
    material.opacity = opacity;
    material.depthWrite = opacity === 1;
    material.needsUpdate = true;
  }

  // Walls that hide a fifth of some of what moves from the camera fade.
  fadeWalls(camera) {
    const walls = this.batches.filter(({wall, mesh}) => wall && mesh.geometry.attributes.position.count < 10000);
    if (walls.length === 0 || this.seeThrough) return;
    const targets = [];
    for (const {kind, center} of this.balls()) {
      if (kind !== kindFixed) targets.push(center.clone());
    }
    const step = Math.max(1, Math.floor(targets.length / 24));
    const chosen = targets.filter((_, k) => k % step === 0);
    const raycaster = new THREE.Raycaster();
    for (const {mesh} of walls) {
      const hidden = chosen.filter((target) => {
        const direction = target.clone().sub(camera.position);
        raycaster.set(camera.position, direction.clone().normalize());
        raycaster.far = direction.length();
        return raycaster.intersectObject(mesh, false).length > 0;
      });
      this.setOpacity(mesh.material, hidden.length > 0.2 * chosen.length ? faded : 1);
    }
  }

  // The link that a ray meets first, and how far away: -1, at infinity, if there is none.
  pick(raycaster) {
    const hits = raycaster.intersectObjects(this.batches.map((batch) => batch.mesh), false);
    if (hits.length === 0) return {link: -1, distance: Infinity};
    const batch = this.batches.find(({mesh}) => mesh === hits[0].object);
    return {link: batch.instances[hits[0].instanceId].shape.link, distance: hits[0].distance};
  }

  // Balls around all shapes in the present pose, and how low they reach: {link, kind, center, radius, lowest}.
  *balls() {
    const center = new THREE.Vector3(), matrix = new THREE.Matrix4();
    for (const {mesh, instances} of this.batches) {
      const sphere = mesh.geometry.boundingSphere, box = new THREE.Box3();
      for (const {shape, local} of instances) {
        matrix.multiplyMatrices(this.linkMatrix(shape.link), local);
        center.copy(sphere.center).applyMatrix4(matrix);
        box.copy(mesh.geometry.boundingBox).applyMatrix4(matrix);
        const radius = sphere.radius * matrix.getMaxScaleOnAxis();
        yield {link: shape.link, kind: shape.kind, center, radius, lowest: box.min.z};
      }
    }
  }
}
