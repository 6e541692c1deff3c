// What tests in a browser share. Exit code 77: something to test with is missing.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

export function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}

function findBrowser() {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']) {
    for (const place of (process.env.PATH ?? '').split(':')) {
      const file = path.join(place, name);
      if (fs.existsSync(file)) return file;
    }
  }
  return skip('there is no Chromium on the PATH (apt-get install chromium)');
}

// Playwright's library and the browser, or the end of the test.
export function findTools(modules) {
  const library = path.join(modules, 'playwright-core', 'index.mjs');
  if (!fs.existsSync(library)) skip(`there is no ${library}: npm ci did not reach its registry when this was built`);
  return {library, executablePath: findBrowser()};
}

export async function launch({library, executablePath}) {
  const {chromium} = await import(pathToFileURL(library).href);
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-background-networking',
           '--no-first-run', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
  });
}

// A page whose errors and requests are watched: page.troubles.
export async function openWatched(browser, file, settings) {
  const page = await browser.newPage(settings);
  page.troubles = [];
  page.on('console', (message) => message.type() === 'error' && page.troubles.push(message.text()));
  page.on('pageerror', (error) => page.troubles.push(error.message));
  const url = pathToFileURL(file).href;
  page.on('request', (request) => {
    const own = request.url() === url || /^(data|blob):/.test(request.url());
    if (!own) page.troubles.push(`request of ${request.url()}`);
  });
  await page.goto(url);
  return page;
}

// Each test returns its page. Ends the program.
export async function runTests(tests, browser) {
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      const page = await test();
      assert.deepEqual(page.troubles, []);
      await page.close();
      console.log(`ok      ${name}`);
    } catch (error) {
      ++failed;
      console.log(`FAILED  ${name}\n${error.stack}`);
    }
  }
  await browser.close();
  process.exit(failed > 0 ? 1 : 0);
}
