#!/usr/bin/env node
// Builds dist/: modules and declarations by the compiler, and the evidence format bundled into one module, so
// that the package depends on nothing. Without packages/evidence, in a copy of this folder, everything is
// built but what checks evidence. Where nothing has changed since, nothing is done.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isFresh, stamp } from './fresh.mjs';

const folder = fileURLToPath(new URL('.', import.meta.url));
const dist = join(folder, 'dist');
const require = createRequire(import.meta.url);
const hasEvidence = existsSync(join(folder, '../../packages/evidence/package.json'));

/** Stands in for src/evidence.ts if the evidence format is not available. */
const ABSENT = ['faultOfGrowth', 'faultOfKey', 'faultOfPolicy', 'findLeaf', 'openLog', 'readPromise']
  .map((name) => `export const ${name} = verifyEvidence;\n`)
  .join('')
  .concat("export function verifyEvidence() { throw new Error('This build has no verification.'); }\n");

const sources = ['src', 'absent.d.ts', 'build.mjs', 'package.json', 'tsconfig.json', 'tsconfig.build.json']
  .concat(hasEvidence ? ['../../packages/evidence/src', '../../tsconfig.base.json'] : ['tsconfig.alone.json'])
  .map((name) => join(folder, name));

if (!isFresh(dist, sources)) {
  rmSync(dist, { recursive: true, force: true });
  compile();
  await bundleEvidence();
  replaceIn('transport/open.js', '"./node.js"', '"#transport"');
  for (const path of files(dist, '.d.ts')) {
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(/((?:from |import\()'\.[^']*)\.ts'/g, "$1.js'"));
  }
  stamp(dist, sources);
}

/** `#transport` is what package.json has for the platform. */
function replaceIn(name, what, by) {
  const text = readFileSync(join(dist, name), 'utf8');
  if (!text.includes(what)) throw new Error(`dist/${name} does not import ${what}`);
  writeFileSync(join(dist, name), text.replace(what, by));
}

function compile() {
  const compiler = require.resolve('typescript/bin/tsc');
  const options = hasEvidence ? ['-b', 'tsconfig.build.json'] : ['-p', 'tsconfig.alone.json'];
  execFileSync(process.execPath, [compiler, ...options], { cwd: folder, stdio: 'inherit' });
  rmSync(join(dist, '.tsbuildinfo'), { force: true });
}

async function bundleEvidence() {
  const outfile = join(dist, 'evidence.js');
  if (!hasEvidence) {
    writeFileSync(outfile, ABSENT);
    console.log('built without packages/evidence: verifying evidence is left out');
    return;
  }
  const { build } = await import('esbuild');
  await build({
    entryPoints: [join(folder, 'src/evidence.ts')],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'eof',
    outfile,
    logLevel: 'warning',
  });
}

function files(from, ending) {
  return readdirSync(from, { recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(from, name));
}
