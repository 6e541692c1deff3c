// A replay in the browser: reads what the page holds and shows it.
import * as THREE from 'three';

import {Bodies} from './bodies.js';
import {Contacts} from './contacts.js';
import {framePosition, loadReplay} from './data.js';
import {Deformables} from './deformables.js';
import {Legend, Panel, StressScale, TimeBar, element, makeTitle} from './panel.js';
import {Player} from './player.js';
import {Stage, measure} from './stage.js';
import style from './style.css';

function fail(error) {
  document.documentElement.dataset.replay = `failed: ${error.message}`;
  document.body.append(element('div', {id: 'failure', textContent: `This replay cannot be shown: ${error.message}`}));
  console.error(error);
}

class Viewer {
  constructor(replay) {
    this.replay = replay;
    const {view} = replay;
    const alone = view.picture && !view.controls;
    document.body.className = alone ? 'alone' : '';
    this.container = element('div', {id: 'view'});
    this.player = new Player(replay, {onPlaying: (playing) => this.bar.setPlaying(playing)});
    this.bar = new TimeBar(replay, this.player);
    // Bodies are counted: links first, then deformables, then rods.
    const names = [...replay.links, ...replay.deformables.map(({name}) => name), ...(replay.rods ?? []).map(({name}) => name)];
    this.panel = new Panel(replay, names, {
      toggle: (name, on) => this.toggle(name, on),
      stretch: (factor) => {
        this.contacts.stretch = factor;
        this.dirty = true;
      },
      select: (body) => this.select(body),
      positionOf: (body, frame) => this.positionOf(body, frame),
      seek: (time) => this.player.seek(time),
      reset: () => this.stage.resetCamera(),
    });
    document.body.append(this.container, this.bar.element, this.panel.element);
    if (!alone) this.container.append(makeTitle(replay));
    if (view.time !== undefined) this.player.seek(view.time);
    this.makeScene(view);
    this.legend = new Legend(this.container, replay.modes);
    if (view.contacts) {
      for (const name of ['points', 'forces', 'cones']) {
        this.panel.setChecked(name, true);
        this.contacts.show[name] = true;
      }
      this.panel.setChecked('seeThrough', true);
      this.setSeeThrough(true);
    }
    this.scale = new StressScale(this.container, replay);
    if (replay.stress) {
      this.panel.setChecked('stress', this.deformables.showsStress);
      this.scale.show(this.deformables.showsStress);
    }
    if (view.look_at !== undefined) this.lookAt(names.indexOf(view.look_at));
    this.selected = -1;
    this.follow = false;
    this.shown = {frame: -1, part: -1};
    this.panel.resize();
    this.listen();
    this.draw(performance.now());
  }

  makeScene(view) {
    this.stage = new Stage(this.container, view);
    const {scene} = this.stage;
    this.bodies = new Bodies(this.replay, scene);
    this.deformables = new Deformables(this.replay, scene);
    // A page shows the whole run, a picture one frame.
    const count = Math.min(this.replay.frames, 40);
    const frames = view.picture
        ? [this.player.advance(0).frame]
        : Array.from({length: count}, (_, k) => Math.round(k * (this.replay.frames - 1) / Math.max(count - 1, 1)));
    const extent = measure(this.replay, this.bodies, this.deformables, frames, (frame) => this.place(frame, 0));
    this.contacts = new Contacts(this.replay, scene, 0.3 * extent.radius);
    this.stage.set(this.replay, extent, view);
  }

  place(frame, part) {
    this.bodies.update(frame, part);
    this.deformables.update(frame, part);
  }

  toggle(name, on) {
    if (name === 'seeThrough') this.setSeeThrough(on);
    else if (name === 'stress') {
      this.deformables.setStress(on);
      this.scale.show(on);
    }
    else if (name === 'follow') this.follow = on;
    else this.contacts.show[name] = on;
    this.dirty = true;
  }

  setSeeThrough(on) {
    this.bodies.setSeeThrough(on);
    this.deformables.setSeeThrough(on);
  }

  // Where a body is in a frame.
  positionOf(body, frame) {
    const links = this.replay.links.length;
    return body < links ? framePosition(this.replay, frame, body) : this.deformables.center(body - links, frame);
  }

