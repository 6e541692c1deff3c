// Opens the page of `tactus report` as people do: node report.mjs TACTUS NODE_MODULES FOLDER
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {findTools, launch, openWatched, runTests} from './tools.mjs';

const [program, modules, folder] = process.argv.slice(2);
const tools = findTools(modules);
const results = path.join(folder, 'results', '2026-01-02');
fs.rmSync(path.join(folder, 'results'), {recursive: true, force: true});
fs.mkdirSync(results, {recursive: true});

function writeRun(suite, rows) {
  fs.writeFileSync(path.join(results, `${suite}.json`), JSON.stringify({
    format: 'tactus-bench-1', suite, quick: false, only: '', date: '2026-01-02T03:04:05Z', commit: '0123456789ab', version: '0', compiler: 'none',
    machine: {processor: 'made up', cores: 2, simd: 'none'}, seconds: 1,
    rows: rows.map(([name, value, unit = '', bar = null]) => ({name, value, unit, bar, better: 'unknown', pass: bar === null || value <= bar})),
  }));
}
const counts = [1, 3, 10, 30], sizes = [10, 100, 1000];
writeRun('scenarios', ['canal', 'pgs'].flatMap((solver, s) => counts.flatMap((k) => [
  [`dish-step, ${solver} after ${k} iterations: residual (paper), median`, (1 + s) / k ** 2], [`dish-step, ${solver} after ${k} iterations: time, median`, 0.1 * k, 'ms']])));
writeRun('subadmm', [...sizes.map((n) => [`granular-stir with particles=${n}, 60 iterations: of the processor, mean`, 0.01 * n ** 1.02, 'ms']),
  ['8 laikagos: no-sub over subadmm', 5.5], ['27 laikagos: no-sub over subadmm', 2], ['<img src=x onerror="window.broken=1">', 1, 'ms', 0.5]]);
writeRun('peers', ['tactus', 'mujoco default'].flatMap((engine, e) => [[`spheres: ${engine}: time a step`, 1 + e, 'ms'], [`spheres: ${engine}: penetration`, 1e-5 * (1 + e), 'm'],
  ...[100, 1000].flatMap((hz) => [[`spheres: ${engine} at ${hz} Hz: cost of a simulated second`, hz * 1e-3, 's/s'], [`spheres: ${engine} at ${hz} Hz: error`, 1 / hz, 'm']])]));
writeRun('fclib', ['hybrid', 'Siconos PROX'].flatMap((solver, s) => [1, 2, 5, 10].map((m) => [`at 1e-08: ${solver}: part within ${m} times the best`, Math.min(1, 0.2 * m / (1 + s))])));
const html = path.join(folder, 'report.html');
execFileSync(program, ['report', path.join(folder, 'results'), '--html', html], {stdio: ['ignore', 'ignore', 'inherit']});
const browser = await launch(tools);
const open = (settings = {}) => openWatched(browser, html, {viewport: {width: 1400, height: 900}, ...settings});
const figure = (page, title) => page.locator('figure', {hasText: title}).first();

const tests = {
  async 'has claims of all papers and every suite'() {
    const page = await open();
    const rows = await page.locator('#claimtable tbody tr').count();
    assert.ok(rows > 100, `${rows} claims`);
    assert.equal(await page.locator('.verdicts div').count(), 5);
    assert.match(await page.locator('#claimtable').textContent(), /needs laboratory measurements/);
    assert.equal(await page.locator('section').count(), 4);
    assert.equal(await page.evaluate(() => window.broken), undefined);
    return page;
  },

  async 'tables sort and filter'() {
    const page = await open();
    const table = page.locator('#claimtable'), ours = async () => (await table.locator('tbody tr td:nth-child(5)').allTextContents()).filter((x) => x !== '').map(Number);
    const head = table.locator('th', {hasText: /^ours$/});
    await head.click();
    const up = await ours();
    assert.deepEqual(up, [...up].sort((a, b) => a - b));
    await head.click();
    assert.deepEqual(await ours(), [...up].reverse());
    assert.ok(up.length >= 2);
    await table.locator('input').fill('27 Laikagos');
    assert.equal(await table.locator('tbody tr').count(), 1);
    assert.equal(await table.locator('td.no').count(), 1);
    return page;
  },

  async 'plots react'() {
    const page = await open();
    const plot = figure(page, 'dish-step: residual over time');
    await plot.scrollIntoViewIfNeeded();
    assert.equal(await page.locator('#tip').isVisible(), false);
    await plot.locator('circle').first().hover();
    assert.match(await page.locator('#tip').textContent(), /^canal: 0\.1, 1$/);
    assert.equal(await page.locator('#tip').isVisible(), true);
    const line = plot.locator('[data-line="1"]');
    assert.equal(await line.isVisible(), true);
    await plot.locator('.legend button').nth(1).click();
    assert.equal(await line.isVisible(), false);
    await plot.locator('.legend button').nth(1).click();
    assert.equal(await line.isVisible(), true);
    return page;
  },

  async 'growth is fitted, profiles and bars are there'() {
    const page = await open();
    const growth = figure(page, 'over size');
    assert.match(await growth.locator('.legend').textContent(), /exponent 1\.020/);
    assert.equal(await growth.locator('line.fit').count(), 1);
    assert.equal(await figure(page, 'Performance profile at 1e-08').locator('path').count(), 2);
    assert.equal(await figure(page, 'median time of a step').locator('rect').count(), 2);
    assert.equal(await figure(page, 'error over processor time').locator('circle').count(), 4);
    return page;
  },

  async 'fits narrow windows, in the dark too'() {
    const page = await open({viewport: {width: 420, height: 800}, colorScheme: 'dark'});
    const [wide, ink] = await page.evaluate(() => [document.documentElement.scrollWidth, getComputedStyle(document.body).color]);
    assert.ok(wide <= 420, `${wide} pixels`);
    assert.notEqual(ink, 'rgb(0, 0, 0)');
    return page;
  },
};
await runTests(tests, browser);
