// The controls around the view: what is shown, which body, curves, and time.
import {modes, cssColor, stressStops} from './palette.js';
import {Plot, formatNumber} from './plots.js';

const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];

export function element(tag, properties = {}, ...children) {
  const out = Object.assign(document.createElement(tag), properties);
  out.append(...children);
  return out;
}

function describe(replay) {
  const every = replay.stride > 1 ? `, 1 in ${replay.stride} shown` : '';
  const parts = [
    `${replay.steps} steps of ${formatNumber(1000 * replay.time_step)} ms${every}: ` +
        `${formatNumber(replay.rate)} frames a second`,
    replay.solver && `solver ${replay.solver}`,
    replay.settings?.tolerance && `tolerance ${replay.settings.tolerance}`,
    replay.program && `tactus ${replay.program}`,
  ];
  return parts.filter(Boolean).join(' \u00b7 ');
}

export function makeTitle(replay) {
  const about = element('div', {id: 'about'}, element('h1', {textContent: replay.title}),
                        element('p', {textContent: describe(replay)}));
  if (replay.lacks.length > 0) {
    about.append(element('p', {className: 'warning', textContent: `This recording has no ${replay.lacks.join(', no ')}.`}));
  }
  let unsolved = 0;
  for (const count of replay.curves.unsolved) unsolved += count;
  if (unsolved > 0) {
    about.append(element('p', {className: 'warning',
                               textContent: `${unsolved} of ${replay.steps} steps were not solved to the tolerance.`}));
  }
  return about;
}

export class Legend {
  constructor(parent, known) {
    this.known = known;
    this.element = element('div', {id: 'legend', hidden: true});
    parent.append(this.element);
  }

  update(contacts) {
    this.element.hidden = !contacts.any();
    if (!this.known) {
      this.element.textContent = `${contacts.counts.reduce((a, b) => a + b)} contacts, modes not recorded`;
      return;
    }
    const order = [1, 2, 0];  // stick, slip, open
    this.element.replaceChildren(...order.map((mode) => {
      const dot = element('i');
      dot.style.background = cssColor(modes[mode].color);
      return element('span', {}, dot, `${contacts.counts[mode]} ${modes[mode].name}`);
    }));
  }
}

// Units of stress that leave numbers of one to three digits before the point.
function stressUnit(pascal) {
  return [[1e9, 'GPa'], [1e6, 'MPa'], [1e3, 'kPa'], [1, 'Pa']].find(([size]) => pascal >= size) ?? [1, 'Pa'];
}

// What the colours of deformables mean: one scale for solids, one for rods.
export class StressScale {
  constructor(parent, replay) {
    this.replay = replay;
    this.element = element('div', {id: 'stress', hidden: true});
    parent.append(this.element);
    if (!replay.stress) return;
    const kinds = [['solids', 'von Mises stress'], ['rods', 'Stress of rods']];
    for (const [kind, title] of kinds) {
      const range = replay.stress[kind];
      if (!range) continue;
      const [size, unit] = stressUnit(range.high);
      const bar = element('div', {className: 'stress-bar'});
      bar.style.background = `linear-gradient(to right, ${stressStops.map(cssColor).join(', ')})`;
      const marks = [0, 0.5, 1].map((part) => {
        const above = part === 1 && range.most > 1.005 * range.high ? '\u2265 ' : '';
        return element('span', {textContent: above + formatNumber(Number((part * range.high / size).toPrecision(3)))});
      });
      this.element.append(element('div', {className: 'stress-title'}, element('b', {textContent: `${title} [${unit}]`}),
                                  element('span', {textContent: `largest ${formatNumber(Number((range.most / size).toPrecision(3)))}`})),
                          bar, element('div', {className: 'stress-marks'}, ...marks));
    }
  }

  show(on) {
    this.element.hidden = !on;
  }
}

// The bar under the view.
export class TimeBar {
  constructor(replay, player) {
    this.replay = replay;
    this.play = element('button', {id: 'play', title: 'Space', onclick: () => player.toggle()});
    this.slider = element('input', {id: 'scrub', type: 'range', min: 0, max: replay.frames - 1, step: 1,
                                    ariaLabel: 'frame', oninput: () => player.seekFrame(Number(this.slider.value))});
    const button = (text, title, run) => element('button', {textContent: text, title, onclick: run});
    this.speed = element('select', {id: 'speed', title: 'speed', onchange: () => player.speed = Number(this.speed.value)},
                         ...speeds.map((s) => element('option', {value: s, textContent: `${s}\u00d7`, selected: s === 1})));
    this.clock = element('span', {id: 'clock'});
    this.frame = element('span', {id: 'frame'});
    this.element = element('div', {id: 'bar'}, this.play, button('\u2039', 'a frame back: left', () => player.step(-1)),
                           button('\u203a', 'a frame on: right', () => player.step(1)), this.slider, this.clock, this.frame,
                           this.speed);
    this.setPlaying(false);
  }

