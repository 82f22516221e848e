#!/usr/bin/env node
// The dry run of publishing: what the package holds, and that it installs into an empty
// project, beside the client library, and starts.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('..', import.meta.url));
const target = mkdtempSync(join(tmpdir(), 'acuse-mcp-package-'));
const npm = (...args) =>
  execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const run = (command, args) =>
  execFileSync(command, args, { cwd: target, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const CLIENT = join(folder, '../sdks/typescript');
/** What npm says before its JSON. */
const clean = (text) => text.replace(/^[^[]*(?=\[\s*\{)/, '');

try {
  const packed = npm('pack', '--json', '--pack-destination', target);
  const [{ filename, files }] = JSON.parse(clean(packed));
  const names = files.map(({ path }) => path);
  for (const name of ['README.md', 'LICENSE', 'CHANGELOG.md', 'dist/main.js', 'dist/index.d.ts'])
    assert.ok(names.includes(name), `${name} is not in the package`);
  assert.ok(!names.some((name) => /^(?:src|test|eval)\//.test(name)), 'sources are in the package');
  writeFileSync(join(target, 'package.json'), '{"name":"fresh","private":true,"type":"module"}');
  const client = JSON.parse(clean(npm('pack', '--json', '--pack-destination', target, CLIENT)))[0].filename;
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', `./${client}`, `./${filename}`];
  run('npm', install);
  assert.match(run('npx', ['--no-install', 'acuse-mcp', '--help']), /ACUSE_MCP_RECIPIENTS/);
  console.log(npm('pack', '--dry-run').trim());
  console.log(`package: ${filename}, ${names.length} files`);
} finally {
  rmSync(target, { recursive: true, force: true });
}
