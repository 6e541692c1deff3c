// A rod as a tube with round ends along a smooth curve through its points: the first end, the middles of its segments,
// the last end.
import * as THREE from 'three';

const sides = 14, capRings = 4;

export class Tube {
  constructor({points, segments, radius}) {
    this.count = points;
    this.segments = segments;
    this.radius = radius;
    // Parts of the way from point to point; many points make a smooth curve by themselves.
    this.steps = Math.min(Math.max(Math.round(1200 / points), 2), 8);
    this.curveRings = (points - 1) * this.steps + 1;
    this.rings = this.curveRings + 2 * capRings;
    this.geometry = new THREE.BufferGeometry();
    for (const name of ['position', 'normal', 'color']) {
      const attribute = new THREE.BufferAttribute(new Float32Array(3 * this.rings * sides), 3);
      attribute.setUsage(THREE.DynamicDrawUsage);
      this.geometry.setAttribute(name, attribute);
    }
    const index = new Uint32Array(6 * (this.rings - 1) * sides);
    let at = 0;
    for (let ring = 0; ring + 1 < this.rings; ++ring) {
      for (let k = 0; k < sides; ++k) {
        const a = ring * sides + k, b = ring * sides + (k + 1) % sides;
        index.set([a, b, b + sides, a, b + sides, a + sides], at);
        at += 6;
      }
    }
    this.geometry.setIndex(new THREE.BufferAttribute(index, 1));
    this.tangents = new Float64Array(3 * points);
    this.circle = Float64Array.from({length: 2 * sides}, (_, k) => (k % 2 ? Math.sin : Math.cos)(Math.PI * (k - k % 2) / sides));
  }

  // Slopes at the points, by the parabola through each and its neighbours, which need not be equally far away.
  findTangents(points, first) {
    const {tangents, count} = this;
    const step = (i, k) => points[first + 3 * i + 3 + k] - points[first + 3 * i + k];
    const length = (i) => Math.hypot(step(i, 0), step(i, 1), step(i, 2)) || 1e-12;
    for (let i = 0; i < count; ++i) {
      const before = i > 0 ? length(i - 1) : 1, after = i + 1 < count ? length(i) : 1;
      for (let k = 0; k < 3; ++k) {
        const left = i > 0 ? step(i - 1, k) / before : step(i, k) / after;
        const right = i + 1 < count ? step(i, k) / after : left;
        tangents[3 * i + k] = (after * left + before * right) / (before + after);
      }
    }
  }

  place(points, first) {
    this.findTangents(points, first);
    const {position, normal} = this.geometry.attributes;
    const at = new THREE.Vector3(), along = new THREE.Vector3(), side = new THREE.Vector3(), up = new THREE.Vector3();
    this.findPoint(points, first, 0, at, along);
    side.set(0, 0, 1);
    if (Math.abs(along.z) > 0.9) side.set(1, 0, 0);
    let ring = 0;
    // A ring around `at`, of a cap if `angle` is not 0: -90 degrees is the pole of the first end, 90 of the last.
    const add = (angle) => {
      up.crossVectors(along, side).normalize();
      side.crossVectors(up, along);
      const cos = Math.cos(angle), sin = Math.sin(angle);
      for (let k = 0; k < sides; ++k) {
        const x = cos * this.circle[2 * k], y = cos * this.circle[2 * k + 1], v = 3 * (ring * sides + k);
        for (let i = 0; i < 3; ++i) {
          const n = x * side.getComponent(i) + y * up.getComponent(i) + sin * along.getComponent(i);
          normal.array[v + i] = n;
          position.array[v + i] = at.getComponent(i) + this.radius * n;
        }
      }
      ++ring;
    };
    for (let k = 0; k < capRings; ++k) add((k / capRings - 1) * Math.PI / 2);
    for (let k = 0; k < this.curveRings; ++k) {
      this.findPoint(points, first, k, at, along);
      add(0);
    }
    for (let k = 1; k <= capRings; ++k) add(k / capRings * Math.PI / 2);
    position.needsUpdate = normal.needsUpdate = true;
  }

  // Of the curve at a ring: Hermite's cubic between two points.
  findPoint(points, first, ring, at, along) {
    const i = Math.min(Math.floor(ring / this.steps), this.count - 2), t = ring / this.steps - i;
    const p = first + 3 * i, q = p + 3, m = this.tangents;
    const length = Math.hypot(points[q] - points[p], points[q + 1] - points[p + 1], points[q + 2] - points[p + 2]);
    const t2 = t * t, t3 = t2 * t;
    for (let k = 0; k < 3; ++k) {
      const a = points[p + k], b = points[q + k], u = length * m[3 * i + k], w = length * m[3 * i + 3 + k];
      at.setComponent(k, (2 * t3 - 3 * t2 + 1) * a + (t3 - 2 * t2 + t) * u + (3 * t2 - 2 * t3) * b + (t3 - t2) * w);
      along.setComponent(k, (6 * t2 - 6 * t) * (a - b) + (3 * t2 - 4 * t + 1) * u + (3 * t2 - 2 * t) * w);
    }
    along.normalize();
  }

  // `levelOf(segment)`: from 0 to 255. Point i is the middle of segment i - 1.
  paint(levelOf, colors) {
    const {color} = this.geometry.attributes, c = color.array;
    const levelAt = (point) => levelOf(Math.min(Math.max(point - 1, 0), this.segments - 1));
    for (let ring = 0; ring < this.rings; ++ring) {
      const place = Math.min(Math.max(ring - capRings, 0), this.curveRings - 1) / this.steps;
      const i = Math.min(Math.floor(place), this.count - 2), t = place - i;
      const at = 3 * Math.round(levelAt(i) + t * (levelAt(i + 1) - levelAt(i)));
      for (let v = 3 * ring * sides; v < 3 * (ring + 1) * sides; v += 3) {
        c[v] = colors[at];
        c[v + 1] = colors[at + 1];
        c[v + 2] = colors[at + 2];
      }
    }
    color.needsUpdate = true;
  }
}
