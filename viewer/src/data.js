// What C++ packed (src/tactus/record/replay_page.cc), unpacked.

const kinds = {
  u8: {size: 1, array: Uint8Array},
  i16: {size: 2, array: Int16Array},
  i32: {size: 4, array: Int32Array},
  f32: {size: 4, array: Float32Array},
  f64: {size: 8, array: Float64Array},
};

function decodeBase64(text) {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  if (typeof DecompressionStream === 'undefined') {
    throw new Error('this browser cannot unpack the file: it needs one of 2023 or later');
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Planes of bytes back into numbers, differences of rows back into rows.
function unpack(bytes, entry) {
  const {size, array} = kinds[entry.type];
  const {count, width, offset} = entry;
  if (offset + size * count > bytes.length) throw new Error('the file is cut short');
  const raw = new Uint8Array(size * count);
  for (let plane = 0; plane < size; ++plane) {
    const from = offset + plane * count;
    for (let i = 0; i < count; ++i) raw[i * size + plane] = bytes[from + i];
  }
  const values = new array(raw.buffer);
  if (entry.differences) {
    for (let i = width; i < count; ++i) values[i] += values[i - width];
  }
  if (entry.smooth) {
    for (let i = 0; i < count; ++i) {
      const expected = i < width ? 0 : i < 2 * width ? values[i - width] : 2 * values[i - width] - values[i - 2 * width];
      values[i] = expected + ((values[i] >>> 1) ^ -(values[i] & 1));
    }
  }
  return values;
}

function scaled(values, unit) {
  const out = new Float32Array(values.length);
  for (let i = 0; i < values.length; ++i) out[i] = values[i] * unit;
  return out;
}

// Frames, links, contacts and curves as plain arrays.
function makeReplay(description, bytes) {
  const arrays = {};
  for (const [name, entry] of Object.entries(description.arrays)) arrays[name] = unpack(bytes, entry);
  const units = description.units;
  const replay = {...description, time: arrays.time, frames: arrays.time.length};
  replay.end = replay.time[replay.frames - 1];
  replay.position = scaled(arrays.position, units.position);
  replay.rotation = scaled(arrays.rotation, units.rotation);
  replay.hasPoses = arrays.position.length > 0;
  replay.deformed = arrays.vertices && arrays.vertices.length > 0 ? {
    places: arrays.vertices,  // whole multiples of the unit, for their size
    unit: units.vertices,
    width: description.arrays.vertices.width,
    from: description.deformed_from ?? 0,
    count: arrays.vertices.length / description.arrays.vertices.width,
  } : null;
  replay.stressLevels = arrays.stress ?? null;
  replay.meshes = [];
  for (let m = 0; m < description.meshes; ++m) {
    replay.meshes.push({vertices: arrays[`mesh_${m}_vertices`], triangles: arrays[`mesh_${m}_triangles`]});
  }
  replay.deformables = description.deformables.map(
      (entry, d) => ({...entry, triangles: arrays[`deformable_${d}_triangles`]}));
  replay.contacts = {
    start: arrays.contact_start,
    objects: arrays.contact_objects,
    point: scaled(arrays.contact_point, units.point),
    normal: scaled(arrays.contact_normal, units.rotation),
    tangent: arrays.contact_tangent ? scaled(arrays.contact_tangent, units.rotation) : null,
    force: arrays.contact_force,
    friction: arrays.contact_friction,
    mode: arrays.contact_mode,
  };
  replay.curves = {
    residual: arrays.residual,
    contacts: arrays.contacts,
    penetration: arrays.penetration,
    solveTime: arrays.solve_time,
    unsolved: arrays.unsolved,
    stress: arrays.stress_most ?? null,
  };
  return replay;
}

// Calls `use` with the replay of this page: at once if it is not compressed, so that pictures wait for nothing.
export function loadReplay(use, fail) {
  const description = JSON.parse(document.getElementById('tactus-description').textContent);
  const bytes = decodeBase64(document.getElementById('tactus-numbers').textContent);
  document.getElementById('tactus-numbers').remove();
  if (!description.compressed) {
    use(makeReplay(description, bytes));
    return;
  }
  inflate(bytes).then((inflated) => use(makeReplay(description, inflated))).catch(fail);
}

// The last frame at or before a time.
export function findFrame(replay, time) {
  let low = 0, high = replay.frames - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (replay.time[middle] <= time + 1e-9) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function framePosition(replay, frame, link) {
  const at = 3 * (frame * replay.links.length + link);
  return [replay.position[at], replay.position[at + 1], replay.position[at + 2]];
}
