// Opens replays in a browser as people do: node browser.mjs TACTUS NODE_MODULES FOLDER
// Exit code 77: something to test with is missing.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {findTools, launch, openWatched, runTests, skip} from './tools.mjs';

const [program, modules, folder] = process.argv.slice(2);
const tools = findTools(modules);
const viewer = path.join(path.dirname(program), '..', 'share', 'tactus', 'viewer', 'replay.js');
if (!fs.existsSync(viewer)) skip('replays were left out of this build');
fs.mkdirSync(folder, {recursive: true});
const browser = await launch(tools);

async function open(file) {
  const page = await openWatched(browser, file, {viewport: {width: 900, height: 600}});
  await page.waitForFunction(() => document.documentElement.dataset.replay, null, {timeout: 120000});
  assert.equal(await page.evaluate(() => document.documentElement.dataset.replay), 'ready');
  return page;
}

// The picture on the canvas as text; the same picture gives the same text.
const look = (page) => page.evaluate(() => {
  window.tactus.draw(performance.now());
  return window.tactus.stage.renderer.domElement.toDataURL();
});
const frameOf = (page) => page.evaluate(() => window.tactus.shown.frame);

const tests = {
  async 'plays, scrubs and steps'() {
    const page = await open(made.cube);
    const first = await look(page);
    assert.equal(await look(page), first);
    await page.selectOption('#speed', '0.05');  // so that it has not ended when a slow machine comes to stop it
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.tactus.shown.frame > 3, null, {timeout: 60000});
    await page.click('#play');
    const paused = await frameOf(page);
    await page.waitForTimeout(200);
    assert.equal(await frameOf(page), paused);
    assert.notEqual(await look(page), first);
    await page.locator('#scrub').fill('20');
    await look(page);
    assert.equal(await frameOf(page), 20);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    await look(page);
    assert.equal(await frameOf(page), 21);
    await page.keyboard.press('End');
    await look(page);
    assert.match(await page.locator('#clock').textContent(), /^1\.000 \/ 1\.000 s$/);
    await page.selectOption('#speed', '0.25');
    assert.equal(await page.evaluate(() => window.tactus.player.speed), 0.25);
    assert.match(await page.locator('#about').textContent(), /60 frames a second/);
    return page;
  },

  async 'shows contacts'() {
    const page = await open(made.cube);
    await page.locator('#scrub').fill('5');  // it slides on the table
    const without = await look(page);
    for (const name of ['points', 'forces', 'normals', 'cones', 'seeThrough']) {
      const before = await look(page);
      await page.locator(`#show-${name}`).check();
      assert.notEqual(await look(page), before, name);
    }
    assert.match(await page.locator('#legend').textContent(), /[1-9]\d* (stick|slip)/);
    for (const key of ['c', 'f', 'n', 'k', 'x']) await page.keyboard.press(key);
    assert.equal(await look(page), without);
    return page;
  },

  async 'bodies are chosen by click and in the list'() {
    const page = await open(made.cube);
    const cube = await page.evaluate(() => window.tactus.replay.links.indexOf('cube'));
    assert.ok(cube >= 0);
    await page.selectOption('#body', String(cube));
    assert.equal(await page.locator('.plot').last().isVisible(), true);
    const at = await page.evaluate((link) => {
      const {bodies, stage} = window.tactus;
      const e = bodies.linkMatrix(link).elements;
      const p = stage.center.clone().set(e[12], e[13], e[14]).project(stage.camera);
      const box = stage.renderer.domElement.getBoundingClientRect();
      return [box.left + (p.x + 1) / 2 * box.width, box.top + (1 - p.y) / 2 * box.height];
    }, cube);
    await page.selectOption('#body', '-1');
    await page.mouse.click(...at);
    assert.equal(await page.locator('#body').inputValue(), String(cube));
    return page;
  },

  async 'the numbers are those of the recording'() {
    const page = await open(made.replayed);
    const lines = fs.readFileSync(made.csv, 'utf8').trim().split('\n');
    const last = lines[lines.length - 1].split(',').map(Number);
    const [time, position] = await page.evaluate(() => {
      const {replay} = window.tactus;
      const link = replay.links.indexOf('cube'), at = 3 * ((replay.frames - 1) * replay.links.length + link);
      return [replay.end, [...replay.position.slice(at, at + 3)]];
    });
    assert.equal(time, last[0]);
    position.forEach((x, k) => assert.ok(Math.abs(x - last[1 + k]) < 1e-6, `${x} and ${last[1 + k]}`));
    return page;
  },

  async 'hostile names do nothing'() {
    const page = await open(made.hostile);
    assert.equal(await page.evaluate(() => window.broken), undefined);
    assert.match(await page.locator('h1').textContent(), /<\/script>/);
    return page;
  },

  async 'deformables move'() {
    const page = await open(made.cloth);
    const first = await look(page);
    await page.keyboard.press('End');
    assert.notEqual(await look(page), first);
    const corner = await page.evaluate(() => [...window.tactus.deformables.meshes[0].geometry.attributes.position.array.slice(0, 3)]);
    assert.deepEqual(corner.map((x) => Math.round(1000 * x)), [0, 0, 250]);
    return page;
  },

  async 'soft bodies are coloured by stress, or plain'() {
    const page = await open(made.soft);
    await page.locator('#scrub').fill('4');
    const coloured = await look(page);
    assert.equal(await page.locator('#show-stress').isChecked(), true);
    const scale = await page.locator('#stress').textContent();
    assert.match(scale, /von Mises stress \[kPa\]largest 8/);
    assert.match(scale, /\u2265 4/);
    assert.match(scale, /Stress of rods \[MPa\]/);
    await page.keyboard.press('s');
    assert.notEqual(await look(page), coloured);
    assert.equal(await page.locator('#stress').isVisible(), false);
    await page.locator('#show-stress').check();
    assert.equal(await look(page), coloured);
    // The top of the ball has the level 255 in the first frame, its colour is that of the end of the scale.
    await page.keyboard.press('Home');
    await look(page);
    const [red, green, blue] = await page.evaluate(() => {
      const {form} = window.tactus.deformables.parts[0];
      const at = form.source.indexOf(0);
      return [...form.geometry.attributes.color.array.slice(3 * at, 3 * at + 3)];
    });
    assert.ok(red > 3 * green && red > 3 * blue, `${red} ${green} ${blue}`);
    return page;
  },

  async 'surfaces are smooth, tubes round'() {
    const page = await open(made.soft);
    const worst = await page.evaluate(() => {
      const {deformables} = window.tactus;
      window.tactus.place(0, 0);
      const [ball, rod] = deformables.parts.map(({form}) => form);
      const p = ball.geometry.attributes.position.array, n = ball.geometry.attributes.normal.array;
      let least = 1;
      for (let i = 0; i < p.length; i += 3) {
        const size = Math.hypot(p[i], p[i + 1], p[i + 2] - 1);
        least = Math.min(least, (n[i] * p[i] + n[i + 1] * p[i + 1] + n[i + 2] * (p[i + 2] - 1)) / size);
      }
      // Every vertex of the tube but those of its caps is its radius away from the line y = 2, z = 0.5 in frame 0.
      const t = rod.geometry.attributes.position.array;
      let off = 0;
      for (let i = 3 * 14 * 4; i < t.length - 3 * 14 * 4; i += 3) {
        off = Math.max(off, Math.abs(Math.hypot(t[i + 1] - 2, t[i + 2] - 0.5) - 0.05));
      }
      return {least, off, vertices: ball.source.length};
    });
    assert.ok(worst.least > 0.99, `normals of the ball: ${worst.least}`);
    assert.ok(worst.off < 1e-4, `radius of the tube: ${worst.off}`);
    assert.equal(worst.vertices, made.softVertices);  // a ball has no edges at which vertices are split
    return page;
  },

  async 'soft bodies are chosen by click and in the list'() {
    const page = await open(made.soft);
    await page.keyboard.press('Home');
    const at = await page.evaluate(() => {
      const {stage, deformables} = window.tactus;
      window.tactus.draw(performance.now());
      const p = stage.center.clone().set(...deformables.center(0, 0)).project(stage.camera);
      const box = stage.renderer.domElement.getBoundingClientRect();
      return [box.left + (p.x + 1) / 2 * box.width, box.top + (1 - p.y) / 2 * box.height];
    });
    await page.mouse.click(...at);
    assert.equal(await page.locator('#body').inputValue(), '0');
    assert.equal(await page.evaluate(() => window.tactus.deformables.selected), 0);
    await page.selectOption('#body', {label: 'rope'});
    assert.equal(await page.evaluate(() => window.tactus.deformables.selected), 1);
    assert.match(await page.locator('.plot:visible').allTextContents().then((all) => all.join()), /rope \[m\]/);
    return page;
  },

  // What must be done for each frame shown, apart from drawing, which here is done in software. Other programs only add to
  // it, so the tenth quickest of sixty counts.
  async 'scrubs smoothly over 5000 nodes and 320 segments'() {
    const page = await open(made.large);
    const milliseconds = await page.evaluate(() => {
      const viewer = window.tactus, times = [];
      for (let k = 0; k < 60; ++k) {
        const start = performance.now();
        viewer.place(k % (viewer.replay.frames - 1), 0.5);
        times.push(performance.now() - start);
      }
      return times.sort((a, b) => a - b)[10];
    });
    console.log(`        ${milliseconds.toFixed(1)} ms a frame`);
    assert.ok(milliseconds < 16, `${milliseconds} ms`);
    return page;
  },

  async 'narrow windows keep the view'() {
    const page = await open(made.cube);
    await page.setViewportSize({width: 420, height: 640});
    assert.equal(await page.locator('#panel').isVisible(), false);
    assert.ok((await page.locator('#view canvas').boundingBox()).width > 400);
    return page;
  },
};

