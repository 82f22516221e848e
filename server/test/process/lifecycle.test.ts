import { readdirSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audit, countStates } from '../support/audit.ts';
import { startCommand } from '../support/command-process.ts';
import { startLoad } from '../support/load.ts';
import { createProcesses, type Service } from '../support/process.ts';

/**
 * A server's beginning and end, orderly and not: what it promises to whoever runs it and to whoever was
 * answered.
 */
const processes = createProcesses();
/** On its own database, an embedded one: the first test ends it and starts it again. */
let running: Service;
beforeAll(async () => {
  running = await processes.start();
});
afterAll(processes.end);

/** Things that a client holds on to over a restart. */
function identity({ api_key, tenant_id, log_key }: Service['sandbox']) {
  return { api_key, tenant_id, log_key };
}

/** The file that programs find a sandbox by. */
async function expectSandboxFile({ dataDir, baseUrl, sandbox }: Service): Promise<void> {
  expect((statSync(join(dataDir, 'sandbox.json')).mode & 0o777).toString(8)).toBe('600');
  expect(sandbox).toEqual({
    base_url: baseUrl,
    api_key: expect.stringMatching(/^acuse_/),
    tenant_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    smtp_port: expect.any(Number),
    submission_port: expect.any(Number),
    submissions_port: expect.any(Number),
    return_path_port: expect.any(Number),
    mailbox_url: `${baseUrl}/sandbox/mailbox`,
    portal_url: `${baseUrl}/portal`,
    portal_sign_in: expect.stringMatching(/\/portal\/link#[\w-]{43}$/),
    admin_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    admin_sign_in: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/link#[\w-]{43}$/),
    ca_file: join(dataDir, 'development-ca.pem'),
    log_key: expect.stringMatching(/^sandbox\.test\/log\+[0-9a-f]{8}\+/),
  });
  expect(readFileSync(sandbox.ca_file, 'utf8')).toMatch(/^-----BEGIN CERTIFICATE-----/);
  const headers = { authorization: `Bearer ${sandbox.api_key}` };
  expect((await fetch(sandbox.mailbox_url, { headers })).status).toBe(200);
  expect((await fetch(sandbox.mailbox_url)).status).toBe(401);
  await expectSignIn(baseUrl, sandbox.portal_sign_in!);
}

/** The link of this start signs an owner in, once; opening it spends nothing. */
async function expectSignIn(baseUrl: string, signIn: string): Promise<void> {
  for (const method of ['GET', 'HEAD']) await fetch(signIn, { method });
  const link = new URL(signIn).hash.slice(1);
  const spend = () =>
    fetch(`${baseUrl}/v1/portal/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ link }),
    });
  const opened = await spend();
  expect(opened.status).toBe(200);
  const cookie = opened.headers.get('set-cookie')!.split(';', 1)[0]!;
  const session = await (await fetch(`${baseUrl}/v1/portal/session`, { headers: { cookie } })).json();
  expect(session).toMatchObject({ accounts: [{ role: 'owner', sandbox: true }] });
  const again = await spend();
  expect([again.status, await again.json()]).toMatchObject([422, { error: { code: 'invalid_link' } }]);
}

describe('on its own database', () => {
  test('a second start resumes: the same key and log, the messages, a sandbox.json that is right; after kill -9 too', async () => {
    const first = running;
    await expectSandboxFile(first);
    const sent = await first.send();
    await eventually(async () => {
      const { body } = await first.call('GET', `/v1/messages/${sent.body.id}`);
      return body.sealed_at !== null && body.status === 'sent';
    });
    const before = await first.call('GET', `/v1/messages/${sent.body.id}`);
    expect(await first.stop()).toBe(0);

    const second = await processes.start({ dataDir: first.dataDir });
    await expectSandboxFile(second);
    expect(identity(second.sandbox)).toEqual(identity(first.sandbox));
    expect((await second.call('GET', `/v1/messages/${sent.body.id}`)).body).toEqual(before.body);
    const unsealed = await second.send();
    await second.kill9();

    const third = await processes.start({ dataDir: first.dataDir });
    running = third;
    expect(identity(third.sandbox)).toEqual(identity(first.sandbox));
    expect((await third.call('GET', `/v1/messages/${sent.body.id}`)).body).toEqual(before.body);
    await eventually(async () => {
      const { body } = await third.call('GET', `/v1/messages/${unsealed.body.id}`);
      return body.sealed_at !== null;
    });
  });

  test('a second instance finds ports of its own with --ports auto, and says which', async () => {
    const taken = ['ACUSE_SANDBOX_SMTP_PORT', 'ACUSE_RETURN_PATH_PORT', 'ACUSE_SUBMISSION_PORT'];
    const dataDir = processes.folder();
    const second = startCommand(['serve', '--ports', 'auto'], {
      ACUSE_DATA_DIR: dataDir,
      DATABASE_URL: await processes.database(),
      // An empty variable counts as absent.
      ...Object.fromEntries(taken.map((name) => [name, ''])),
    });
    try {
      await second.said(/Stop with Ctrl-C/);
      const said = second.stdout();
      const sandbox = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'));
      const ports = [
        Number(new URL(sandbox.base_url).port),
        sandbox.smtp_port,
        sandbox.return_path_port,
        sandbox.submission_port,
        sandbox.submissions_port,
      ];
      const usual = [8025, 8026, 8027, 8028, 8029];
      expect(new Set([...ports, ...usual, running.sandbox.smtp_port]).size).toBe(11);
      for (const port of ports) expect(said).toMatch(new RegExp(`\\b${port}\\b`));
      for (const name of ['/docs', '/verify', '/sandbox/mailbox', 'suppressed@sandbox.test'])
        expect(said).toContain(name);
      expect((await fetch(`${sandbox.base_url}/healthz`)).ok).toBe(true);
      for (const page of ['/docs', '/llms.txt', '/docs/api'])
        expect(await (await fetch(sandbox.base_url + page)).text()).not.toContain('localhost:0');
      expect(await (await fetch(`${sandbox.base_url}/llms.txt`)).text()).toContain(sandbox.base_url);
    } finally {
      second.child.kill('SIGTERM');
      await second.ended;
    }
  });

  test('the log follows the screen that a start prints; without a start it still comes', async () => {
    const folder = processes.folder();
    const port = new URL(running.baseUrl).port;
    const printed = async (databaseUrl: string, env: Record<string, string>) => {
      const command = startCommand(['serve', '--ports', 'auto'], {
        ACUSE_DATA_DIR: folder,
        DATABASE_URL: databaseUrl,
        ACUSE_METRICS_PORT: '0',
        ...env,
      });
      let all = '';
      for (const stream of [command.child.stdout!, command.child.stderr!])
        stream.on('data', (text: string) => (all += text));
      if (env['ACUSE_PORT'] === undefined) {
        await command.said(/Stop with Ctrl-C/);
        command.child.kill('SIGTERM');
      }
      await command.ended;
      return { all, ...command };
    };
    const started = await printed(await processes.database(), {});
    expect(started.all).toMatch(/Stop with Ctrl-C[\s\S]*"metrics are served"[\s\S]*"stopping"/);
    expect(started.all.indexOf('{"level"')).toBeGreaterThan(started.all.indexOf('Stop with Ctrl-C'));
    // For people: nothing of the start below its screen, and one line for its end.
    const pretty = await printed(await processes.database(), { ACUSE_LOG_FORMAT: 'pretty' });
    expect(pretty.stderr()).toMatch(/^\d\d:\d\d:\d\d INFO {2}stopped\n$/);
    const failed = await printed(await processes.database(), { ACUSE_PORT: port });
    expect(failed.stdout()).toBe('');
    expect(failed.stderr()).toMatch(/"metrics are served"[\s\S]*in use[\s\S]*ACUSE_PORT/);
  });

  test('a second start on a used folder, or a used port, says why and leaves the first alone', async () => {
    const first = running;
    await expect(processes.start({ dataDir: first.dataDir })).rejects.toThrow(
      new RegExp(`data folder is in use by process ${first.pid} \\(acuse serve, since .*ACUSE_DATA_DIR`),
    );
    const port = new URL(first.baseUrl).port;
    const databaseUrl = await processes.database();
    await expect(processes.start({ databaseUrl, env: { ACUSE_PORT: port } })).rejects.toThrow(
      new RegExp(`exit code [1-9].*${port}.*in use.*ACUSE_PORT`, 's'),
    );
    // Before a first start makes anything.
    const dataDir = processes.folder();
    await expect(processes.start({ dataDir, env: { ACUSE_PORT: port } })).rejects.toThrow(
      /in use.*ACUSE_PORT/s,
    );
    expect(readdirSync(dataDir)).toEqual([]);
    const smtpPort = String(first.sandbox.smtp_port);
    await expect(
      processes.start({ databaseUrl, env: { ACUSE_SANDBOX_SMTP_PORT: smtpPort } }),
    ).rejects.toThrow(new RegExp(`exit code [1-9].*${smtpPort}.*in use.*ACUSE_SANDBOX_SMTP_PORT`, 's'));
    expect((await first.send()).status).toBe(201);
  });
});

describe('SIGTERM', () => {
  test('under load: ends with 0, and everything that was answered is there afterwards', async () => {
    const databaseUrl = await processes.database();
    const db = processes.connect(databaseUrl);
    const service = await processes.start({ databaseUrl });
    const load = startLoad(() => service, { concurrency: 32 });
    await eventually(() => load.accepted.size > 300);
    expect(await service.stop()).toBe(0);
    await load.stop();

    expect(load.odd).toEqual([]);
    const rows = await db.query<{ idempotency_key: string; message_id: string }>(
      'select idempotency_key, message_id from messages',
    );
    const stored = new Map(rows.map((row) => [row.idempotency_key, row.message_id]));
    for (const [key, id] of load.accepted) expect(stored.get(key)).toBe(id);
    // Nothing is left leased: another server could go on at once.
    expect(await db.query('select message_id from delivery_queue where leased_until > now()')).toEqual([]);
    expect(await audit(db)).toEqual([]);
    const { sent = 0, queued = 0, ...rest } = await countStates(db);
    expect(rest).toEqual({});
    expect(sent + queued).toBe(stored.size);
  });

  test('ends though a client holds a request open, idles on a connection, or sends byte by byte', async () => {
    const service = running;
    const { port } = new URL(service.baseUrl);
    const open = [
      '',
      'GET /healthz HT',
      `POST /v1/messages HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.sandbox.api_key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"from":`,
    ].map((text) => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => {}).write(text);
      return socket;
    });
    const smtp = connect(service.sandbox.smtp_port, '127.0.0.1');
    smtp.on('error', () => {}).write('EHLO a\r\nMAIL FROM:<a@b.test>\r\n');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await service.stop()).toBe(0);
    for (const socket of [...open, smtp]) socket.destroy();
  });
});