  // The body as it is at the time shown becomes the middle.
  lookAt(body) {
    const {frame} = this.player.advance(performance.now());
    this.place(frame, 0);
    const balls = [];
    for (const ball of this.bodies.balls()) {
      if (ball.link === body) balls.push({center: ball.center.clone(), radius: 2.5 * ball.radius});
    }
    for (const ball of this.deformables.balls()) {
      if (ball.deformable + this.replay.links.length !== body) continue;
      balls.push({center: ball.center.clone(), radius: 1.5 * ball.radius});
    }
    if (balls.length > 0) this.stage.aim(balls);
  }

  select(body) {
    const links = this.replay.links.length;
    this.selected = body;
    this.bodies.select(body < links ? body : -1);
    this.deformables.select(body < links ? -1 : body - links);
    this.panel.select(body);
    this.dirty = true;
  }

  listen() {
    window.addEventListener('resize', () => {
      this.stage.resize();
      this.panel.resize();
      this.dirty = true;
      if (this.replay.view.picture) {
        this.stage.resetCamera();
        this.draw(performance.now());
      }
    });
    window.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === 'SELECT') return;
      const keys = {
        ' ': () => this.player.toggle(),
        'ArrowRight': () => this.player.step(event.shiftKey ? 10 : 1),
        'ArrowLeft': () => this.player.step(event.shiftKey ? -10 : -1),
        'Home': () => this.player.seekFrame(0),
        'End': () => this.player.seekFrame(this.replay.frames - 1),
        'r': () => this.stage.resetCamera(),
        'p': () => this.fold(),
      };
      if (keys[event.key]) {
        keys[event.key]();
        event.preventDefault();
      } else {
        this.panel.toggleByKey(event.key);
      }
    });
    // A click that does not turn the view chooses a body.
    const canvas = this.stage.renderer.domElement;
    let down = null;
    canvas.addEventListener('pointerdown', (event) => down = [event.clientX, event.clientY]);
    canvas.addEventListener('pointerup', (event) => {
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 4) {
        this.select(this.pick(this.stage.rayThrough(event)));
      }
    });
  }

  // The body that a ray meets first; -1: none.
  pick(ray) {
    const rigid = this.bodies.pick(ray), soft = this.deformables.pick(ray);
    if (soft && soft.distance < rigid.distance) return this.replay.links.length + soft.number;
    return rigid.link;
  }

  fold() {
    document.body.classList.toggle('folded');
    window.dispatchEvent(new Event('resize'));
  }

  draw(now) {
    const {frame, part} = this.player.advance(now);
    const zoom = this.stage.zoom();
    if (Math.abs(Math.log(zoom / this.contacts.zoom)) > 0.05) {
      this.contacts.zoom = zoom;
      this.dirty = true;
    }
    if (this.dirty || frame !== this.shown.frame || part !== this.shown.part) this.show(frame, part);
    this.stage.controls.update();
    // Rays cost time: only where the view or what is seen has changed.
    const {position} = this.stage.camera;
    const sight = `${frame} ${position.x} ${position.y} ${position.z} ${this.bodies.seeThrough}`;
    if (sight !== this.sight) this.bodies.fadeWalls(this.stage.camera);
    this.sight = sight;
    this.stage.draw();
  }

  show(frame, part) {
    const before = this.whereIsSelected(this.shown.frame);
    this.place(frame, part);
    this.stage.update((link) => this.bodies.linkMatrix(link));
    this.contacts.update(frame);
    this.legend.update(this.contacts);
    this.panel.update(frame);
    this.bar.update(frame, this.player.time);
    if (this.follow && this.selected >= 0 && this.shown.frame >= 0) {
      this.stage.follow(this.whereIsSelected(frame).sub(before));
    }
    this.shown = {frame, part};
    this.dirty = false;
  }

  // Links between frames too, deformables as they are in a frame.
  whereIsSelected(frame) {
    const links = this.replay.links.length;
    if (this.selected >= links && frame >= 0) return new THREE.Vector3(...this.positionOf(this.selected, frame));
    return new THREE.Vector3().setFromMatrixPosition(this.bodies.linkMatrix(this.selected < links ? this.selected : -1));
  }

  run() {
    const loop = (now) => {
      this.draw(now);
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }
}

function start(replay) {
  const viewer = new Viewer(replay);
  window.tactus = viewer;  // for the console, and for tests
  if (!replay.view.picture) viewer.run();
  document.documentElement.dataset.replay = 'ready';
}

document.head.append(element('style', {textContent: style}));
try {
  loadReplay((replay) => {
    try {
      start(replay);
    } catch (error) {
      fail(error);
    }
  }, fail);
} catch (error) {
  fail(error);
}
