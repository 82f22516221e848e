#!/usr/bin/env node
// Makes what server/test/process/upgrade-from.test.ts upgrades: a small installation of a release, filled by
// that release's own program. Run it once for each release, and commit what it writes:
//
//   git clone . /tmp/release && cd /tmp/release && git checkout <release> && npm ci && npm run build
//   fill.mjs /tmp/release <release> <URL of an empty database> <its URL as a superuser>
//
// Only a superuser can dump everything, because row-level security is forced. It writes
// scripts/releases/<release>/: database.sql.gz (pg_dump, of a PostgreSQL 15 so that every supported one takes
// it), data/ (the data folder), bundles/ (proof bundles as that release gave them out) and facts.json (what
// the test looks for). Nothing of it is a secret: keys and passwords are of this installation alone.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const [release, name, databaseUrl, superuserUrl] = process.argv.slice(2);
if (superuserUrl === undefined) {
  console.error('usage: fill.mjs <folder of the release> <its name> <database URL> <its URL as a superuser>');
  process.exit(2);
}
const target = join(dirname(fileURLToPath(import.meta.url)), name);
const WITHIN_MS = 120_000;
/** Of the sandbox's owner. */
const OWNER = 'owner@sandbox.test';
const EMAIL = 'ana@cliente.test';
const PASSWORD = 'correct horse battery staple';
const PORTS = ['', 'SANDBOX_SMTP_', 'RETURN_PATH_', 'ADMIN_', 'SUBMISSION_', 'SUBMISSIONS_'];

const home = mkdtempSync(join(tmpdir(), 'acuse-release-'));
const dataDir = join(home, 'data');
const env = {
  PATH: process.env.PATH,
  HOME: home,
  DATABASE_URL: databaseUrl,
  ACUSE_DATA_DIR: dataDir,
  ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true',
  ...Object.fromEntries(PORTS.map((each) => [`ACUSE_${each}PORT`, '0'])),
};
const program = join(release, 'server/bin/acuse.mjs');

async function untilTrue(what, look) {
  const deadline = Date.now() + WITHIN_MS;
  while (!(await look())) {
    if (Date.now() > deadline) throw new Error(`not within ${WITHIN_MS} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function withService(work) {
  const child = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (said += text));
    await untilTrue('the service is ready', () => /^ *API +http/m.test(said) || child.exitCode !== null);
    await work(JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')));
  } finally {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
}

function clientOf({ base_url: base, api_key: key }) {
  return async (method, path, body, headers = {}) => {
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    const type = answer.headers.get('content-type') ?? '';
    if (/json/.test(type)) return answer.json();
    return Buffer.from(await answer.arrayBuffer());
  };
}

/** A person signs in with a link, sets a password, and shares a proof. */
async function usePortal({ base_url: base, portal_sign_in: link }, shared) {
  let cookie = '';
  const call = async (method, path, body) => {
    const answer = await fetch(`${base}/v1/portal${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
  };
  await call('POST', '/session', { link: new URL(link).hash.slice(1) });
  await call('PUT', '/password', { password: PASSWORD });
  await call('POST', `/messages/${shared}/shares`, {
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    disclose: { message: true, parts: [], delivery: true },
    note: 'Notary 12',
  });
}

async function fill(sandbox, hook) {
  const call = clientOf(sandbox);
  await call('POST', '/v1/webhooks', { url: hook, events: ['*'], description: 'takes' });
  await call('POST', '/v1/webhooks', { url: `${hook}/refuses`, events: ['*'], description: 'refuses' });
  const template = await call('POST', '/v1/templates', {
    name: 'invoice',
    subject: 'Invoice {{ number }}',
    text: 'Hello {{ name }}',
    html: '<p>Hello {{ name }}</p>',
  });
  await call('POST', '/v1/suppressions', { address: 'nobody@cliente.test', reason: 'asked' });
  await call('POST', '/v1/domains', { name: 'cliente.test' });
  const send = (key, fields) =>
    call(
      'POST',
      '/v1/messages',
      {
        from: 'billing@sandbox.test',
        to: 'delivered@sandbox.test',
        subject: 'Hello',
        text: 'Hola Ana',
        ...fields,
      },
      { 'idempotency-key': key },
    );
  const certified = await send('certified', { certified: true, metadata: { order: '7' } });
  const bounced = await send('bounced', { certified: true, to: 'bounced@sandbox.test' });
  const templated = await send('templated', {
    certified: true,
    subject: undefined,
    text: undefined,
    template_id: template.id,
    variables: { number: 'A-1', name: 'Ana' },
    attachments: [{ filename: 'a.txt', content: 'YQ==' }],
  });
  const plain = await send('plain', {});
  const scheduled = await send('scheduled', {
    send_at: new Date(Date.now() + 29 * 86_400_000).toISOString(),
  });
  const all = { certified, bounced, templated, plain };
  for (const { id } of Object.values(all))
    await untilTrue('delivered', async () =>
      ['sent', 'bounced'].includes((await call('GET', `/v1/messages/${id}`)).status),
    );
  mkdirSync(join(target, 'bundles'), { recursive: true });
  for (const [each, { id }] of Object.entries(all)) {
    if (each === 'plain') continue;
    await untilTrue('sealed with its outcome', async () => {
      const { delivery, sealed_at } = await call('GET', `/v1/messages/${id}/evidence`).catch(() => ({}));
      return sealed_at !== null && delivery?.some((outcome) => outcome.sealed_at !== null);
    });
    writeFileSync(
      join(target, 'bundles', `${each}.zip`),
      await call('GET', `/v1/messages/${id}/proof-bundle`),
    );
  }
  await usePortal(sandbox, certified.id);
  execFileSync(process.execPath, [program, 'users', 'link', EMAIL, '--role', 'owner'], { env });
  const ids = Object.fromEntries(Object.entries({ ...all, scheduled }).map(([each, { id }]) => [each, id]));
  const statuses = {};
  for (const [each, id] of Object.entries(ids))
    statuses[each] = (await call('GET', `/v1/messages/${id}`)).status;
  return { ids, statuses, template: template.id, email: OWNER, password: PASSWORD };
}

function dump() {
  const text = execFileSync(
    'pg_dump',
    ['--no-owner', '--inserts', '--rows-per-insert=100', '--dbname', superuserUrl],
    { encoding: 'utf8', maxBuffer: 1e9 },
  );
  // Commands of psql alone are left out: a client of any kind can run the rest.
  const sql = text.replace(/^\\.*\n/gm, '');
  writeFileSync(join(target, 'database.sql.gz'), gzipSync(sql, { level: 9 }));
}

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const receiver = createServer((request, response) => {
  request.resume();
  response.writeHead(request.url.endsWith('/refuses') ? 500 : 204).end();
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
try {
  await withService(async (sandbox) => {
    const facts = await fill(sandbox, `http://127.0.0.1:${receiver.address().port}/hook`);
    writeFileSync(join(target, 'facts.json'), `${JSON.stringify(facts, null, 2)}\n`);
  });
  dump();
  cpSync(dataDir, join(target, 'data'), { recursive: true });
} finally {
  receiver.close();
  rmSync(home, { recursive: true, force: true });
}
