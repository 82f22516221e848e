// Seconds from SIGTERM to the end of the process, in each state in which it might hang.
//   npm run bench -- stops
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './postfix-queue.mjs';
import { signalAll, signalEach, startNode } from './processes.mjs';
import { inFreshFolder, MESSAGE, makeAccount, PROGRAM, READY, settings } from './send-service.mjs';

const DOORS = ['connections', 'sign-in', 'bodies', 'dots'];
const HELD_MS = 4_000;

export const run = async () => {
  await inFreshFolder(async (dataDir) => {
    const key = await makeAccount(dataDir);
    for (const door of DOORS) {
      await tell(`while ${door} are attacked`, dataDir, (service) => attack(service, key, door));
    }
    await tell('while nothing happens', dataDir, async () => () => {});
    await tell('while nobody reads the log', dataDir, async ({ child, url }) => {
      child.stderr.pause();
      for (let each = 0; each < 2_000; each++) await fetch(`${url}/v1/${each}`).then((told) => told.text());
      return () => child.stderr.resume();
    });
    await tell('while a session, a body and an answer last', dataDir, (service) => hold(service, key));
    await tell('while the database is frozen, and sends wait', dataDir, (service) => freeze(service, key));
  });
};

async function tell(what, dataDir, begin) {
  const [submission, returnPath] = [await freePort(), await freePort()];
  const { child, match } = await startNode([PROGRAM, 'serve'], {
    env: {
      ...{ ...settings(dataDir), ACUSE_LOG_LEVEL: 'debug' },
      ...{ ACUSE_SUBMISSION_PORT: String(submission), ACUSE_RETURN_PATH_PORT: String(returnPath) },
    },
    ready: READY,
    stderr: 'pipe',
  });
  child.stderr.resume();
  const [, url] = match;
  const end = await begin({ child, url, submission, returnPath, dataDir });
  await sleep(HELD_MS);
  const ended = once(child, 'exit');
  const startedMs = performance.now();
  child.kill('SIGTERM');
  const [code, signal] = await ended;
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  console.log(`${seconds} s ${what} (${signal ?? `exit code ${code}`})`);
  await end();
}

async function attack({ url, submission, returnPath }, key, door) {
  const child = spawn(
    process.execPath,
    [
      ...[PROGRAM, 'attack', url, '--key', key, '--seconds', '20', '--door', door],
      ...['--submission', `127.0.0.1:${submission}`, '--return-path', `127.0.0.1:${returnPath}`],
    ],
    { stdio: 'ignore' },
  );
  // It watches first what a client sees before.
  await sleep(7_000);
  return async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
}

async function hold({ url, submission }, key) {
  const session = connect(submission, '127.0.0.1');
  const { hostname, port } = new URL(url);
  const body = connect(Number(port), hostname);
  // Its answer of some MB is not read.
  const answer = connect(Number(port), hostname);
  for (const socket of [session, body, answer]) socket.on('error', () => {});
  answer.pause();
  const beat = setInterval(() => {
    session.write('NOOP\r\n');
    body.write('x'.repeat(2_000));
  }, 1_000);
  const head = `Host: a\r\nAuthorization: Bearer ${key}\r\n`;
  body.write(
    `POST /v1/messages/batch HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 60000000\r\n\r\n`,
  );
  answer.write(`GET /openapi.json HTTP/1.1\r\n${head}\r\n`.repeat(50));
  return () => {
    clearInterval(beat);
    for (const socket of [session, body, answer]) socket.destroy();
  };
}

async function freeze({ url, dataDir }, key) {
  const postmaster = Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
  const pids = signalAll(postmaster, 'SIGSTOP');
  const { hostname, port } = new URL(url);
  const body = JSON.stringify(MESSAGE);
  const sockets = Array.from({ length: 20 }, (_, at) => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(
      `POST /v1/messages HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: frozen-${at}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    return socket;
  });
  return async () => {
    for (const socket of sockets) socket.destroy();
    for (const each of ['SIGCONT', 'SIGTERM']) signalEach(pids, each);
    await sleep(1_000);
  };
}
