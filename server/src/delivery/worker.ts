import type { SmtpTimeouts } from '@acuse/mail/smtp/limits';
import type { Handover } from '../messages/prepared.ts';
import type { DbAndClock } from '../platform/database/db.ts';
import type { Log } from '../platform/logger.ts';
import type { IdleBackOff } from '../platform/queue/idle-back-off.ts';
import { createLoop, type Loop } from '../platform/queue/loop.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { Threads } from '../platform/threads/threads.ts';
import type { WebhookHandover } from '../webhooks/handover.ts';
import { createCaps } from './attempt/caps.ts';
import { type ContentLoader, createContentLoader } from './attempt/content-loader.ts';
import { deliver } from './attempt/deliver.ts';
import { createDestinations } from './attempt/destinations.ts';
import { createLearnedTraits } from './attempt/learned-traits.ts';
import { createPipeliningServers } from './attempt/pipelining.ts';
import { createIdleSessions } from './attempt/sessions.ts';
import { createFindSigners } from './attempt/signers.ts';
import { createStepGuard } from './attempt/step-guard.ts';
import { createWindowReports } from './attempt/window-reports.ts';
import { takeUpHeld } from './claim/claim-store.ts';
import { type Claims, createClaims } from './claim/claim-turns.ts';
import type { ClaimedMessage } from './claim/claimed-message.ts';
import { createHandover } from './claim/handover.ts';
import { createMessageLeases, type MessageLeases } from './claim/leases.ts';
import { createPlaces, HELD_MAX_TIMES } from './claim/places.ts';
import type { Router } from './next-hop/router.ts';
import { createPauses } from './operate/pauses.ts';
import { createPeerBook, type PeerBook } from './operate/peer-book.ts';
import { type Recorded, recordLost, recordResults } from './record/record.ts';
import type { ActResult, Tried } from './record/result.ts';

/**
 * Delivery: claim (lease and attempt number) → wait for the destination's window → read, sign, hand over →
 * judge → record (fenced). A duplicate needs a crash between a server's 250 and our commit; the Message-ID is
 * stable, so that receivers can tell.
 */
export interface DeliveryDeps extends DbAndClock {
  readonly log: Log;
  readonly secrets: SecretBox;
  readonly random: () => number;
  readonly hostname: string;
  /** True: mail goes to the test mailbox. Mail accepted in the other mode is held. */
  readonly sandbox: boolean;
  readonly router: Router;
  /** For large messages. */
  readonly threads: Threads;
  readonly webhooks?: WebhookHandover | null;
  /** Messages under way, waiting ones included, without slow ones; content is read only in their turn. */
  readonly concurrency?: number;
  /** Longest time until due work is found without a hint (ms). */
  readonly pollMs?: number;
  readonly idleBackOff?: IdleBackOff | undefined;
  readonly timeouts?: Partial<SmtpTimeouts>;
  /** Longest delay of an operator's pause (ms). */
  readonly pausesEveryMs?: number;
  readonly windowReportsEveryMs?: number;
  /** Longest delay of a note on a destination that was written elsewhere (ms). */
  readonly notesEveryMs?: number;
  /** The same of a cap (ms). */
  readonly capsEveryMs?: number;
  onRecorded?(result: ActResult, recorded: Recorded): void;
}

export interface Delivery {
  start(): void;
  wake(): void;
  /** Stops claiming, lets conversations end within `graceMs`, records, and returns the rest. */
  stop(graceMs?: number): Promise<void>;
  readonly active: number;
  readonly handover: Handover;
}

const CONCURRENCY = 400;
const POLL_MS = 500;
/** Gathers claims (ms). */
const ROUND_MS = 20;
/** Rate limit for logging local faults (ms). */
const LOCAL_FAULT_LOG_MS = 10_000;
/** Gathers results, because commits are expensive; short, because a crash repeats unrecorded sends (ms). */
const GATHER_MS = 20;

