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
const hues = {tactus: '#d62728', mujoco: '#1f77b4', drake: '#2ca02c', pinocchio: '#9467bd', bullet: '#b5761a', dart: '#e377c2', Siconos: '#1f77b4'};
const dashes = ['', '6 3', '2 3', '8 3 2 3', '1 2'];
// Curves with names, over a logarithmic x; a click on a name in the legend hides its curve.
function chart(title, lines, {ylog, xlabel, ylabel, step}) {
  const W = 540, H = 330, l = 62, r = 14, t = 12, b = 42, lg = Math.log10;
  const floor = 1e-16, fy = y => ylog ? lg(Math.max(y, floor)) : y;
  const xs = lines.flatMap(L => L.points.map(p => lg(p[0]))), ys = lines.flatMap(L => L.points.map(p => fy(p[1])));
  const x0 = Math.floor(Math.min(...xs)), x1 = Math.max(x0 + 1, Math.ceil(Math.max(...xs)));
  const y0 = ylog ? Math.floor(Math.min(...ys)) : 0, y1 = ylog ? Math.max(y0 + 1, Math.ceil(Math.max(...ys))) : 1;
  const X = x => l + (x - x0) / (x1 - x0) * (W - l - r), Y = y => H - b - (y - y0) / (y1 - y0) * (H - t - b);
  let s = '';
  for (let k = x0; k <= x1; ++k) s += `<line x1="${X(k)}" y1="${t}" x2="${X(k)}" y2="${H - b}" stroke="#8883"/><text x="${X(k)}" y="${H - b + 15}" text-anchor="middle">1e${k}</text>`;
  const dy = ylog ? Math.max(1, Math.ceil((y1 - y0) / 8)) : .25;
  for (let y = y0; y <= y1 + 1e-9; y += dy) s += `<line x1="${l}" y1="${Y(y)}" x2="${W - r}" y2="${Y(y)}" stroke="#8883"/><text x="${l - 6}" y="${Y(y) + 4}" text-anchor="end">${ylog ? '1e' + y : y}</text>`;
  s += `<text x="${(l + W - r) / 2}" y="${H - 8}" text-anchor="middle">${esc(xlabel)}</text><text transform="rotate(-90 14 ${(t + H - b) / 2})" x="14" y="${(t + H - b) / 2}" text-anchor="middle">${esc(ylabel)}</text>`;
  lines.forEach((L, k) => {
    const pts = L.points.map(p => [X(lg(p[0])), Y(fy(p[1]))]);
    let d = '';
    pts.forEach((p, i) => { d += i === 0 ? `M${p[0]},${p[1]}` : step ? `H${p[0]}V${p[1]}` : `L${p[0]},${p[1]}`; });
    s += `<g data-line="${k}"><path d="${d}" fill="none" stroke="${L.color}" stroke-width="${L.wide ? 2.6 : 1.4}" stroke-dasharray="${L.dash}"><title>${esc(L.name)}</title></path>`;
    pts.forEach((p, i) => { s += `<circle cx="${p[0]}" cy="${p[1]}" r="${L.wide ? 3.4 : 2.6}" fill="${L.color}"><title>${esc(L.name)}: ${num(L.points[i][0])}, ${num(L.points[i][1])}${L.points[i][2] ? ' (' + esc(L.points[i][2]) + ')' : ''}</title></circle>`; });
    s += '</g>';
  });
  const svg = svgNode(W, H, s), legend = el('div', {className: 'legend'});
  lines.forEach((L, k) => {
    const item = el('span', {textContent: L.name, title: 'click to hide or show'});
    item.style.borderBottom = `3px ${L.dash ? 'dashed' : 'solid'} ${L.color}`;
    const toggle = () => { const g = svg.querySelector(`[data-line="${k}"]`), off = g.style.display !== 'none'; g.style.display = off ? 'none' : ''; item.style.opacity = off ? .35 : 1; };
    item.onclick = toggle;
    if (L.hidden) toggle();
    legend.append(item);
  });
  return el('figure', {className: 'wide'}, el('figcaption', {textContent: title}), svg, legend);
}
function style(name, names) {
  const group = name.split(' ')[0], same = names.filter(n => n.split(' ')[0] === group);
  return {color: hues[group] ?? '#777', dash: dashes[same.indexOf(name) % dashes.length], wide: name === 'tactus' || name === 'hybrid'};
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
  const out = [el('div', {className: 'scroll'}, table(['scene', 'engine', 'median time a step [ms]', 'its spread', 'mean [ms]', 'penetration [m]', 'creep [m/s]', 'lift [m]', 'energy gained', 'cost to reach the target [s/s]', ''], rows))];
  const figures = [];
  for (const [scene, lines] of curves) {
    let what = '';
    const names = [...lines.keys()];
    const list = names.map(name => ({name, ...style(name, names), points: [...lines.get(name)].map(([hz, p]) => { what = p.what ?? what; return [p.x, p.y, hz + ' Hz']; })
      .filter(p => p[0] > 0 && typeof p[1] === 'number').sort((a, b) => a[0] - b[0])})).filter(L => L.points.length);
    if (list.length) figures.push(chart(`${scene}: error over processor time, one dot a step size`, list, {ylog: true, xlabel: 'processor time for a simulated second [s]', ylabel: what}));
  }
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
  const ours = ['#d62728', '#ff7f0e', '#8c564b', '#e377c2', '#bcbd22', '#7f7f7f'], theirs = ['#1f77b4', '#2ca02c', '#17becf', '#9467bd', '#3b4cc0', '#5a9e6f', '#74add1', '#6a51a3'];
  const figures = [];
  for (const [tolerance, solvers] of all) {
    let a = 0, b = 0;
    const list = [...solvers].map(([name, points]) => name.startsWith('Siconos') ? {name, points, color: theirs[b++ % 8], dash: '6 3'}
      : {name, points, color: ours[a % 6], dash: '', wide: a++ === 0}).filter(L => L.points.some(p => p[1] > 0));
    // The better half of ours; the others are a click away.
    const area = L => L.points.reduce((sum, p) => sum + p[1], 0), own = list.filter(L => !L.dash).sort((a, b) => area(b) - area(a));
    own.slice(6).forEach(L => { L.hidden = !L.wide; });
    figures.push(chart(`Performance profile at ${tolerance}: part of the problems solved over time as a multiple of the quickest solver's`, list, {ylog: false, step: true, xlabel: 'time over that of the quickest', ylabel: 'part of the problems'}));
  }
  return figures.length ? [el('div', {className: 'plots big'}, ...figures)] : [];
}
function special(run) {
  const shown = /(at \d+ Hz: )|(part within \S+ times the best)/;
  if (run.suite === 'peers') return [peersPart(run), run.rows.filter(r => !shown.test(r[0]))];
  if (run.suite === 'fclib') return [fclibPart(run), run.rows.filter(r => !shown.test(r[0]))];
  return [[], run.rows];
}
)JS";

}  // namespace tactus::cli