  setPlaying(playing) {
    this.play.textContent = playing ? 'Pause' : 'Play';
  }

  update(frame, time) {
    this.slider.value = frame;
    this.clock.textContent = `${time.toFixed(3)} / ${this.replay.end.toFixed(3)} s`;
    this.frame.textContent = `frame ${frame + 1}/${this.replay.frames}`;
  }
}

const toggles = [
  {key: 'c', name: 'points', text: 'Contact points'},
  {key: 'f', name: 'forces', text: 'Forces'},
  {key: 'n', name: 'normals', text: 'Normals'},
  {key: 'k', name: 'cones', text: 'Friction cones'},
  {key: 'x', name: 'seeThrough', text: 'See through'},
  {key: 't', name: 'follow', text: 'Follow body'},
  {key: 's', name: 'stress', text: 'Stress', needs: (replay) => replay.stress !== undefined},
];

export class Panel {
  // names: of all bodies that can be chosen, links first.
  // actions: toggle(name, on), stretch(factor), select(body), seek(time), reset(), positionOf(body, frame)
  constructor(replay, names, actions) {
    this.replay = replay;
    this.names = names;
    this.positionOf = actions.positionOf;
    this.boxes = new Map();
    const boxes = toggles.filter(({needs}) => !needs || needs(replay)).map(({key, name, text}) => {
      const box = element('input', {type: 'checkbox', id: `show-${name}`, onchange: () => actions.toggle(name, box.checked)});
      this.boxes.set(name, {box, key});
      return element('label', {title: `key ${key}`}, box, text);
    });
    const stretch = element('input', {type: 'range', min: -1, max: 1, step: 0.05, value: 0, ariaLabel: 'length of forces',
                                      oninput: () => actions.stretch(10 ** Number(stretch.value))});
    this.list = element('select', {id: 'body', ariaLabel: 'body', onchange: () => actions.select(Number(this.list.value))},
                        element('option', {value: -1, textContent: 'none (click one in the view)'}),
                        ...names.map((name, body) => element('option', {value: body, textContent: name})));
    this.element = element(
        'div', {id: 'panel'}, element('div', {id: 'toggles'}, ...boxes),
        element('div', {className: 'row'}, element('span', {textContent: 'Force length'}), stretch,
                element('button', {textContent: 'Reset view', title: 'key r', onclick: () => actions.reset()})),
        element('div', {className: 'row'}, element('span', {textContent: 'Body'}), this.list));
    this.addPlots(actions.seek);
  }

  addPlots(onSeek) {
    const {curves, time} = this.replay;
    const scaled = (values, factor) => Float64Array.from(values, (x) => x * factor);
    const add = (options) => new Plot(this.element, {time, onSeek, ...options});
    this.body = add({title: 'Position', unit: '', curves: []});
    this.body.element.hidden = true;
    this.plots = [
      add({title: 'Residual', curves: [{values: curves.residual}], logarithmic: true}),
      add({title: 'Contacts', curves: [{values: curves.contacts}]}),
      add({title: 'Penetration', unit: '\u00b5m', curves: [{values: scaled(curves.penetration, 1e6)}]}),
      add({title: 'Solver time of a step', unit: 'ms', curves: [{values: scaled(curves.solveTime, 1e3)}]}),
      this.body,
    ];
    if (!curves.stress) return;
    const [size, unit] = stressUnit(curves.stress.reduce((most, x) => Math.max(most, x), 0));
    this.plots.push(add({title: 'Largest stress', unit, curves: [{values: scaled(curves.stress, 1 / size)}]}));
  }

  setChecked(name, on) {
    this.boxes.get(name).box.checked = on;
  }

  toggleByKey(key) {
    for (const {box, key: own} of this.boxes.values()) {
      if (own === key) box.click();
    }
  }

  select(body) {
    this.list.value = body;
    const shown = body >= 0 && (this.replay.hasPoses || body >= this.replay.links.length);
    this.body.element.hidden = !shown;
    if (shown) {
      const curves = ['x', 'y', 'z'].map((name) => ({name, values: new Float32Array(this.replay.frames)}));
      for (let frame = 0; frame < this.replay.frames; ++frame) {
        this.positionOf(body, frame).forEach((value, k) => curves[k].values[frame] = value);
      }
      this.body.setCurves(`${this.names[body]} [m]`, curves);
    }
    this.resize();
  }

  resize() {
    for (const plot of this.plots) plot.resize();
  }

  update(frame) {
    for (const plot of this.plots) plot.update(frame);
  }
}
