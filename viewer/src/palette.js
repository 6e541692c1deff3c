// Colours: robots light with one accent each, objects bright, what is fixed in earth tones.
import * as THREE from 'three';

export const modes = [
  {name: 'open', color: 0x8a94a3},
  {name: 'stick', color: 0x18a058},
  {name: 'slip', color: 0xf0620c},
];
export const normalColor = 0x3b5bdb;
export const selectedColor = 0xffc53d;

export const deformablePalette = [0x5aa9a3, 0xe07a8b, 0xc9a94e, 0x7f8fd6];

// Stress from none to the most: never so dark that the shading is lost, and the most stands out.
export const stressStops = [0x5a72d8, 0x3f9fd8, 0x45bfae, 0xa8d67a, 0xf7d95c, 0xf0883c, 0xb81d31];

// 256 colours from the first to the last, 3 linear numbers each.
export function stressColors() {
  const stops = stressStops.map((hex) => new THREE.Color(hex)), out = new Float32Array(3 * 256), color = new THREE.Color();
  for (let k = 0; k < 256; ++k) {
    const at = k / 255 * (stops.length - 1), i = Math.min(Math.floor(at), stops.length - 2);
    color.lerpColors(stops[i], stops[i + 1], at - i).toArray(out, 3 * k);
  }
  return out;
}

// Neither green nor orange, which are modes.
const objects = [0x3f88c5, 0xf4c95d, 0xd1495b, 0x8e6bbf, 0x5fb3c8, 0xa98e6f, 0xe39ac1, 0x56678f, 0xb9c7dd, 0xa44a7d];
const accents = [0x3178c6, 0xe8743b, 0x2a9d8f, 0x9b5de5, 0xd1495b, 0x6a994e];
const robot = [0xf3f4f6, 0xc4cad3, 0xf3f4f6, null];  // null: the accent
const fixed = [0xc9c2b6, 0xb9bfc8, 0xa9b4a2];

export const kindFixed = 0, kindObject = 1, kindRobot = 2;

// One colour for each shape, by what it belongs to and in the order of first appearance.
export function chooseColors(shapes) {
  const groups = [new Map(), new Map(), new Map()];
  const links = new Map();
  const number = (map, key) => map.has(key) ? map.get(key) : (map.set(key, map.size), map.size - 1);
  return shapes.map((shape) => {
    if (shape.kind === kindFixed) return fixed[number(groups[0], `${shape.link}`) % fixed.length];
    const group = number(groups[shape.kind], shape.group);
    if (shape.kind === kindObject) return objects[group % objects.length];
    if (!links.has(shape.group)) links.set(shape.group, new Map());
    return robot[number(links.get(shape.group), shape.link) % robot.length] ?? accents[group % accents.length];
  });
}

export function cssColor(color) {
  return '#' + color.toString(16).padStart(6, '0');
}
