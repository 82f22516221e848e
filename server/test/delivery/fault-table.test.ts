import type { SmtpTimeouts } from '@acuse/mail/smtp/limits';
import { issueCertificate } from '@acuse/testkit/certificate';
import { PATIENCE } from '@acuse/testkit/eventually';
import {
  type PeerAction,
  type PeerSession,
  type PeerStage,
  type SmtpPeer,
  startSmtpPeer,
} from '@acuse/testkit/smtp-peer';
import { type StalledListener, startStalledListener } from '@acuse/testkit/stalled-listener';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { COUNTED_DAYS } from '../../src/accounts/rates/store.ts';
import { type Harness, openHarness } from './harness.ts';
import { hopTo, routerBy } from './routers.ts';

/**
 * Every step of the conversation broken in every way, at once, each by a server of its own that behaves after
 * a few sessions: in the end accepted = sent + bounced + waiting, and a second copy is only where nobody
 * could know of the first.
 */

/** Sessions that go wrong at each server before it behaves. */
const BAD_SESSIONS = 2;
const MESSAGES_EACH = 3;
/**
 * Each is time for one more attempt of what is deferred; they end when nothing waits, and before anything
 * expires.
 */
const ROUNDS_MAX = 20;
const ROUND_MS = 2 * 3_600_000;
/**
 * A message that waits longer waits for its next attempt: the shortest such wait is two minutes, less a
 * tenth.
 */
const PUT_OFF_MAX_MS = 100_000;

type Fault = 'drops' | 'resets' | 'stalls' | 'errs for now' | 'errs for good' | 'talks nonsense';

const ACTIONS: Readonly<Record<Fault, PeerAction>> = {
  drops: { kind: 'drop' },
  resets: { kind: 'reset' },
  stalls: { kind: 'stall' },
  'errs for now': '451 4.3.0 later\r\n',
  'errs for good': '554 5.3.0 never\r\n',
  'talks nonsense': 'ha ha\r\n',
};
const FAULTS = Object.keys(ACTIONS) as Fault[];
const STAGES: readonly PeerStage[] = ['banner', 'ehlo', 'starttls', 'mail', 'rcpt', 'data', 'body', 'dot'];
/** Steps after which the server may have the message though we never heard so. RFC 5321 §4.2.5, §4.5.3.2.6 */
const MAY_HAVE_IT: readonly PeerStage[] = ['dot'];
/** A refusal for good of the message: not of the session, nor of TLS, which it can do without. */
const REFUSES: readonly PeerStage[] = ['mail', 'rcpt', 'data', 'body', 'dot'];

/**
 * Short for the stalls, and twice as long in each round: on a machine so busy that sound steps exceed them,
 * they soon do no more.
 */
const TIMEOUTS: Record<keyof SmtpTimeouts, number> = {
  connectMs: 1_000,
  openingMs: 60_000,
  bannerMs: 1_000,
  ehloMs: 1_000,
  tlsMs: 1_000,
  authMs: 1_000,
  envelopeMs: 60_000,
  mailMs: 1_000,
  rcptMs: 1_000,
  dataMs: 1_000,
  blockMs: 1_000,
  mibMs: 60_000,
  // Longer: where it runs out without need, there is a second copy.
  dotMs: 4_000,
  rsetMs: 1_000,
  quitMs: 50,
};

interface Case {
  readonly domain: string;
  /** Ports to connect to, in turn; the last one for good. */
  readonly ports: number[];
  readonly good: SmtpPeer;
  /** How every message must have ended. */
  readonly ends: 'sent' | 'bounced' | 'either';
  readonly mayDouble: boolean;
}

const certificate = issueCertificate({ subject: 'mx.test', names: ['mx.test'] });
const cases = new Map<string, Case>();
/** Domains whose server has gone wrong at least once. */
const happened = new Set<string>();
const peers: SmtpPeer[] = [];
let stalled: StalledListener;
let h: Harness;

beforeAll(async () => {
  h = await openHarness();
  stalled = await startStalledListener();
  for (const stage of STAGES) for (const fault of FAULTS) await addCase(stage, fault);
  await addHandshake('drops', { kind: 'sendAndDrop', bytes: '220 go\r\n' });
  await addHandshake('stalls', '220 go\r\n');
  const closed = await startSmtpPeer();
  await closed.close();
  await addConnect('refuses', closed.port);
  await addConnect('stalls', stalled.port);
});
afterAll(async () => {
  await h.close();
  await Promise.all(peers.map((peer) => peer.close()));
  await stalled.close();
});

async function peer(options: Parameters<typeof startSmtpPeer>[0] = {}): Promise<SmtpPeer> {
  const made = await startSmtpPeer({ certificate, ...options });
  peers.push(made);
  return made;
}

/**
 * True if a session goes wrong: the first that come so far do, for as long as they last; several may be open
 * before one does.
 */
function firstSessions(name: string): (session: PeerSession) => boolean {
  const bad = new Set<PeerSession>();
  return (session) => {
    if (bad.size < BAD_SESSIONS) bad.add(session);
    if (bad.has(session)) happened.add(domainOf(name));
    return bad.has(session);
  };
}

async function addCase(stage: PeerStage, fault: Fault): Promise<void> {
  const isBad = firstSessions(`${stage}-${fault}`);
  const script = { [stage]: (session: PeerSession) => (isBad(session) ? ACTIONS[fault] : DEFAULT) };
  // The body comes by DATA here, so that it can be broken off in the middle.
  const good = await peer({ script, extensions: ['PIPELINING', '8BITMIME'] });
  add(`${stage}-${fault}`, [good.port], good, {
    ends: fault === 'errs for good' && REFUSES.includes(stage) ? 'either' : 'sent',
    mayDouble: MAY_HAVE_IT.includes(stage),
  });
}

