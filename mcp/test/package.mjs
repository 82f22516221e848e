#!/usr/bin/env node
// The dry run of publishing: what the package holds, that it installs into an empty project, beside the
// client library, and that what is installed there sends, started over stdio.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { startService } from '../../sdks/typescript/test/support/service.mjs';

const folder = fileURLToPath(new URL('..', import.meta.url));
const target = mkdtempSync(join(tmpdir(), 'acuse-mcp-package-'));
const npm = (...args) =>
  execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const run = (command, args) =>
  execFileSync(command, args, { cwd: target, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const CLIENT = join(folder, '../sdks/typescript');
/** Without another build: the first packing has built this package, and the client where it was missing. */
const AS_BUILT = ['--ignore-scripts'];
const NPX = ['--no-install', 'acuse-mcp'];
/** npm's output before its JSON. */
const clean = (text) => text.replace(/^[^[]*(?=\[\s*\{)/, '');

/** Sends one message through the installed program, as an agent's host starts it. */
async function send() {
  const service = process.env.ACUSE_URL ? null : await startService();
  if (service !== null) Object.assign(process.env, { ACUSE_URL: service.url, ACUSE_API_KEY: service.key });
  // They read the environment when they are loaded.
  const { caller, draft, ERAS, envOf, eventually, mails, makeClient } = await import('./support.mjs');
  try {
    for (const era of ERAS) {
      const { client, asked } = makeClient(era, 'accept');
      const env = { ...envOf(), HOME: process.env.HOME };
      await client.connect(
        new StdioClientTransport({ command: 'npx', args: NPX, env, cwd: target, stderr: 'ignore' }),
      );
      const call = caller(client);
      const message = draft({ subject: randomUUID() });
      const { output: seen } = await call('preview_message', message);
      const { output } = await call('send_message', { ...message, preview_token: seen.preview_token });
      assert.equal(output.replayed, false);
      assert.equal(asked.length, 1);
      await eventually(async () => (await mails(message.subject)).length === 1);
      await client.close();
      console.log(`package: ${era}: sent through npx ${NPX.join(' ')}`);
    }
  } finally {
    await service?.stop();
  }
}

try {
  const packed = npm('pack', '--json', '--pack-destination', target);
  const [{ filename, files }] = JSON.parse(clean(packed));
  const names = files.map(({ path }) => path);
  for (const name of ['README.md', 'LICENSE', 'CHANGELOG.md', 'dist/main.js', 'dist/index.d.ts'])
    assert.ok(names.includes(name), `${name} is not in the package`);
  assert.ok(!names.some((name) => /^(?:src|test|eval)\//.test(name)), 'sources are in the package');
  writeFileSync(join(target, 'package.json'), '{"name":"fresh","private":true,"type":"module"}');
  const client = JSON.parse(
    clean(npm('pack', '--json', ...AS_BUILT, '--pack-destination', target, CLIENT)),
  )[0].filename;
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', `./${client}`, `./${filename}`];
  run('npm', install);
  // The name is nobody's on a public registry: with both files given, it is not asked for there.
  const { packages } = JSON.parse(readFileSync(join(target, 'package-lock.json'), 'utf8'));
  assert.equal(packages['node_modules/@acuse/client'].resolved, `file:${client}`);
  assert.match(run('npx', [...NPX, '--help']), /ACUSE_MCP_RECIPIENTS/);
  await send();
  // Nobody is asked.
  const dry = ['publish', '--dry-run', ...AS_BUILT, '--fetch-retries=0', '--registry', 'http://127.0.0.1:9/'];
  console.log(npm(...dry).trim());
  console.log(`package: ${filename}, ${names.length} files`);
} finally {
  rmSync(target, { recursive: true, force: true });
}
