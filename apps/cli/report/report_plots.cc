#include "apps/cli/report/report_plots.h"

namespace tactus::cli {

const char* const kReportPlots = R"JS(
const svgNode = (W, H, inner) => {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', `0 0 ${W} ${H}`);
  svg.innerHTML = inner;
  return svg;
};
const esc = s => String(s).replace(/[&<>"]/g, c => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'}[c]));
const hues = {tactus: '#d62728', mujoco: '#1f77b4', drake: '#2ca02c', pinocchio: '#9467bd', bullet: '#b5761a', dart: '#e377c2', Siconos: '#1f77b4',
              hybrid: '#d62728', canal: '#1f77b4', subadmm: '#2ca02c', 'subadmm-icra': '#17a2a2', 'subadmm-aba': '#17a2a2', pgs: '#b5761a', cond: '#9467bd', apgd: '#e377c2', auto: '#888'};
const dashes = ['', '6 3', '2 3', '8 3 2 3', '1 2'];
const palette = ['#1f77b4', '#d62728', '#2ca02c', '#9467bd', '#b5761a', '#e377c2', '#17a2a2', '#888'];
// Colour and dash of each curve of a plot, no two alike: the colour of its name or of the name's first word where there is one.
function paint(names) {
  const used = new Set();
  return names.map(name => {
    const hue = hues[name] ?? hues[name.split(' ')[0]];
    const choices = [...(hue ? dashes.map(dash => [hue, dash]) : []), ...dashes.flatMap(dash => palette.map(color => [color, dash]))];
    const [color, dash] = choices.find(c => !used.has(c.join())) ?? choices[0];
    used.add([color, dash].join());
    return {color, dash, wide: name === 'tactus' || name === 'hybrid'};
  });
}
const painted = lines => { const looks = paint(lines.map(L => L.name)); return lines.map((L, k) => ({...L, ...looks[k]})); };
// What a dot is, shown beside the pointer, or by the keyboard's focus.
const tip = el('div', {id: 'tip', hidden: true});
document.body.append(tip);
const showTip = e => {
  const text = e.target.dataset?.tip;
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const box = e.target.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(box.right + 8, innerWidth - tip.offsetWidth - 8)) + 'px';
  tip.style.top = Math.max(4, box.top - tip.offsetHeight - 6) + 'px';
};
document.addEventListener('pointerover', showTip);
document.addEventListener('focusin', showTip);
document.addEventListener('scroll', () => { tip.hidden = true; }, true);
// Ticks of a logarithmic axis from lo to hi (of log10): decades, and 2 and 5 between them where there are few.
function ticks(lo, hi) {
  const out = [], step = Math.max(1, Math.ceil((hi - lo) / 8));
  for (let k = Math.floor(lo); k <= Math.ceil(hi); ++k) {
    for (const m of hi - lo < 2.2 ? [1, 2, 5] : [1]) {
      const at = k + Math.log10(m);
      if (at >= lo - 1e-9 && at <= hi + 1e-9 && (m > 1 || k % step === 0)) out.push([at, k >= -2 && k <= 4 ? String(Number((m * 10 ** k).toPrecision(3))) : `${m}e${k}`]);
    }
  }
  return out;
}
const spanOf = v => { const lo = Math.min(...v), hi = Math.max(...v), pad = Math.max((hi - lo) * .05, .04); return [lo - pad, hi + pad]; };
// Ticks of a linear axis: about five round numbers.
function linearTicks(lo, hi) {
  const raw = (hi - lo) / 5 || 1, decade = 10 ** Math.floor(Math.log10(raw)), step = decade * ([1, 2, 5].find(m => m * decade >= raw) ?? 10), out = [];
  for (let k = Math.ceil(lo / step); k * step <= hi + 1e-9 * step; ++k) out.push([k * step, num(Number((k * step).toPrecision(6)))]);
  return out;
}
const linearSpan = v => { const lo = Math.min(...v), hi = Math.max(...v), pad = (hi - lo) * .05 || Math.abs(hi) * .05 || 1; return [lo - pad, hi + pad]; };
// Curves with names, over a logarithmic x (`linear`: over time, y linear unless ylog); a click on a name in the legend hides its curve. Fits are dashed.
function chart(title, lines, {ylog, xlabel, ylabel, step, linear}) {
  const W = 540, H = 330, l = 62, r = 14, t = 12, b = 42, lg = Math.log10, fx = x => linear ? x : lg(x);
  const floor = 1e-16, fy = y => ylog ? lg(Math.max(y, floor)) : y;
  const xs = lines.flatMap(L => L.points.map(p => fx(p[0]))), ys = lines.flatMap(L => L.points.map(p => fy(p[1])));
  const [x0, x1] = linear ? linearSpan(xs) : spanOf(xs), [y0, y1] = ylog ? spanOf(ys) : linear ? linearSpan(ys) : [0, 1];
  const X = x => l + (x - x0) / (x1 - x0) * (W - l - r), Y = y => H - b - (y - y0) / (y1 - y0) * (H - t - b);
  let s = '';
  for (const [x, text] of (linear ? linearTicks : ticks)(x0, x1)) s += `<line x1="${X(x)}" y1="${t}" x2="${X(x)}" y2="${H - b}" stroke="#8883"/><text x="${X(x)}" y="${H - b + 15}" text-anchor="middle">${text}</text>`;
  for (const [y, text] of ylog ? ticks(y0, y1) : linear ? linearTicks(y0, y1) : [0, .25, .5, .75, 1].map(y => [y, y])) s += `<line x1="${l}" y1="${Y(y)}" x2="${W - r}" y2="${Y(y)}" stroke="#8883"/><text x="${l - 6}" y="${Y(y) + 4}" text-anchor="end">${text}</text>`;
  s += `<text x="${(l + W - r) / 2}" y="${H - 8}" text-anchor="middle">${esc(xlabel)}</text><text transform="rotate(-90 14 ${(t + H - b) / 2})" x="14" y="${(t + H - b) / 2}" text-anchor="middle">${esc(ylabel)}</text>`;
  lines.forEach((L, k) => {
    const pts = L.points.map(p => [X(fx(p[0])), Y(fy(p[1]))]);
    let d = '';
    pts.forEach((p, i) => { d += i === 0 ? `M${p[0]},${p[1]}` : step ? `H${p[0]}V${p[1]}` : `L${p[0]},${p[1]}`; });
    s += `<g data-line="${k}">`;
    if (L.fit) {
      const at = x => Math.min(Math.max(Y(lg(L.fit[1]) + L.fit[0] * x), t), H - b);
      s += `<line class="fit" x1="${X(x0)}" y1="${at(x0)}" x2="${X(x1)}" y2="${at(x1)}" stroke="${L.color}" stroke-dasharray="4 4" stroke-opacity=".7"/>`;
    }
    s += `<path d="${d}" fill="none" stroke="${L.color}" stroke-width="${L.wide ? 2.6 : 1.4}" stroke-dasharray="${L.dash}"/>`;
    pts.forEach((p, i) => {
      const text = `${L.name}: ${num(L.points[i][0])}, ${num(L.points[i][1])}${L.points[i][2] ? ' (' + L.points[i][2] + ')' : ''}`;
      s += `<circle cx="${p[0]}" cy="${p[1]}" r="${linear ? 1.2 : L.wide ? 3.4 : 2.6}" fill="${L.color}" data-tip="${esc(text)}"/>`;
    });
    s += '</g>';
  });
  const svg = svgNode(W, H, s), legend = el('div', {className: 'legend'});
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', title);
  lines.forEach((L, k) => {
    const item = el('button', {type: 'button', textContent: L.fit ? `${L.name}: exponent ${L.fit[0].toFixed(3)}` : L.name, title: 'click to hide or show'});
    item.style.borderBottom = `3px ${L.dash ? 'dashed' : 'solid'} ${L.color}`;
    const toggle = () => { const g = svg.querySelector(`[data-line="${k}"]`), off = g.style.display !== 'none'; g.style.display = off ? 'none' : ''; item.style.opacity = off ? .35 : 1; };
    item.onclick = toggle;
    if (L.hidden) toggle();
    legend.append(item);
  });
  return el('figure', {className: 'wide'}, el('figcaption', {textContent: title}), svg, legend);
}
// Curves over the time of one run.
function traces(run) {
  return run.traces.filter(c => c.lines.some(L => L.points.length > 1)).map(c => chart(`${c.title}: ${c.label}`,
    painted(c.lines.filter(L => L.points.length > 1)),
    {ylog: c.log, xlabel: 'time [s]', ylabel: c.label, linear: true}));
}
// Curves that the program has put together out of rows.
function charts(run) {
  return run.charts.map(c => chart(c.title, painted(c.lines.filter(L => L.points.length > 1)),
    {ylog: true, xlabel: c.xlabel, ylabel: c.ylabel}));
}
// Lengths from zero, so that they can be compared; the shortest in bold.
function bars(title, items, unit) {
  const W = 540, row = 22, l = 165, r = 78, most = Math.max(...items.map(i => i[1])), least = Math.min(...items.map(i => i[1]));
  let s = '';
  items.forEach(([name, value, color], k) => {
    const w = Math.max(1, value / most * (W - l - r)), y = 4 + k * row;
    s += `<text x="${l - 6}" y="${y + 14}" text-anchor="end">${esc(name)}</text><rect x="${l}" y="${y + 3}" width="${w}" height="${row - 7}" fill="${color}" data-tip="${esc(`${name}: ${num(value)} ${unit}`)}"/>`;
    s += `<text x="${l + w + 5}" y="${y + 14}" ${value === least ? 'font-weight="700"' : ''}>${num(value)} ${unit}</text>`;
  });
  return el('figure', {className: 'wide bars'}, el('figcaption', {textContent: title}), svgNode(W, items.length * row + 8, s));
}
function peersPart(run) {
  const curves = new Map(), table_ = new Map(), curve = /^(.+?): (.+) at (\d+) Hz: (.+)$/, cell = /^(.+?): (.+?): (time a step|mean time a step|penetration|creep|lift|energy gained|cost of a simulated second with .*)$/;
  for (const [name, value, unit, , , spread] of run.rows) {
    const c = name.match(curve), m = name.match(cell);
    if (c) {
      const scene = curves.get(c[1]) ?? curves.set(c[1], new Map()).get(c[1]), line = scene.get(c[2]) ?? scene.set(c[2], new Map()).get(c[2]);
      const point = line.get(c[3]) ?? line.set(c[3], {}).get(c[3]);
      if (c[4].startsWith('cost')) point.x = value; else { point.y = value; point.what = `${c[4]} [${unit}]`; }
    } else if (m) {
      const key = m[1] + '\n' + m[2], row = table_.get(key) ?? table_.set(key, {}).get(key);
      row[m[3].startsWith('cost') ? 'cost' : m[3]] = value;
      if (m[3] === 'time a step') row.spread = spread;
    } else if (value === null && unit === '' && /^(.+?): (.+?): ./.test(name)) {
      const [scene, engine, ...why] = name.split(': '), key = scene + '\n' + engine;
      (table_.get(key) ?? table_.set(key, {}).get(key)).note = why.join(': ');
    }
  }
  const columns = ['time a step', 'spread', 'mean time a step', 'penetration', 'creep', 'lift', 'energy gained', 'cost', 'note'];
  const rows = [...table_].map(([key, row]) => [...key.split('\n'), ...columns.map(k => row[k] ?? null)]);
  const out = [scroll(table(['scene', 'engine', 'median time a step [ms]', 'its spread', 'mean [ms]', 'penetration [m]', 'creep [m/s]', 'lift [m]', 'energy gained', 'cost to reach the target [s/s]', ''], rows))];
  const figures = [], times = new Map();
  for (const [key, row] of table_) {
    const [scene, engine] = key.split('\n');
    if (row['time a step'] > 0) (times.get(scene) ?? times.set(scene, []).get(scene)).push([engine, row['time a step'], hues[engine.split(' ')[0]] ?? '#777']);
  }
  for (const [scene, list] of times) {
    if (list.length > 1) figures.push(bars(`${scene}: median time of a step`, list.sort((a, b) => a[1] - b[1]), 'ms'));
  }
  for (const [scene, lines] of curves) {
    let what = '';
    const list = painted([...lines.keys()].map(name => ({name, points: [...lines.get(name)].map(([hz, p]) => { what = p.what ?? what; return [p.x, p.y, hz + ' Hz']; })
      .filter(p => p[0] > 0 && typeof p[1] === 'number').sort((a, b) => a[0] - b[0])})).filter(L => L.points.length));
    if (list.length) figures.push(chart(`${scene}: error over processor time, one dot a step size`, list, {ylog: true, xlabel: 'processor time for a simulated second [s]', ylabel: what}));
  }
  out[0].classList.add('peers');
  return [el('div', {className: 'plots big'}, ...figures), ...out];
}
function fclibPart(run) {
  const part = /^at (\S+): (.+): part within (\S+) times the best$/, all = new Map();
  for (const [name, value] of run.rows) {
    const m = name.match(part);
    if (!m) continue;
    const one = all.get(m[1]) ?? all.set(m[1], new Map()).get(m[1]);
    (one.get(m[2]) ?? one.set(m[2], []).get(m[2])).push([Number(m[3]), value]);
  }
  const ours = ['#d62728', '#ff7f0e', '#8c564b', '#e377c2', '#bcbd22', '#7f7f7f', '#a05195', '#c49c94'], theirs = ['#1f77b4', '#2ca02c', '#17becf', '#9467bd', '#3b4cc0', '#5a9e6f', '#74add1', '#6a51a3'];
  const figures = [];
  for (const [tolerance, solvers] of all) {
    let a = 0, b = 0;
    const list = [...solvers].map(([name, points]) => name.startsWith('Siconos') ? {name, points, color: theirs[b % 8], dash: dashes[[1, 3][Math.floor(b++ / 8) % 2]]}
      : {name, points, own: true, color: ours[a % 8], dash: dashes[[0, 2, 4][Math.floor(a / 8) % 3]], wide: a++ === 0}).filter(L => L.points.some(p => p[1] > 0));
    // The better half of ours; the others are a click away.
    const area = L => L.points.reduce((sum, p) => sum + p[1], 0), own = list.filter(L => L.own).sort((a, b) => area(b) - area(a));
    own.slice(6).forEach(L => { L.hidden = !L.wide; });
    figures.push(chart(`Performance profile at ${tolerance}: part of the problems solved over time as a multiple of the quickest solver's`, list, {ylog: false, step: true, xlabel: 'time over that of the quickest', ylabel: 'part of the problems'}));
  }
  return figures.length ? [el('div', {className: 'plots big'}, ...figures)] : [];
}
function special(run) {
  const shown = /(at \d+ Hz: )|(part within \S+ times the best)/;
  if (run.suite === 'peers') return [peersPart(run), run.rows.filter(r => !shown.test(r[0]))];
  if (run.suite === 'fclib') return [fclibPart(run), run.rows.filter(r => !shown.test(r[0]))];
  const curves = [...charts(run), ...traces(run)];
  return [curves.length ? [el('div', {className: 'plots big'}, ...curves)] : [], run.rows];
}
)JS";

}  // namespace tactus::cli
