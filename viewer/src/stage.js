// Camera, light and ground.
import * as THREE from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';

import {kindFixed} from './palette.js';

const background = 0xeef1f5;
const fieldOfView = 32;

// What lies where in some frames: balls around all that moves (around all there is if nothing moves) but for the few that
// fly away, the ball that holds them, and the lowest point. `visit(frame)` places all bodies.
export function measure(replay, bodies, deformables, frames, visit) {
  const moving = [], all = [];
  let lowest = Infinity;
  for (const frame of frames) {
    visit(frame);
    for (const source of [bodies.balls(), deformables.balls()]) {
      for (const {kind, center, radius, lowest: low} of source) {
        const ball = {center: center.clone(), radius};
        all.push(ball);
        if (kind !== kindFixed) moving.push(ball);
        lowest = Math.min(lowest, low);
      }
    }
  }
  const balls = moving.length > 0 ? moving : all;
  if (balls.length === 0) {
    const {point} = replay.contacts;
    for (let i = 0; i < point.length; i += 3) balls.push({center: new THREE.Vector3().fromArray(point, i), radius: 0});
  }
  if (balls.length === 0) balls.push({center: new THREE.Vector3(), radius: 1});
  const box = new THREE.Box3();
  for (let k = 0; k < 3; ++k) {
    const list = balls.map(({center}) => center.getComponent(k)).sort((a, b) => a - b);
    const cut = balls.length > 1000 ? 0.005 : 0;
    box.min.setComponent(k, list[Math.floor(cut * (list.length - 1))]);
    box.max.setComponent(k, list[Math.ceil((1 - cut) * (list.length - 1))]);
  }
  const near = balls.filter(({center}) => box.containsPoint(center));
  const outer = new THREE.Box3();
  for (const {center, radius} of near) {
    outer.expandByPoint(center.clone().addScalar(radius)).expandByPoint(center.clone().addScalar(-radius));
  }
  const size = outer.getSize(new THREE.Vector3());
  return {
    balls: near,
    center: outer.getCenter(new THREE.Vector3()),
    radius: Math.max(size.length() / 2, 1e-3),
    lowest: Number.isFinite(lowest) ? lowest : 0,
  };
}

// Lines that fade with distance and stay one pixel wide.
function makeGrid(cell, reach, center) {
  return new THREE.ShaderMaterial({
    transparent: true,
    depthWrite: false,
    polygonOffset: true,
    polygonOffsetFactor: -2,
    polygonOffsetUnits: -2,
    uniforms: {cell: {value: cell}, reach: {value: reach}, center: {value: center}},
    vertexShader: `varying vec2 at; void main() {
      vec4 world = modelMatrix * vec4(position, 1.0);
      at = position.xy;
      gl_Position = projectionMatrix * viewMatrix * world;
    }`,
    fragmentShader: `varying vec2 at; uniform float cell, reach; uniform vec2 center;
      float line(float size) {
        vec2 x = at / size, width = fwidth(x);
        vec2 distance = abs(fract(x - 0.5) - 0.5) / max(width, 1e-6);
        return (1.0 - min(min(distance.x, distance.y), 1.0)) * (1.0 - smoothstep(0.2, 0.6, max(width.x, width.y)));
      }
      void main() {
        float fade = 1.0 - smoothstep(0.25, 1.0, length(at - center) / reach);
        float strength = max(0.16 * line(cell), 0.34 * line(10.0 * cell));
        gl_FragColor = vec4(0.30, 0.34, 0.42, strength * fade);
      }`,
  });
}

