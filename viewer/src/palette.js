// Colours: robots light with one accent each, objects bright, what is fixed in earth tones.

export const modes = [
  {name: 'open', color: 0x8a94a3},
  {name: 'stick', color: 0x18a058},
  {name: 'slip', color: 0xf0620c},
];
export const normalColor = 0x3b5bdb;
export const selectedColor = 0xffc53d;

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