export function createDelivery(deps: DeliveryDeps): Delivery {
  const { db, clock, log, concurrency = CONCURRENCY } = deps;
  const places = createPlaces({ clock, places: concurrency });
  const leases = createMessageLeases({ db, clock, log, places });
  const idle = createIdleSessions();
  const wake = () => loop.wake();
  const { destinations, pauses, reports, peers, caps } = createWindows(deps, wake);
  const claims = createClaims({ ...deps, places, destinations, pauses, caps, concurrency, wake });
  const contents = createContentLoader(db);
  const acting = {
    ...actingWith(deps),
    idle,
    ahead: createPipeliningServers(clock),
    ...{ destinations, peers, caps },
    learnFrom: createLearner(peers),
    isPaused: pauses.isPaused,
    contents,
    mayGoOn: createStepGuard({ leases, loop: () => loop }),
  };

  async function record(results: ActResult[]): Promise<void> {
    const recorded = await recordAll(deps, results);
    contents.forget(results.map((result) => result.item));
    tellRecorded(deps, results, recorded);
  }

  const loop: Loop<ClaimedMessage> = createLoop<ClaimedMessage, ActResult>({
    name: 'delivery',
    clock,
    log,
    leases,
    shards: claims.tenants,
    async claim(tenantId, limit) {
      await peers.known;
      const items = await claims.claim(tenantId, limit);
      contents.readAhead(items);
      return items;
    },
    act: (item, signal) => deliver(acting, item, signal),
    ownerOf: ({ tenantId }) => tenantId,
    record,
    concurrency: concurrency * HELD_MAX_TIMES,
    perTurn: concurrency,
    roundMs: ROUND_MS,
    pollMs: deps.pollMs ?? POLL_MS,
    idleBackOff: deps.idleBackOff,
    gatherMs: GATHER_MS,
  });

  let isStopping = false;
  const own = { loop, leases, contents, peers, fresh: claims.fresh, isStopping: () => isStopping };

  return {
    handover: createOwnHandover(deps, own),
    start() {
      takeUp(deps);
      pauses.start();
      reports.start();
      peers.start();
      caps.start();
      loop.start();
    },
    wake() {
      claims.expect();
      loop.wake();
    },
    async stop(graceMs) {
      isStopping = true;
      await loop.stop(graceMs);
      pauses.stop();
      await reports.stop();
      await peers.stop();
      await caps.stop();
      await idle.close();
    },
    get active() {
      return leases.size;
    },
  };
}

function createLearner(peers: ReturnType<typeof createWindows>['peers']) {
  const lessons = createLearnedTraits();
  return (destination: string, sessions: Tried['sessions']): void => {
    for (const lesson of lessons.from(destination, sessions)) peers.learn(destination, lesson);
  };
}

/** Direct path from this process's commits. */
function createOwnHandover(
  deps: DeliveryDeps,
  own: {
    readonly loop: Loop<ClaimedMessage>;
    readonly leases: MessageLeases;
    readonly contents: ContentLoader;
    readonly fresh: Claims['fresh'];
    isStopping(): boolean;
    readonly peers: Pick<PeerBook, 'isKnown'>;
  },
): Handover {
  const { loop, leases, contents } = own;

  /** Accepted while stopping: left to others. */
  function giveBack(items: readonly ClaimedMessage[]): void {
    const dueAt = deps.clock.now();
    recordAll(
      deps,
      items.map((item) => ({ kind: 'released', item, dueAt })),
    ).catch((error) =>
      deps.log.warn({ err: error }, 'messages accepted just now are sent when their lease ends'),
    );
  }

  return createHandover({
    isOpen: () => loop.isOpen && own.peers.isKnown() && !own.isStopping(),
    mark: leases.mark,
    ...own.fresh,
    sandbox: deps.sandbox,
    begin(items, raws) {
      if (own.isStopping()) return giveBack(items);
      contents.keepAhead(items, raws);
      loop.give(items);
    },
  });
}

