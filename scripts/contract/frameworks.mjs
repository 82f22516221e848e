#!/usr/bin/env node
// The examples of docs/guides/frameworks.md, run as printed: each program sends an invoice's message through
// a service of its own, takes the webhook that follows, and refuses one that is not signed. The syntax of
// those whose framework is not installed here is read. `npm run contract:frameworks`.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from './service.mjs';
import { has, npmTools, pythonTool, run } from './tools.mjs';

const HERE = new URL('.', import.meta.url).pathname;
const ROOT = join(HERE, '../..');
const OWN = join(HERE, 'frameworks');
const requirements = join(OWN, 'requirements.txt');
const withLibrary = { PYTHONPATH: join(ROOT, 'sdks/python/src') };
/** For a program to listen, and for an event to come (ms). */
const PATIENCE_MS = 60_000;
const POLL_MS = 100;

const page = readFileSync(join(ROOT, 'docs/guides/frameworks.md'), 'utf8');
/** The blocks of a section of the page. */
const blocksOf = (title) => {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`docs/guides/frameworks.md has no section ${title}`);
  return [...section.matchAll(/^```\w+\n(.*?)^```$/gms)].map(([, text]) => text);
};
const work = mkdtempSync(join(tmpdir(), 'acuse-frameworks-'));
const service = await startService();
let failed = 0;
try {
  await runs('Express', express);
  if (has('python3', '-c', 'import venv')) {
    await runs('Django', django);
    await runs('FastAPI', fastapi);
  } else skip('Django, FastAPI', 'Python 3.10 or newer');
  if (has('go', 'version')) await runs('Go', go);
  else skip('Go', 'Go 1.24 or newer');
  parses('Next.js', 'node', (file) => ['node', ['--check', file]], 'mjs');
  parses(
    'Laravel',
    'php',
    (file) => ['php', ['-l', file]],
    'php',
    (text) => `<?php\n${text}`,
  );
  parses('Rails', 'ruby', (file) => ['ruby', ['-c', file]], 'rb');
  parses('Spring', 'java', (file) => ['java', [join(OWN, 'Parse.java'), file]], 'java');
  parses('Axum', 'rustfmt', (file) => ['rustfmt', ['--edition', '2024', file]], 'rs');
} finally {
  await service.stop();
  rmSync(work, { recursive: true, force: true });
}
process.exitCode = failed;

function skip(name, needs) {
  console.log(`skipped: ${name}: needs ${needs}`);
  if (process.env.CI === 'true') failed = 1;
}

function parses(title, tool, command, ending, around = (text) => text) {
  if (!has(tool, tool === 'java' ? '-version' : '--version')) return skip(title, tool);
  for (const [at, block] of blocksOf(title).entries()) {
    const file = join(work, `${title.replaceAll('.', '')}-${at}.${ending}`);
    writeFileSync(file, around(block));
    run(...command(file));
  }
  console.log(`${title}: its syntax is right`);
}

/** A folder with the program of a section, started; what it should do, done. */
async function runs(title, prepare) {
  const folder = join(work, title);
  mkdirSync(folder);
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const hook = await call('POST', '/v1/webhooks', { url: `${base}/acuse`, events: ['email.sent'] });
  const [program, args, more] = prepare(folder, blocksOf(title)[0], port);
  const env = {
    ...{ ...process.env, PORT: String(port), ACUSE_URL: service.url, ACUSE_API_KEY: service.key },
    ...{ ACUSE_WEBHOOK_SECRET: hook.secret, ...more },
  };
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  const ended = new Promise((resolve) => child.on('exit', resolve));
  try {
    await until(`${title} listens`, () => fetch(base).then(() => child.exitCode === null));
    await sendsAndReceives(title, base, hook.id);
    console.log(`${title}: sent, received, and refused what is not signed`);
  } catch (error) {
    throw new Error(`${title}:\n${Buffer.concat(output)}`, { cause: error });
  } finally {
    child.kill('SIGKILL');
    await ended;
    await call('DELETE', `/v1/webhooks/${hook.id}`);
  }
}

async function sendsAndReceives(title, base, hook) {
  const post = (path, body) =>
    fetch(base + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const invoice = JSON.stringify({ number: title, to: 'delivered@sandbox.test' });
  const [first, second] = [await post('/invoices', invoice), await post('/invoices', invoice)];
  if (first.status !== 201) throw new Error(`it answered ${first.status}: ${await first.text()}`);
  const [{ id }, again] = [await first.json(), await second.json()];
  if (again.id !== id) throw new Error('the same invoice was sent twice');
  await until('the webhook was taken', async () => {
    const { data } = await call('GET', `/v1/webhooks/${hook}/deliveries`);
    return data.some(({ status }) => status === 'delivered');
  });
  const forged = await post('/acuse', '{"type":"email.sent"}');
  if (forged.status !== 400) throw new Error(`it took what is not signed: ${forged.status}`);
}

function express(folder, code) {
  run(process.execPath, [join(ROOT, 'sdks/typescript/build.mjs')]);
  cpSync(join(npmTools(OWN), 'node_modules'), join(folder, 'node_modules'), { recursive: true });
  mkdirSync(join(folder, 'node_modules/@acuse'));
  symlinkSync(join(ROOT, 'sdks/typescript'), join(folder, 'node_modules/@acuse/client'));
  writeFileSync(join(folder, 'main.mjs'), code);
  return [process.execPath, ['main.mjs'], {}];
}

function django(folder, code) {
  cpSync(join(OWN, 'django_main.py.txt'), join(folder, 'django_main.py'));
  writeFileSync(join(folder, 'views.py'), code);
  return [pythonTool('python3', requirements), ['django_main.py'], withLibrary];
}

function fastapi(folder, code, port) {
  writeFileSync(join(folder, 'main.py'), code);
  return [pythonTool('uvicorn', requirements), ['main:app', '--port', String(port)], withLibrary];
}

function go(folder, code) {
  writeFileSync(join(folder, 'main.go'), code);
  const library = join(ROOT, 'sdks/go');
  writeFileSync(
    join(folder, 'go.mod'),
    `module example\n\ngo 1.24\n\nrequire acuse.dev/go v0.0.0\n\nreplace acuse.dev/go => ${library}\n`,
  );
  run('go', ['build', '-o', 'program', '.'], { cwd: folder });
  return [join(folder, 'program'), [], {}];
}

async function call(method, path, body) {
  const answer = await fetch(service.url + path, {
    method,
    headers: {
      authorization: `Bearer ${service.key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.status === 204 ? null : answer.json();
}

async function until(what, isTrue) {
  const end = Date.now() + PATIENCE_MS;
  while (!(await isTrue().catch(() => false))) {
    if (Date.now() > end) throw new Error(`not within ${PATIENCE_MS / 1_000} s: ${what}`);
    await sleep(POLL_MS);
  }
}

/** Below the ports that systems give to outgoing connections: nobody takes it before its program begins. */
async function freePort() {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000);
    const server = createServer();
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
