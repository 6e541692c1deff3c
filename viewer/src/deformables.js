// Bodies whose vertices move one by one.
import * as THREE from 'three';

const colors = [0x5aa9a3, 0xe07a8b, 0xc9a94e, 0x7f8fd6];

export class Deformables {
  constructor(replay, scene) {
    this.replay = replay;
    this.meshes = replay.deformables.map((deformable, d) => {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * deformable.vertices), 3));
      geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(deformable.triangles), 1));
      const material = new THREE.MeshStandardMaterial(
          {color: colors[d % colors.length], roughness: 0.7, side: THREE.DoubleSide});
      const mesh = new THREE.Mesh(geometry, material);
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      scene.add(mesh);
      return mesh;
    });
    this.width = 3 * replay.deformables.reduce((sum, deformable) => sum + deformable.vertices, 0);
  }

  update(frame, part) {
    const {vertices, frames} = this.replay;
    if (!vertices) return;
    const a = frame * this.width, b = Math.min(frame + 1, frames - 1) * this.width;
    this.replay.deformables.forEach((deformable, d) => {
      const attribute = this.meshes[d].geometry.getAttribute('position');
      const from = 3 * deformable.first;
      for (let i = 0; i < attribute.array.length; ++i) {
        const start = vertices[a + from + i];
        attribute.array[i] = start + part * (vertices[b + from + i] - start);
      }
      attribute.needsUpdate = true;
      this.meshes[d].geometry.computeVertexNormals();
    });
  }

  *balls() {
    for (const mesh of this.meshes) {
      mesh.geometry.computeBoundingSphere();
      mesh.geometry.computeBoundingBox();
      const {center, radius} = mesh.geometry.boundingSphere;
      yield {kind: 1, center, radius, lowest: mesh.geometry.boundingBox.min.z};
    }
  }
}
