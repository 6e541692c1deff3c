#include "apps/cli/report/report_template.h"

namespace tactus::cli {

// Rows whose names differ in numbers only, four of them or more, become a curve over the first of these.
const char* const kReportTemplate = R"HTML(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>tactus: results</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --bad: #c33; --good: #2a7; --ink: #246bce; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 1600px; padding: 1.5rem; }
h1 { margin: 0 0 .3rem; } h2 { margin: 2.2rem 0 .4rem; border-bottom: 1px solid var(--line); }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; }
th, td { text-align: left; padding: .22rem .6rem; border-bottom: 1px solid var(--soft); vertical-align: top; }
th { cursor: pointer; position: sticky; top: 0; background: Canvas; white-space: nowrap; }
th[data-dir="1"]::after { content: " \25B2"; } th[data-dir="-1"]::after { content: " \25BC"; }
.n { text-align: right; } td.n { font-variant-numeric: tabular-nums; white-space: nowrap; }
.FAIL, .no { color: var(--bad); font-weight: 600; } .pass, .yes { color: var(--good); }
.meta { color: GrayText; font-size: 13px; } input { font: inherit; padding: .25rem .5rem; width: 20rem; margin: .4rem 0; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(340px, 100%), 1fr)); gap: 1rem; margin: .8rem 0; }
figure { margin: 0; border: 1px solid var(--line); border-radius: 6px; padding: .5rem; }
figcaption { font-size: 12.5px; overflow-wrap: anywhere; } svg { width: 100%; height: auto; }
svg text { font-size: 11px; fill: currentColor; } circle:hover { r: 6; }
nav a { margin-right: 1rem; display: inline-block; }
.scroll { overflow: auto; max-height: 75vh; border: 1px solid var(--soft); border-radius: 6px; }
.scroll th { white-space: normal; } .peers td:nth-child(-n + 2) { white-space: nowrap; }
.claims td:nth-child(2) { min-width: 5rem; } .claims td:nth-child(3) { min-width: 13rem; } .claims td:nth-child(8) { min-width: 14rem; }
.claims td:nth-child(9) { overflow-wrap: anywhere; min-width: 5.5rem; }
select { font: inherit; padding: .25rem; margin: .4rem .6rem .4rem 0; }
.plots.big { grid-template-columns: repeat(auto-fill, minmax(min(480px, 100%), 1fr)); }
.legend button { font-family: inherit; font-size: 12px; color: inherit; background: none; border: 0; padding: 0 0 1px; margin: .15rem .7rem .15rem 0; cursor: pointer; }
#tip { position: fixed; pointer-events: none; background: CanvasText; color: Canvas; font-size: 12px; padding: .2rem .5rem; border-radius: 4px; max-width: 22rem; z-index: 3; }
#tip[hidden] { display: none; }
.verdicts { display: flex; flex-wrap: wrap; gap: .6rem; margin: .6rem 0; }
.verdicts div { border: 1px solid var(--line); border-radius: 6px; padding: .3rem .7rem; font-size: 13.5px; }
@media (max-width: 600px) { body { padding: .8rem; } input { width: 100%; box-sizing: border-box; } }
</style></head><body>
<h1>tactus: results</h1>
<p class="meta">Click a heading to sort, type to filter, point at a dot for its value, click a name below a plot to hide its curve.</p>
<nav id="nav"></nav>
<h2 id="claims">What the papers claim</h2>
<p class="meta">Every table and figure that we rebuild, in the papers' order. Theirs: the figure of the paper; ours: a row of a suite, or the ratio of two.
Times are of other machines there and of one thread here; ratios can be compared. Lines marked <i>ours</i> or <i>as 000</i> are not counted: methods that the papers do not have, and rows of paper 000 again.</p><div id="claimtable"></div>
<div id="runs"></div>
<script id="data" type="application/json">/*DATA*/</script>
<script>
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const el = (tag, props = {}, ...kids) => { const e = Object.assign(document.createElement(tag), props); e.append(...kids); return e; };
const num = x => x === null ? '' : typeof x !== 'number' ? x
  : x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 999950) ? x.toExponential(2).replace(/\.?0+e/, 'e').replace('e+', 'e') : Number(x.toPrecision(4)).toString();