// A page with other content: that of `from`, with what the description and the numbers are replaced by. Numbers are
// packed as src/tactus/record/replay_pack.h says, but not compressed.
function writePage(from, to, changes, numbers) {
  const types = {f64: Float64Array, f32: Float32Array, i32: Int32Array, i16: Int16Array, u8: Uint8Array};
  const text = fs.readFileSync(from, 'utf8');
  const description = {...JSON.parse(/tactus-description">(.*?)<\/script>/s.exec(text)[1]), compressed: false, ...changes};
  description.arrays = {};
  const bytes = [];
  for (const [name, [type, width, values]] of Object.entries(numbers)) {
    const raw = new Uint8Array(new types[type](values).buffer), size = types[type].BYTES_PER_ELEMENT;
    description.arrays[name] = {type, width, count: values.length, differences: false, offset: bytes.length};
    for (let plane = 0; plane < size; ++plane) {
      for (let i = 0; i < values.length; ++i) bytes.push(raw[i * size + plane]);
    }
  }
  const packed = Buffer.from(bytes).toString('base64');
  fs.writeFileSync(to, text.replace(/(tactus-description">).*?(<\/script>)/s, (_, a, b) => a + JSON.stringify(description) + b)
                           .replace(/(tactus-numbers">).*?(<\/script>)/s, (_, a, b) => a + packed + b));
}

// A square of two triangles that rises by 0.25 m in three frames.
function writeCloth(from, to) {
  const corners = [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0];
  const rise = (frame) => corners.map((x, k) => 1e5 * (x + (k % 3 === 2 ? 0.125 * frame : 0)));
  const none = [0, 0, 0];
  writePage(from, to, {
    links: [], shapes: [], meshes: 0, frictions: [], deformables: [{name: 'cloth', first: 0, vertices: 4}],
    units: {position: 1e-6, rotation: 1 / 32767, point: 1e-5, vertices: 1e-5},
  }, {
    time: ['f64', 1, [0.1, 0.2, 0.3]], position: ['i32', 1, []], rotation: ['i16', 1, []],
    vertices: ['i32', 12, [0, 1, 2].flatMap(rise)], deformable_0_triangles: ['i32', 3, [0, 1, 3, 0, 3, 2]],
    contact_start: ['i32', 1, [0, 0, 0, 0]], contact_objects: ['i32', 2, []], contact_point: ['i32', 3, []],
    contact_normal: ['i16', 3, []], contact_force: ['f32', 3, []], contact_friction: ['i32', 1, []],
    contact_mode: ['u8', 1, []], residual: ['f32', 1, none], penetration: ['f32', 1, none], solve_time: ['f32', 1, none],
    contacts: ['i32', 1, none], iterations: ['i32', 1, none], unsolved: ['i32', 1, none],
  });
}

// A ball of rows x 2 rows vertices at height 1 that gets flatter, and a rod beside it that sags. Stress is the most at the
// top of the ball.
function writeSoft(from, to, rows, segments, frames) {
  const columns = 2 * rows, directions = [[0, 0, 1]], triangles = [];
  for (let r = 1; r < rows; ++r) {
    for (let c = 0; c < columns; ++c) {
      const polar = Math.PI * r / rows, turn = 2 * Math.PI * c / columns;
      directions.push([Math.sin(polar) * Math.cos(turn), Math.sin(polar) * Math.sin(turn), Math.cos(polar)]);
    }
  }
  directions.push([0, 0, -1]);
  const at = (r, c) => 1 + (r - 1) * columns + c % columns, last = directions.length - 1;
  for (let c = 0; c < columns; ++c) {
    triangles.push(0, at(1, c), at(1, c + 1), last, at(rows - 1, c + 1), at(rows - 1, c));
    for (let r = 1; r + 1 < rows; ++r) {
      triangles.push(at(r, c), at(r + 1, c), at(r + 1, c + 1), at(r, c), at(r + 1, c + 1), at(r, c + 1));
    }
  }
  const vertices = [], stress = [], points = segments + 2;
  for (let f = 0; f < frames; ++f) {
    const flat = 0.5 * f / frames;
    for (const [x, y, z] of directions) vertices.push((1 + flat) * x, (1 + flat) * y, 1 + (1 - flat) * z);
    for (let p = 0; p < points; ++p) {
      const x = Math.min(Math.max(p - 0.5, 0), segments) / segments;
      vertices.push(3 * x - 1.5, 2, 0.5 - 0.4 * f / frames * x * (1 - x));
    }
    stress.push(...directions.map(([, , z]) => Math.round(127.5 * (1 + z) * (1 - f / frames))));
    for (let s = 0; s < segments; ++s) stress.push(Math.round(255 * s / segments));
  }
  const none = new Array(frames).fill(0), count = directions.length + points;
  writePage(from, to, {
    links: [], shapes: [], meshes: 0, frictions: [],
    deformables: [{name: 'ball', first: 0, vertices: directions.length}],
    rods: [{name: 'rope', first: directions.length, points, segments, radius: 0.05}],
    stress: {plain: false, solids: {high: 4000, most: 8000}, rods: {high: 3e6, most: 3e6}},
    units: {position: 1e-6, rotation: 1 / 32767, point: 1e-5, vertices: 1e-5},
  }, {
    time: ['f64', 1, none.map((_, f) => 0.02 * (f + 1))], position: ['i32', 1, []], rotation: ['i16', 1, []],
    vertices: ['i32', 3 * count, vertices.map((x) => Math.round(1e5 * x))],
    stress: ['u8', directions.length + segments, stress], stress_most: ['f32', 1, none.map(() => 3e6)],
    deformable_0_triangles: ['i32', 3, triangles],
    contact_start: ['i32', 1, [0, ...none]], contact_objects: ['i32', 2, []], contact_point: ['i32', 3, []],
    contact_normal: ['i16', 3, []], contact_force: ['f32', 3, []], contact_friction: ['i32', 1, []],
    contact_mode: ['u8', 1, []], residual: ['f32', 1, none], penetration: ['f32', 1, none], solve_time: ['f32', 1, none],
    contacts: ['i32', 1, none], iterations: ['i32', 1, none], unsolved: ['i32', 1, none],
  });
  return directions.length;
}

const run = (...words) => execFileSync(program, words, {cwd: folder, stdio: ['ignore', 'pipe', 'inherit']});
const made = Object.fromEntries(['cube', 'replayed', 'hostile', 'cloth', 'soft', 'large'].map((name) => [name, path.join(folder, `${name}.html`)]));
made.csv = path.join(folder, 'cube.csv');
run('run', 'cube_on_table', '--duration', '1', '--html', 'cube.html', '--record', 'cube.h5');
run('replay', 'cube.h5', '--html', 'replayed.html');
run('export', 'cube.h5', 'cube.csv');
fs.writeFileSync(path.join(folder, 'hostile.yaml'), `name: "</script><script>window.broken = 1</script>"
duration: 0.1
models: [{name: robot, file: hostile.urdf, fixed_base: false}]
`);
fs.writeFileSync(path.join(folder, 'hostile.urdf'), `<robot name="robot">
  <link name="&lt;img src=x onerror='window.broken=1'&gt;">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
</robot>
`);
run('run', 'hostile.yaml', '--html', 'hostile.html');
writeCloth(made.cube, made.cloth);
made.softVertices = writeSoft(made.cube, made.soft, 16, 20, 9);
writeSoft(made.cube, made.large, 50, 320, 30);

await runTests(tests, browser);
