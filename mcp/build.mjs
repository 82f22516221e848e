#!/usr/bin/env node
// Builds dist/ with the compiler, against the built @acuse/client, which is built first. Where nothing has
// changed since, nothing is done.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isFresh, stamp } from '../sdks/typescript/fresh.mjs';

const folder = fileURLToPath(new URL('.', import.meta.url));
const dist = join(folder, 'dist');
const client = join(folder, '../sdks/typescript');
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

execFileSync(process.execPath, ['build.mjs'], { cwd: client, stdio: 'inherit' });
const sources = ['src', 'build.mjs', 'package.json', 'tsconfig.json', 'tsconfig.build.json']
  .map((name) => join(folder, name))
  .concat(join(client, 'dist'));
if (!isFresh(dist, sources)) {
  rmSync(dist, { recursive: true, force: true });
  execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: folder, stdio: 'inherit' });
  for (const name of readdirSync(dist, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const path = join(dist, name);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/((?:from |import\()'\.[^']*)\.ts'/g, "$1.js'"));
  }
  stamp(dist, sources);
}
