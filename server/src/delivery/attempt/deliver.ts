import { DEFAULT_POOL } from '../../config/config-values.ts';
import type { Stop } from '../../platform/light-abort.ts';
import { isLocalCode, isLocalFault } from '../../platform/local-fault.ts';
import { HELD_UNTIL_BEFORE_EXPIRY_MS } from '../claim/claim-store.ts';
import type { ClaimedMessage } from '../claim/claimed-message.ts';
import type { Router } from '../next-hop/router.ts';
import { placeKey } from '../next-hop/source-pools.ts';
import type { PeerBook } from '../operate/peer-book.ts';
import { decide, type Fact, newsOf } from '../record/outcome.ts';
import type { ActResult, Released, Tried } from '../record/result.ts';
import type { CapNews, Caps, SourceName, Taken } from './caps.ts';
import { type ConverseDeps, converse } from './conversation.ts';
import type { Destinations, Turn } from './destinations.ts';
import { createPreparing, type PrepareDeps, type Preparing } from './prepare.ts';

/** Works on one claimed message without a transaction: wait for its turn, read, sign, hand over, judge. */
interface DeliverDeps extends ConverseDeps, PrepareDeps {
  readonly random: () => number;
  readonly destinations: Destinations;
  readonly peers: Pick<PeerBook, 'of'>;
  readonly caps: Pick<Caps, 'take'>;
  /** Lessons about the destination from an attempt's sessions. */
  learnFrom(destination: string, sessions: Tried['sessions']): void;
  /** True: delivers only mail of the sandbox, to the test mailbox; false: never that. */
  readonly sandbox: boolean;
  readonly router: Pick<Router, 'routeOf' | 'sourcesOf' | 'receiverOf' | 'isSandboxed'>;
  /** A fault of ours; the message is deferred. */
  onFault(error: unknown, item: ClaimedMessage): void;
  /** A fault of this machine or database; no attempt is counted. */
  onLocalFault(detail: string, item: ClaimedMessage): void;
}

/** Retry after a local fault (ms): it disturbs no other host. */
const LOCAL_FAULT_WAIT_MS = 5_000;

/** Never rejects: faults are outcomes. `signal` aborts on a stop or a lost lease. */
export async function deliver(deps: DeliverDeps, item: ClaimedMessage, signal: Stop): Promise<ActResult> {
  if (item.sandbox !== deps.sandbox) {
    const until = new Date(item.expiresAt.getTime() - HELD_UNTIL_BEFORE_EXPIRY_MS);
    return heldBack(deps, item, until);
  }
  if (item.suppressed) return ended(deps, item, { kind: 'suppressed' });
  if (deps.isPaused(item)) return heldBack(deps, item, deps.clock.now());
  const chosen = chooseSource(deps, item);
  let taken: Awaited<typeof chosen>;
  try {
    taken = chosen instanceof Promise ? await chosen : chosen;
  } catch (error) {
    deps.onLocalFault(error instanceof Error ? error.message : 'the caps could not be read', item);
    return heldBack(deps, item, new Date(deps.clock.now().getTime() + LOCAL_FAULT_WAIT_MS));
  }
  if (taken.kind === 'held') {
    const result = heldBack(deps, item, taken.held.until);
    return result.kind === 'released' ? { ...result, heldBy: taken.held.capId } : result;
  }
  const result = await inTurn(deps, item, taken.source?.key, signal);
  taken.settle(result.kind === 'released' ? 'untried' : capNewsOf(result));
  return result;
}

/** For messages that no cap counts. */
const UNCAPPED = { kind: 'spent', source: undefined, settle() {} } as const;

/**
 * Chooses one of the pool's addresses; those that the destination refuses for now come last. Synchronous if
 * no cap applies.
 */
function chooseSource(
  { router, caps, destinations, random }: DeliverDeps,
  item: ClaimedMessage,
): Taken | typeof UNCAPPED | Promise<Taken> {
  if (router.isSandboxed?.(item) === true) return UNCAPPED;
  const { tenantId, destination, sourcePool } = item;
  const pool = sourcePool ?? DEFAULT_POOL;
  const known = router.sourcesOf?.(sourcePool) ?? [];
  const from = known.length < 2 ? 0 : Math.floor(random() * known.length);
  const isFull = ({ key }: SourceName) =>
    destinations.takesNoMore({ key: destination, pool: key }, tenantId) ? 1 : 0;
  const sources =
    known.length < 2
      ? known
      : [...known.slice(from), ...known.slice(0, from)].sort((a, b) => isFull(a) - isFull(b));
  const receiver = () => router.receiverOf?.(destination) ?? Promise.resolve(destination);
  const taken = caps.take(
    { tenantId, pool, destination, receiver },
    sources.length === 0 ? [{ key: pool, ehloName: '' }] : sources,
  );
  if (taken !== null) return taken;
  return known.length < 2 ? UNCAPPED : { kind: 'spent', source: sources[0]!, settle() {} };
}

