// Bodies without a fixed shape: surfaces whose vertices move one by one, and rods as tubes along their segments. They are
// coloured by stress, or plain.
import * as THREE from 'three';

import {deformablePalette, selectedColor, stressColors} from './palette.js';
import {Surface} from './surface.js';
import {Tube} from './tube.js';

const levels = stressColors();

function makeMesh(geometry, color, scene) {
  const material = new THREE.MeshStandardMaterial({color, roughness: 0.75, metalness: 0, side: THREE.DoubleSide});
  const mesh = new THREE.Mesh(geometry, material);
  mesh.castShadow = mesh.receiveShadow = true;
  mesh.frustumCulled = false;
  scene.add(mesh);
  return mesh;
}

export class Deformables {
  constructor(replay, scene) {
    this.replay = replay;
    this.points = new Float32Array(replay.deformed?.width ?? 0);
    this.selected = -1;
    this.placePoints(0, 0);
    const vertices = replay.deformables.reduce((sum, {vertices}) => sum + vertices, 0);
    let stressed = vertices;
    this.parts = replay.deformables.map(({first, triangles}) => ({
      form: new Surface(triangles, this.points.subarray(3 * first)), first: 3 * first, stress: first}));
    for (const rod of replay.rods ?? []) {
      this.parts.push({form: new Tube(rod), first: 3 * rod.first, stress: stressed});
      stressed += rod.segments;
    }
    this.stressed = stressed;
    this.names = [...replay.deformables, ...(replay.rods ?? [])].map(({name}) => name);
    this.parts.forEach((part, k) => {
      part.color = new THREE.Color(deformablePalette[k % deformablePalette.length]);
      part.mesh = makeMesh(part.form.geometry, part.color, scene);
    });
    this.meshes = this.parts.map(({mesh}) => mesh);
    this.setStress(replay.stress !== undefined && !replay.stress.plain);
  }

  // Between two frames points go straight.
  placePoints(frame, part) {
    const {deformed} = this.replay;
    if (!deformed) return;
    const {places, width, unit} = deformed;
    const [now, next] = this.rows(frame);
    const a = now * width, b = next * width;
    for (let i = 0; i < width; ++i) {
      const start = places[a + i];
      this.points[i] = unit * (start + part * (places[b + i] - start));
    }
  }

  // Where a frame and the one after it are kept; pictures have no others.
  rows(frame) {
    const {from, count} = this.replay.deformed;
    const clamp = (row) => Math.min(Math.max(row - from, 0), count - 1);
    return [clamp(frame), clamp(frame + 1)];
  }

  update(frame, part) {
    this.placePoints(frame, part);
    for (const {form, first} of this.parts) form.place(this.points, first);
    this.place = [frame, part];
    if (this.showsStress) this.paint();
  }

  paint() {
    const {stressLevels} = this.replay;
    const [frame, part] = this.place ?? [0, 0];
    const [now, next] = this.rows(frame);
    for (const {form, stress} of this.parts) {
      form.paint((k) => {
        const start = stressLevels[now * this.stressed + stress + k];
        return start + part * (stressLevels[next * this.stressed + stress + k] - start);
      }, levels);
    }
  }

  setStress(on) {
    this.showsStress = on;
    for (const {mesh, color} of this.parts) {
      mesh.material.vertexColors = on;
      mesh.material.color.copy(on ? new THREE.Color(0xffffff) : color);
      mesh.material.needsUpdate = true;
    }
    if (on) this.paint();
  }

  setSeeThrough(on) {
    for (const {material} of this.meshes) {
      material.transparent = on;
      material.opacity = on ? 0.5 : 1;
      material.depthWrite = !on;
      material.needsUpdate = true;
    }
  }

  // Counted from 0; -1: none.
  select(number) {
    this.selected = number;
    this.meshes.forEach((mesh, k) => mesh.material.emissive.set(k === number ? selectedColor : 0).multiplyScalar(0.35));
  }

  // The nearest body that a ray meets: {number, distance}, or null.
  pick(raycaster) {
    for (const {geometry} of this.meshes) geometry.computeBoundingSphere();
    const [hit] = raycaster.intersectObjects(this.meshes, false);
    return hit ? {number: this.meshes.indexOf(hit.object), distance: hit.distance} : null;
  }

  // The mean of a body's points in a frame.
  center(number, frame) {
    const {places, width, unit} = this.replay.deformed;
    const {first, form} = this.parts[number], row = this.rows(frame)[0] * width + first;
    const sum = [0, 0, 0];
    for (let i = 0; i < 3 * form.count; ++i) sum[i % 3] += places[row + i];
    return sum.map((x) => unit * x / form.count);
  }

  *balls() {
    for (let number = 0; number < this.meshes.length; ++number) {
      const {geometry} = this.meshes[number];
      geometry.computeBoundingSphere();
      geometry.computeBoundingBox();
      const {center, radius} = geometry.boundingSphere;
      yield {deformable: number, kind: 1, center, radius, lowest: geometry.boundingBox.min.z};
    }
  }
}
