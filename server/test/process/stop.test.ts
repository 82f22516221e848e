import { connect, type Socket } from 'node:net';
import { eventually } from '@acuse/testkit/eventually';
import { afterAll, expect, test } from 'vitest';
import { startCommand } from '../support/command-process.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { createProcesses, type Service } from '../support/process.ts';
import { openRawSmtp } from '../support/raw-smtp.ts';

/** A SIGTERM ends the process, whatever goes on: with 0, or with 1 when it had to cut work off. */

const processes = createProcesses();
const sockets: Socket[] = [];
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await processes.end();
});

function open(port: string | number, text: string): Socket {
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {}).write(text);
  sockets.push(socket);
  return socket;
}

/** A page of the portal that hears of changes. */
async function stream({ baseUrl, sandbox }: Service): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const signedIn = await fetch(`${baseUrl}/v1/portal/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ link: sandbox.portal_sign_in!.split('#')[1] }),
  });
  const cookie = signedIn.headers.get('set-cookie')!.split(';', 1)[0]!;
  const changes = await fetch(`${baseUrl}/v1/portal/changes`, { headers: { cookie } });
  expect([changes.status, changes.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  return changes.body!.getReader();
}

test('while every door is held: silent, slow, streaming, in the middle of mail, and with hashes that wait', async () => {
  const service = await processes.start();
  const { sandbox, baseUrl } = service;
  const { port } = new URL(baseUrl);
  const changes = await stream(service);

  const mail = await openRawSmtp(sandbox.submission_port!);
  await mail.command('EHLO a');
  await mail.startTls();
  expect(await mail.login(sandbox.api_key)).toMatch(/^235/);
  await mail.command('MAIL FROM:<billing@sandbox.test>');
  await mail.command('RCPT TO:<delivered@sandbox.test>');
  expect(await mail.command('DATA')).toMatch(/^354/);
  mail.write('..\r\n'.repeat(256 * 1024));

  const announced = `POST /v1/messages/batch HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${sandbox.api_key}\r\nContent-Type: application/json\r\nContent-Length: 67108864\r\n\r\n{"messages":`;
  for (let each = 0; each < 30; each++) {
    open(port, '');
    open(port, announced);
    open(sandbox.return_path_port!, '');
    open(sandbox.submission_port!, 'EHLO a\r\n');
    open(sandbox.submissions_port!, '');
  }
  const body = JSON.stringify({ email: 'nobody@attack.test', password: 'not the password of anybody' });
  const signIn = `POST /v1/portal/session HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  for (let each = 0; each < 30; each++) open(port, signIn);
  expect((await service.send()).status).toBe(201);

  expect(await service.stop()).toBe(0);
  await changes.read().catch(() => {});
  mail.end();
});

test('while the database answers nothing, and sends and deliveries wait for it', async () => {
  const { service, proxy } = await processes.startBehindProxy();
  await service.send();
  proxy.freeze();
  const sends = Array.from({ length: 20 }, () => service.send().catch(() => null));
  await eventually(async () => (await fetch(`${service.baseUrl}/readyz`)).status === 503);
  // Cut off: outcomes cannot be recorded.
  expect(await service.stop()).not.toBeNull();
  await Promise.all(sends);
});

test('while a start waits for a database that answers no more', async () => {
  const proxy = await startPostgresProxy(await processes.database());
  const goOn = proxy.stallAt('read_clock');
  const start = startCommand(['serve', '--ports', 'auto'], {
    DATABASE_URL: proxy.url,
    ACUSE_DATA_DIR: processes.folder(),
    ACUSE_MASTER_KEY: processes.masterKey,
  });
  await proxy.stalled;
  start.child.kill('SIGTERM');
  expect(await start.ended).toBe(1);
  expect(start.stderr()).toContain('did not stop in time');
  goOn();
  await proxy.close();
});