function createWindows(deps: DeliveryDeps, onRoom: () => void) {
  const { db, clock, log } = deps;
  const peers = createPeerBook({
    db,
    clock,
    log,
    ...(deps.notesEveryMs === undefined ? {} : { everyMs: deps.notesEveryMs }),
  });
  const destinations = createDestinations({
    clock,
    fixedWindow: deps.router.fixedWindow,
    limitsOf: peers.of,
    onRoom,
  });
  const pauses = createPauses({
    db,
    log,
    ...(deps.pausesEveryMs === undefined ? {} : { everyMs: deps.pausesEveryMs }),
    onPaused: () => destinations.dismiss(pauses.isPaused),
  });
  const reports = createWindowReports({
    db,
    clock,
    log,
    destinations,
    ...(deps.windowReportsEveryMs === undefined ? {} : { everyMs: deps.windowReportsEveryMs }),
  });
  const caps = createCaps({
    db,
    clock,
    log,
    ...(deps.capsEveryMs === undefined ? {} : { everyMs: deps.capsEveryMs }),
  });
  return { destinations, pauses, reports, peers, caps };
}

function takeUp({ db, clock, log, sandbox }: DeliveryDeps): void {
  takeUpHeld(db, sandbox, clock.now()).catch((error) =>
    log.warn(
      { err: error },
      'mail held in the other mode could not be resumed; it comes due when it expires',
    ),
  );
}

function actingWith(deps: DeliveryDeps) {
  const { clock, log } = deps;
  return {
    clock,
    log,
    threads: deps.threads,
    random: deps.random,
    ehloName: deps.hostname,
    ...(deps.timeouts === undefined ? {} : { timeouts: deps.timeouts }),
    sandbox: deps.sandbox,
    findSigners: createFindSigners({ db: deps.db, secrets: deps.secrets, clock }),
    router: deps.router,
    onFault: (error: unknown, item: ClaimedMessage) =>
      log.error(
        { err: error, messageId: item.messageId },
        'a delivery attempt failed here; the message is deferred',
      ),
    onLocalFault: tellSeldom(deps),
  };
}

async function recordAll(
  { db, hostname, webhooks }: DeliveryDeps,
  results: readonly ActResult[],
): Promise<Map<string, Recorded>> {
  const recording = { db, hostname, webhooks };
  const recorded = await recordResults(recording, results);
  const lost = results.filter(({ item }) => recorded.get(item.messageId) === 'lost_lease');
  if (lost.length > 0)
    for (const [id, outcome] of await recordLost(recording, lost)) recorded.set(id, outcome);
  return recorded;
}

function tellRecorded(
  { log, onRecorded }: DeliveryDeps,
  results: readonly ActResult[],
  recorded: ReadonlyMap<string, Recorded>,
): void {
  for (const result of results) {
    const { messageId } = result.item;
    const outcome = recorded.get(messageId) ?? 'lost_lease';
    if (outcome === 'lost_lease' && result.kind === 'attempted')
      log.warn({ messageId }, 'a delivery result came after its lease was lost; it was not recorded');
    if (outcome === 'duplicate')
      log.error(
        { messageId, startedAt: (result as { startedAt?: Date }).startedAt },
        'a message was sent by this process and by another: this one had lost its lease after the end of the data',
      );
    onRecorded?.(result, outcome);
  }
}

/** A local fault hits everything under way: log it once. */
function tellSeldom({ clock, log }: DeliveryDeps): (detail: string, item: ClaimedMessage) => void {
  let toldMs = Number.NEGATIVE_INFINITY;
  return (detail, { messageId }) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - toldMs < LOCAL_FAULT_LOG_MS) return;
    toldMs = nowMs;
    log.warn(
      { detail, messageId },
      'this machine cannot attempt delivery: messages wait, and no attempt is counted',
    );
  };
}