function table(heads, rows) {
  const body = el('tbody'), head = el('tr');
  const t = el('table', {}, el('thead', {}, head), body);
  let order = rows, wanted = '', keep = () => true;
  const fill = () => { const list = order.filter(r => keep(r) && r.join(' ').toLowerCase().includes(wanted)); body.replaceChildren(...list.map(r => el('tr', {}, ...r.map(c =>
    el('td', {className: typeof c === 'number' || c === null ? 'n' : /^(FAIL|pass|yes|no)$/.test(c) ? c : '', textContent: num(c)}))))); };
  heads.forEach((h, k) => head.append(el('th', {textContent: h, className: rows.some(r => typeof r[k] === 'number') ? 'n' : '', onclick: e => {
    const dir = e.target.dataset.dir === '1' ? -1 : 1;
    for (const other of head.children) delete other.dataset.dir;
    e.target.dataset.dir = dir;
    // Cells without a number go last, whatever the direction.
    order = [...rows].sort((a, b) => typeof a[k] === 'number' && typeof b[k] === 'number' ? dir * (a[k] - b[k])
      : a[k] === null || b[k] === null ? (a[k] === null) - (b[k] === null)
      : dir * String(a[k]).localeCompare(String(b[k])));
    fill();
  }})));
  fill();
  t.filter = text => { wanted = text.toLowerCase(); fill(); };
  t.keep = test => { keep = test; fill(); };
  return t;
}
const scroll = t => el('div', {className: 'scroll'}, t);
function series(rows) {
  const number = /(?<![\w.])\d+(\.\d+)?(e[+-]?\d+)?(?![\w.])/g, found = new Map();
  for (const [name, value, unit] of rows) {
    if (typeof value !== 'number' || value <= 0) continue;
    const numbers = [...name.matchAll(number)].map(m => Number(m[0]));
    const key = name.replace(number, '#') + (unit ? ' [' + unit + ']' : '');
    if (numbers.length && !found.has(key)) found.set(key, []);
    if (numbers.length) found.get(key).push([numbers, value]);
  }
  const out = [];
  for (const [key, list] of found) {
    const k = list[0][0].findIndex((_, i) => list.some(e => e[0][i] !== list[0][0][i]));
    if (k < 0) continue;
    const points = list.map(e => [e[0][k], e[1]]).filter(p => p[0] > 0).sort((a, b) => a[0] - b[0]);
    const different = new Set(points.map(p => p[0])).size;
    if (different >= 4 && different === points.length) out.push([key, points]);
  }
  return out;
}
function plot([title, points]) {
  const W = 360, H = 210, l = 52, r = 12, t = 10, b = 30, lg = Math.log10;
  const xs = points.map(p => lg(p[0])), ys = points.map(p => lg(p[1]));
  const span = v => { const lo = Math.min(...v), hi = Math.max(...v), pad = Math.max((hi - lo) * .06, .05); return [lo - pad, hi + pad]; };
  const [x0, x1] = span(xs), [y0, y1] = span(ys);
  const X = x => l + (x - x0) / (x1 - x0) * (W - l - r), Y = y => H - b - (y - y0) / (y1 - y0) * (H - t - b);
  const mx = xs.reduce((a, c) => a + c, 0) / xs.length, my = ys.reduce((a, c) => a + c, 0) / ys.length;
  const slope = xs.reduce((a, x, k) => a + (x - mx) * (ys[k] - my), 0) / xs.reduce((a, x) => a + (x - mx) ** 2, 0);
  let s = `<line x1="${l}" y1="${H - b}" x2="${W - r}" y2="${H - b}" stroke="#888"/><line x1="${l}" y1="${t}" x2="${l}" y2="${H - b}" stroke="#888"/>`;
  for (const [v, f] of [[points[0][0], 0], [points[points.length - 1][0], 1]])
    s += `<text x="${X(lg(v))}" y="${H - b + 14}" text-anchor="${f ? 'end' : 'start'}">${num(v)}</text>`;
  for (const v of [Math.min(...points.map(p => p[1])), Math.max(...points.map(p => p[1]))])
    s += `<text x="${l - 5}" y="${Y(lg(v)) + 4}" text-anchor="end">${num(v)}</text>`;
  s += `<line x1="${X(x0)}" y1="${Y(my + slope * (x0 - mx))}" x2="${X(x1)}" y2="${Y(my + slope * (x1 - mx))}" stroke="#888" stroke-dasharray="4 4"/>`;
  s += `<polyline fill="none" stroke="#246bce" stroke-width="1.5" points="${xs.map((x, k) => X(x) + ',' + Y(ys[k])).join(' ')}"/>`;
  points.forEach((p, k) => { s += `<circle cx="${X(xs[k])}" cy="${Y(ys[k])}" r="3.5" fill="#246bce" data-tip="${num(p[0])}: ${num(p[1])}"/>`; });
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', `0 0 ${W} ${H}`);
  svg.innerHTML = s;
  return el('figure', {}, svg, el('figcaption', {textContent: `${title} over the first # that differs; both logarithmic, exponent of the fit ${slope.toFixed(3)}`}));
}
/*PLOTS*/
{
  const t = table(['paper', 'item', 'claim', 'theirs', 'ours', 'ours / theirs', 'agrees', 'why', 'run'], data.claims), counts = new Map();
  for (const c of data.claims) {
    const one = counts.get(c[0]) ?? counts.set(c[0], {}).get(c[0]);
    one[c[6]] = (one[c[6]] ?? 0) + 1;
  }
  const words = {yes: 'agree', no: 'do not', 'needs laboratory measurements': 'need laboratory measurements'};
  const boxes = [...counts].map(([paper, one]) => {
    const other = Object.entries(one).filter(([k]) => k.endsWith(')')).reduce((sum, [, n]) => sum + n, 0);
    return el('div', {}, el('b', {textContent: paper + ': '}),
      [...data.verdicts.filter(k => one[k]).map(k => `${one[k]} ${words[k] ?? k}`), ...(other ? [`${other} not counted`] : [])].join(', '));
  });
  // The verdict apart from the text: "no" is within "not run" and many a word.
  const choice = el('select', {ariaLabel: 'verdict', onchange: e => t.keep(r => !e.target.value || r[6] === e.target.value)},
    el('option', {value: '', textContent: 'every verdict'}), ...[...new Set(data.claims.map(c => c[6]))].sort().map(v => el('option', {value: v, textContent: v})));
  const part = scroll(t);
  part.classList.add('claims');
  document.getElementById('claimtable').append(el('div', {className: 'verdicts'}, ...boxes), choice,
    el('input', {placeholder: 'filter: a paper, an item, a word', oninput: e => t.filter(e.target.value)}), part);
}
const nav = document.getElementById('nav');
nav.append(el('a', {href: '#claims', textContent: 'claims'}));
for (const run of data.runs) {
  const id = 'run-' + run.name;
  nav.append(el('a', {href: '#' + id, textContent: run.name}));
  const bars = run.rows.filter(r => r[4] !== '').length, met = run.rows.filter(r => r[4] === 'pass').length;
  const [parts, rows] = special(run);
  const t = table(['name', 'value', 'unit', 'bar', 'result', 'spread'], rows);
  const plots = parts.length ? [] : series(rows).map(plot);
  document.getElementById('runs').append(el('section', {id},
    el('h2', {textContent: run.name + (bars ? `: ${met} of ${bars} bars met` : '')}),
    el('p', {className: 'meta', textContent: `${run.date}, commit ${run.commit}, ${run.machine}, ${num(run.seconds)} s${run.quick ? ', quick: fewer cases' : ''}`}),
    el('p', {className: 'meta how', textContent: run.how ? `How it was run: ${run.how}.` : ''}),
    ...parts,
    el('input', {placeholder: 'filter', oninput: e => t.filter(e.target.value)}),
    ...(plots.length ? [el('div', {className: 'plots'}, ...plots)] : []), scroll(t)));
}
</script></body></html>
)HTML";

}  // namespace tactus::cli
