// Bundles src/ and three.js into one script: node build.mjs [OUT.js]
import {build} from 'esbuild';

await build({
  entryPoints: ['src/main.js'],
  outfile: process.argv[2] ?? 'dist/replay.js',
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['chrome90', 'firefox113', 'safari16.4'],
  charset: 'ascii',  // the page may be read in any encoding
  loader: {'.css': 'text'},
  legalComments: 'inline',
  logLevel: 'warning',
});