export class Stage {
  constructor(container, {picture}) {
    this.container = container;
    this.scene = new THREE.Scene();
    this.scene.background = new THREE.Color(background);
    this.renderer = new THREE.WebGLRenderer({antialias: true, preserveDrawingBuffer: true});
    this.renderer.setPixelRatio(picture ? 1 : Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    container.appendChild(this.renderer.domElement);
    this.camera = new THREE.PerspectiveCamera(fieldOfView, 1, 0.01, 100);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = !picture;
    this.controls.dampingFactor = 0.12;
  }

  // Puts light, ground and camera around what was measured.
  set(replay, {balls, center, radius, lowest}, view) {
    this.balls = balls;
    this.center = center.clone();
    this.radius = radius;
    this.addLights(center, radius);
    this.addGrounds(replay, center, radius, lowest);
    this.scene.fog = new THREE.Fog(background, 9 * radius, 32 * radius);
    this.view = view;
    this.resize();
    this.resetCamera();
  }

  addLights(center, radius) {
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0xd3d7de, 1.7));
    // From where one looks, so that what one sees is never dark.
    const lamp = new THREE.DirectionalLight(0xffffff, 0.9);
    this.camera.add(lamp, lamp.target);
    lamp.position.set(0.4, 0.5, 1);
    const sun = new THREE.DirectionalLight(0xfffaf3, 1.9);
    sun.position.copy(center).add(new THREE.Vector3(-1.6, -2.2, 4.2).multiplyScalar(radius));
    sun.target.position.copy(center);
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    const reach = 1.6 * radius;
    Object.assign(sun.shadow.camera, {left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * radius, far: 12 * radius});
    sun.shadow.normalBias = 0.004 * radius;
    sun.shadow.bias = -0.0004;
    sun.shadow.radius = 6;
    sun.shadow.intensity = 0.8;
    this.scene.add(this.camera, sun, sun.target);
  }

  // Half-spaces as planes with a grid; where there is none, a grid and shadows under everything.
  addGrounds(replay, center, radius, lowest) {
    this.cell = 10 ** Math.floor(Math.log10(radius));
    const size = 80 * radius;
    this.grounds = [];
    for (const shape of replay.shapes.filter((s) => s.type === 'half-space')) {
      const [w, x, y, z] = shape.rotation;
      const group = new THREE.Group();
      const local = new THREE.Matrix4().compose(
          new THREE.Vector3(...shape.position), new THREE.Quaternion(x, y, z, w), new THREE.Vector3(1, 1, 1));
      this.addGround(group, center.clone().applyMatrix4(local.clone().invert()), size,
                     new THREE.MeshStandardMaterial({color: 0xe4e7ec, roughness: 1, side: THREE.DoubleSide}));
      group.matrixAutoUpdate = false;
      this.grounds.push({group, shape, local});
      this.scene.add(group);
    }
    if (this.grounds.length > 0) return;
    const group = new THREE.Group();
    this.addGround(group, center, size, new THREE.ShadowMaterial({opacity: 0.22, depthWrite: false}));
    group.position.z = lowest;
    this.scene.add(group);
  }

  addGround(group, middle, size, material) {
    const plane = new THREE.Mesh(new THREE.PlaneGeometry(size, size), material);
    plane.position.set(middle.x, middle.y, 0);
    plane.receiveShadow = true;
    const cell = this.cell;
    const grid = new THREE.Mesh(new THREE.PlaneGeometry(size, size).translate(middle.x, middle.y, 0),
                                makeGrid(cell, 14 * this.radius, new THREE.Vector2(middle.x, middle.y)));
    grid.renderOrder = 0.5;
    group.add(plane, grid);
  }

  // Half-spaces may be on links that move.
  update(linkMatrix) {
    for (const {group, shape, local} of this.grounds) {
      group.matrix.multiplyMatrices(linkMatrix(shape.link), local);
      group.matrixWorldNeedsUpdate = true;
    }
  }

  aim(balls) {
    this.balls = balls;
    this.center.set(0, 0, 0);
    for (const {center} of balls) this.center.addScaledVector(center, 1 / balls.length);
    this.resetCamera();
  }

  resetCamera() {
    const {azimuth, elevation, distance} = this.view;
    const a = azimuth * Math.PI / 180, e = elevation * Math.PI / 180;
    const back = new THREE.Vector3(Math.cos(a) * Math.cos(e), Math.sin(a) * Math.cos(e), Math.sin(e));
    const away = distance > 0 ? distance : this.findDistance(back);
    this.camera.near = Math.min(0.02 * this.radius, 0.1 * away);
    this.camera.far = 200 * this.radius + 2 * away;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(this.center);
    this.camera.position.copy(back).multiplyScalar(away).add(this.center);
    this.controls.update();
  }

  // How far back all balls are in view.
  findDistance(back) {
    const right = new THREE.Vector3().crossVectors(this.camera.up, back).normalize();
    const up = new THREE.Vector3().crossVectors(back, right);
    const vertical = fieldOfView * Math.PI / 360, horizontal = Math.atan(Math.tan(vertical) * this.camera.aspect);
    let away = 0;
    for (const {center, radius} of this.balls) {
      const from = center.clone().sub(this.center);
      for (const [axis, angle] of [[right, horizontal], [up, vertical]]) {
        away = Math.max(away, from.dot(back) + Math.abs(from.dot(axis)) / Math.tan(angle) + radius / Math.sin(angle));
      }
    }
    return 1.04 * Math.max(away, 1e-6);
  }

  // How near the camera is: 1 where a run is in full view.
  zoom() {
    return this.camera.position.distanceTo(this.controls.target) * Math.sin(fieldOfView * Math.PI / 360) / this.radius;
  }

  // Moves the camera along with something.
  follow(offset) {
    this.controls.target.add(offset);
    this.camera.position.add(offset);
  }

  resize() {
    const {clientWidth, clientHeight} = this.container;
    this.renderer.setSize(clientWidth, clientHeight);
    this.camera.aspect = clientWidth / Math.max(clientHeight, 1);
    this.camera.updateProjectionMatrix();
  }

  rayThrough(event) {
    const box = this.renderer.domElement.getBoundingClientRect();
    const raycaster = new THREE.Raycaster();
    raycaster.setFromCamera(new THREE.Vector2(2 * (event.clientX - box.left) / box.width - 1,
                                              1 - 2 * (event.clientY - box.top) / box.height), this.camera);
    return raycaster;
  }

  draw() {
    this.renderer.render(this.scene, this.camera);
  }
}
