// A surface of triangles that deforms, shaded smoothly but for its edges.
import * as THREE from 'three';

const crease = Math.cos(50 * Math.PI / 180);

function normalOf(points, a, b, c, out) {
  const ux = points[3 * b] - points[3 * a], uy = points[3 * b + 1] - points[3 * a + 1], uz = points[3 * b + 2] - points[3 * a + 2];
  const vx = points[3 * c] - points[3 * a], vy = points[3 * c + 1] - points[3 * a + 1], vz = points[3 * c + 2] - points[3 * a + 2];
  out[0] = uy * vz - uz * vy;
  out[1] = uz * vx - ux * vz;
  out[2] = ux * vy - uy * vx;
}

// Corners of triangles that share a normal: those at a vertex whose triangles meet at an edge that is not sharp. Returns a
// number for each corner (3 a triangle), and the vertex of each number.
function joinCorners(triangles, points) {
  const count = triangles.length / 3, vertices = 1 + triangles.reduce((most, v) => Math.max(most, v), -1);
  const normals = new Float64Array(3 * count), n = [0, 0, 0];
  for (let t = 0; t < count; ++t) {
    normalOf(points, triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2], n);
    const size = Math.hypot(...n) || 1;
    for (let k = 0; k < 3; ++k) normals[3 * t + k] = n[k] / size;
  }
  const parent = Int32Array.from({length: 3 * count}, (_, i) => i);
  const find = (i) => {
    while (parent[i] !== i) i = parent[i] = parent[parent[i]];
    return i;
  };
  const join = (a, b) => { parent[find(b)] = find(a); };
  const edges = new Map();  // of two vertices -> the corner it begins at
  for (let corner = 0; corner < 3 * count; ++corner) {
    const t = Math.floor(corner / 3), end = 3 * t + (corner + 1) % 3;
    const a = triangles[corner], b = triangles[end];
    const key = Math.min(a, b) * vertices + Math.max(a, b);
    if (!edges.has(key)) {
      edges.set(key, corner);
      continue;
    }
    const other = edges.get(key), s = Math.floor(other / 3), otherEnd = 3 * s + (other + 1) % 3;
    const dot = normals[3 * s] * normals[3 * t] + normals[3 * s + 1] * normals[3 * t + 1] + normals[3 * s + 2] * normals[3 * t + 2];
    if (dot < crease) continue;
    const same = triangles[other] === a;
    join(corner, same ? other : otherEnd);
    join(end, same ? otherEnd : other);
  }
  const numbers = new Map(), source = [];
  const index = Uint32Array.from(triangles, (vertex, corner) => {
    const root = find(corner);
    if (!numbers.has(root)) {
      numbers.set(root, source.length);
      source.push(vertex);
    }
    return numbers.get(root);
  });
  return {index, source: Uint32Array.from(source)};
}

export class Surface {
  // `points`: where vertices are in the first frame, which tells edges from what is round.
  constructor(triangles, points) {
    const {index, source} = joinCorners(triangles, points);
    this.index = index;
    this.source = source;
    this.count = 1 + triangles.reduce((most, v) => Math.max(most, v), -1);
    this.geometry = new THREE.BufferGeometry();
    for (const name of ['position', 'normal', 'color']) {
      const attribute = new THREE.BufferAttribute(new Float32Array(3 * source.length), 3);
      attribute.setUsage(THREE.DynamicDrawUsage);
      this.geometry.setAttribute(name, attribute);
    }
    this.geometry.setIndex(new THREE.BufferAttribute(index, 1));
  }

  place(points, first) {
    const {position, normal} = this.geometry.attributes, p = position.array, n = normal.array;
    this.source.forEach((vertex, i) => {
      const at = first + 3 * vertex;
      p[3 * i] = points[at];
      p[3 * i + 1] = points[at + 1];
      p[3 * i + 2] = points[at + 2];
    });
    n.fill(0);
    const {index} = this, face = [0, 0, 0];
    for (let t = 0; t < index.length; t += 3) {
      normalOf(p, index[t], index[t + 1], index[t + 2], face);  // as long as the triangle is large
      for (let k = 0; k < 3; ++k) {
        const at = 3 * index[t + k];
        n[at] += face[0];
        n[at + 1] += face[1];
        n[at + 2] += face[2];
      }
    }
    for (let i = 0; i < n.length; i += 3) {
      const scale = 1 / (Math.sqrt(n[i] * n[i] + n[i + 1] * n[i + 1] + n[i + 2] * n[i + 2]) || 1);
      n[i] *= scale;
      n[i + 1] *= scale;
      n[i + 2] *= scale;
    }
    position.needsUpdate = normal.needsUpdate = true;
  }

  // `levelOf(vertex)`: from 0 to 255.
  paint(levelOf, colors) {
    const {color} = this.geometry.attributes, c = color.array;
    this.source.forEach((vertex, i) => {
      const at = 3 * Math.round(levelOf(vertex));
      c[3 * i] = colors[at];
      c[3 * i + 1] = colors[at + 1];
      c[3 * i + 2] = colors[at + 2];
    });
    color.needsUpdate = true;
  }
}