function capNewsOf({ fact, decision }: Tried): CapNews {
  const { verdict } = decision;
  const news = newsOf(fact, verdict);
  if (fact.kind !== 'accepted' && fact.kind !== 'refused') return 'untried';
  return news === 'busy' || verdict.bounceType === 'policy' ? 'turned_away' : 'answered';
}

async function inTurn(
  deps: DeliverDeps,
  item: ClaimedMessage,
  source: string | undefined,
  signal: Stop,
): Promise<Tried | Released> {
  const route = deps.router.routeOf(item, source);
  const inLine = createPreparing(deps, item, signal);
  const entry = await deps.destinations.enter(route, item.tenantId, signal, inLine).catch(() => null);
  if (entry === null) return { kind: 'released', item, dueAt: deps.clock.now() };
  if (entry.kind === 'paused') return heldBack(deps, item, entry.until);
  // For pipelined messages this was checked then.
  if (inLine.behind === null && deps.isPaused(item)) {
    entry.turn.leave('none');
    return heldBack(deps, item, deps.clock.now());
  }
  const attempted = await attempt(deps, item, { route, turn: entry.turn, inLine, signal });
  if (isUntried(attempted, signal)) {
    entry.turn.leave('none');
    return { kind: 'released', item, dueAt: deps.clock.now() };
  }
  deps.learnFrom(route.key, attempted.sessions);
  const fault = localFaultOf(attempted.fact);
  if (fault !== null) {
    entry.turn.leave('none');
    deps.onLocalFault(fault, item);
    return { kind: 'released', item, dueAt: new Date(deps.clock.now().getTime() + LOCAL_FAULT_WAIT_MS) };
  }
  entry.turn.leave(newsOf(attempted.fact, attempted.decision.verdict));
  return attempted;
}

/** Returned untried, unless expired. */
function heldBack(deps: DeliverDeps, item: ClaimedMessage, until: Date): Tried | Released {
  if (deps.clock.now() >= item.expiresAt) return ended(deps, item, { kind: 'expired', last: null });
  return { kind: 'released', item, dueAt: until < item.expiresAt ? until : item.expiresAt };
}

/** Interrupted by us before the message was mentioned: no attempt. */
function isUntried({ fact }: Tried, signal: Stop): boolean {
  if (!signal.aborted || fact.kind !== 'connection-failed' || fact.error.code !== 'aborted') return false;
  return !('mayHaveBeenAccepted' in fact) || fact.mayHaveBeenAccepted !== true;
}

/** The local fault that ended the attempt, if any: it counts neither against the server nor as an attempt. */
function localFaultOf(fact: Fact): string | null {
  if (fact.kind === 'fault') return fact.passing === true ? fact.detail : null;
  if (fact.kind !== 'connection-failed' || fact.stage !== 'connect') return null;
  return isLocalCode(fact.error.code) ? fact.error.message : null;
}

interface Going {
  readonly route: ReturnType<Router['routeOf']>;
  readonly turn: Turn;
  readonly inLine: Preparing;
  readonly signal: Stop;
}

async function attempt(deps: DeliverDeps, item: ClaimedMessage, going: Going): Promise<Tried> {
  const startedAt = deps.clock.now();
  let told: Told;
  try {
    told = await handOver(deps, going);
  } catch (error) {
    const passing = isLocalFault(error);
    if (!passing) deps.onFault(error, item);
    const detail = passing ? (error as Error).message : 'a fault of the sending system';
    told = { ...NOBODY, fact: { kind: 'fault', detail, passing } };
  }
  return judged(deps, item, startedAt, told);
}

function ended(deps: DeliverDeps, item: ClaimedMessage, fact: Fact): Tried {
  return judged(deps, item, deps.clock.now(), { ...NOBODY, fact });
}

type Told = Pick<Tried, 'sessions' | 'fact' | 'mx' | 'tls' | 'header'>;

const NOBODY = { sessions: [], mx: null, tls: null, header: new Uint8Array(0) };

function judged(deps: DeliverDeps, item: ClaimedMessage, startedAt: Date, told: Told): Tried {
  const finishedAt = deps.clock.now();
  const decision = decide({
    fact: told.fact,
    mx: told.mx,
    attempts: item.attemptsMade + 1,
    now: finishedAt,
    expiresAt: item.expiresAt,
    random: deps.random(),
  });
  const { sessions, fact, mx, tls, header } = told;
  return { kind: 'attempted', item, startedAt, finishedAt, sessions, fact, mx, tls, header, decision };
}

const GONE: Fact = { kind: 'fault', detail: 'the content of the message is missing' };

async function handOver(deps: DeliverDeps, { route, turn, inLine, signal }: Going): Promise<Told> {
  const prepared = await inLine.prepared();
  if (prepared === null) return { ...NOBODY, fact: GONE };
  try {
    const { message, header, waivesTls } = prepared;
    const place = placeKey(route.key, route.pool ?? DEFAULT_POOL);
    const traits = deps.peers.of(route.key);
    const offer = { place, message, signal, turn, behind: inLine.behind, traits, waivesTls };
    const { sessions, fact, mx, tls } = await converse(deps, offer, () => route.find({ waivesTls }));
    return { sessions, fact, mx, tls, header };
  } finally {
    prepared.release();
  }
}