const DEFAULT = { kind: 'default' } as const;

/** After the 220 to STARTTLS. */
async function addHandshake(fault: string, action: PeerAction): Promise<void> {
  const isBad = firstSessions(`tls-${fault}`);
  const good = await startSmtpPeer({
    extensions: ['STARTTLS', 'PIPELINING'],
    script: {
      starttls: (session) => (isBad(session) ? action : '502 5.5.1 no\r\n'),
    },
  });
  peers.push(good);
  add(`tls-${fault}`, [good.port], good, { ends: 'sent', mayDouble: false });
}

async function addConnect(fault: string, badPort: number): Promise<void> {
  const good = await peer();
  add(`connect-${fault}`, [badPort, badPort, good.port], good, { ends: 'sent', mayDouble: false });
}

function domainOf(name: string): string {
  return `${name.replaceAll(' ', '-')}.test`;
}

function add(name: string, ports: number[], good: SmtpPeer, more: Pick<Case, 'ends' | 'mayDouble'>): void {
  const domain = domainOf(name);
  cases.set(domain, { domain, ports, good, ...more });
}

const router = routerBy(async ({ destination }) => {
  const { ports } = cases.get(destination)!;
  const port = ports.length > 1 ? ports.shift()! : ports[0]!;
  return { kind: 'hops', hops: [hopTo({ port }, `mx.${destination}`)] };
});

test('every fault at every step: accepted = sent + bounced + waiting, each message accounted for', async () => {
  const tenantId = await h.tenant();
  const messages = new Map<string, string>();
  for (const domain of cases.keys()) {
    for (let i = 0; i < MESSAGES_EACH; i++)
      messages.set(await h.queue(tenantId, { to: `u${i}@${domain}` }), domain);
  }
  const worker = h.worker(router, { timeouts: TIMEOUTS });
  worker.start();
  for (let round = 0; round < ROUNDS_MAX; round++) {
    await vi.waitFor(async () => expect(await due()).toBe(0), PATIENCE);
    expect(await sums(tenantId)).toBe(messages.size);
    if ((await waiting()) === 0) break;
    for (const step of Object.keys(TIMEOUTS) as (keyof SmtpTimeouts)[]) TIMEOUTS[step] *= 2;
    h.clock.forward(ROUND_MS);
    worker.wake();
  }
  await worker.stop(2_000);
  expect(await sums(tenantId)).toBe(messages.size);
  const met = new Set<string>();
  for (const [id, domain] of messages) {
    const { status, attempts, attemptRows } = await expectAccounted(id, cases.get(domain)!);
    const sessions = attemptRows.flatMap((row) => row['sessions'] as unknown[]);
    if (status === 'bounced' || attempts > 1 || sessions.length > 1) met.add(domain);
  }
  // No case passed because its fault never happened.
  expect([...cases.keys()].filter((domain) => !met.has(domain) && !happened.has(domain))).toEqual([]);
});

/**
 * Messages that are due or held, or put off until a pause of its destination ends: pauses end in real time,
 * and rounds that went by meanwhile would end before anybody tried it again.
 */
async function due(): Promise<number> {
  const [row] = await h.db.query<{ n: number }>(
    'select count(*)::int as n from delivery_queue where due_at <= $1 or leased_until is not null',
    [new Date(h.clock.now().getTime() + PUT_OFF_MAX_MS)],
  );
  return row!.n;
}

async function waiting(): Promise<number> {
  const [row] = await h.db.query<{ n: number }>('select count(*)::int as n from delivery_queue');
  return row!.n;
}

/** Accepted is sent + bounced + waiting, by the messages, the queue and the counters alike. */
async function sums(tenantId: string): Promise<number> {
  const [row] = await h.db.query<Record<'accepted' | 'ended' | 'waiting' | 'counted', number>>(
    `select count(*)::int as accepted,
            (count(*) filter (where status in ('sent', 'bounced')))::int as ended,
            (select count(*) from delivery_queue where tenant_id = $1)::int as waiting,
            (select coalesce(sum(sent + bounced), 0) from ${COUNTED_DAYS} counted)::int as counted
       from messages where tenant_id = $1`,
    [tenantId],
  );
  expect([row!.ended + row!.waiting, row!.counted]).toEqual([row!.accepted, row!.ended]);
  return row!.accepted;
}

async function expectAccounted(id: string, { domain, good, ends, mayDouble }: Case) {
  const message = await h.message(id);
  const what = `${domain} ${id}: ${JSON.stringify(message.last_reply)}`;
  if (ends === 'either') expect(['sent', 'bounced'], what).toContain(message.status);
  else expect(message.status, what).toBe(ends);
  expect(message.queued, what).toBe(false);
  expect(
    message.attemptRows.map((row) => row['attempt']),
    what,
  ).toEqual(Array.from({ length: message.attempts }, (_, i) => i + 1));
  const outcomes = message.events.map(({ type }) => type);
  expect(outcomes.at(-1), what).toBe(`email.${message.status}`);
  expect(
    outcomes.filter((type) => type !== 'email.deferred'),
    what,
  ).toHaveLength(1);
  const copies = good.messages().filter(({ raw }) => raw.toString().includes(`id=${id};`)).length;
  if (message.status === 'sent') expect(copies, what).toBeGreaterThanOrEqual(1);
  expect(copies, what).toBeLessThanOrEqual(mayDouble ? 1 + BAD_SESSIONS : 1);
  return message;
}
