#!/usr/bin/env node
// Builds dist/ with the compiler, against the built @acuse/client, which is built first where it is missing.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const dist = join(folder, 'dist');
const client = join(folder, '../sdks/typescript');
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

if (existsSync(join(client, 'build.mjs')) && !existsSync(join(client, 'dist/index.js')))
  execFileSync(process.execPath, ['build.mjs'], { cwd: client, stdio: 'inherit' });
rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: folder, stdio: 'inherit' });
for (const name of readdirSync(dist, { recursive: true })) {
  if (!name.endsWith('.d.ts')) continue;
  const path = join(dist, name);
  writeFileSync(path, readFileSync(path, 'utf8').replace(/((?:from |import\()'\.[^']*)\.ts'/g, "$1.js'"));
}
