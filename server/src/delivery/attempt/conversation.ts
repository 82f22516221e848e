import { classify } from '@acuse/mail/reply/classify';
import { nextTarget, type Target, type Tried } from '@acuse/mail/routing/mx';
import { type ConnectResult, connect, type Following, type SmtpSession } from '@acuse/mail/smtp/client';
import type { OutgoingMessage } from '@acuse/mail/smtp/commands';
import type { SmtpCredentials } from '@acuse/mail/smtp/handshake';
import type { SmtpTimeouts } from '@acuse/mail/smtp/limits';
import type { TlsOptions } from '@acuse/mail/smtp/tls';
import type { SendResult, SmtpStage, StopSignal, TlsFacts } from '@acuse/mail/smtp/types';
import type { Clock } from '../../platform/clock.ts';
import type { Traits } from '../next-hop/traits.ts';
import type { Fact } from '../record/outcome.ts';
import type { SessionRecord } from '../record/result.ts';
import { storable } from '../text.ts';
import type { Turn } from './destinations.ts';
import type { Behind, PipeliningServers } from './pipelining.ts';
import type { IdleSessions, OpenSession, TlsBy } from './sessions.ts';

export interface Hop extends Target {
  readonly port: number;
  readonly tls: TlsOptions;
  readonly tlsBy: TlsBy;
  readonly auth?: SmtpCredentials;
  /** Absent: the usual identity. */
  readonly source?: { readonly ehloName: string; readonly localAddress: string | null };
}

export type Route =
  | { readonly kind: 'hops'; readonly hops: readonly Hop[] }
  | { readonly kind: 'nowhere'; readonly fact: Fact };

export interface Conversation {
  readonly sessions: readonly SessionRecord[];
  readonly fact: Fact;
  readonly mx: string | null;
  readonly tls: TlsFacts | null;
}

export interface ConverseDeps {
  readonly clock: Clock;
  readonly idle: IdleSessions;
  readonly ahead: PipeliningServers;
  readonly ehloName: string;
  readonly timeouts?: Partial<SmtpTimeouts>;
}

/** Characters kept of a reply or error; the transcript has all. */
const MAX_TEXT_CHARS = 2_000;

/** After this time in an attempt no further session is opened (ms): silent hosts would add up to hours. */
export const SESSIONS_OPEN_MS = 900_000;

/** The most significant fact of the attempt so far. */
interface Told {
  fact: Fact;
  mx: string | null;
  tls: TlsFacts | null;
}

interface Offer {
  readonly place: string;
  readonly message: OutgoingMessage;
  readonly signal: StopSignal;
  readonly turn: Pick<Turn, 'passOn'>;
  /** A pipelined envelope; null: none. */
  readonly behind: Promise<Behind> | null;
  readonly traits: Traits;
  /** Sessions that it opens need not keep to a policy of TLS, so that other mail never uses them. */
  readonly waivesTls: boolean;
}

/** Separate idle sessions for waived TLS: no destination's name has a space. */
const WAIVED = 'tls-waived';

export async function converse(
  deps: ConverseDeps,
  given: Offer,
  findRoute: () => Promise<Route>,
): Promise<Conversation> {
  const place = given.waivesTls ? `${given.place} ${WAIVED}` : given.place;
  const offer = { ...given, place };
  const records: SessionRecord[] = [];
  const behind = await offer.behind;
  const open = behind?.open ?? deps.idle.take(place);
  if (open !== null) {
    const { result, doubtful } = await handIn(deps, open, offer, behind);
    records.push(recordOf(result, open.tlsBy));
    if (!doubtful && !isStale(result)) return { sessions: records, ...toldBy(result) };
    open.session.destroy();
  }
  const route = await findRoute();
  if (route.kind === 'nowhere') return { sessions: records, fact: route.fact, mx: null, tls: null };
  const hops = offer.traits.noIpv6 ? ipv4First(route.hops) : route.hops;
  const told = await tryHops(deps, hops, offer, records);
  return { sessions: records, ...told };
}

function ipv4First(hops: readonly Hop[]): Hop[] {
  return [...hops].sort((a, b) => a.family - b.family);
}

/** An idle session that breaks before the message says nothing about it: reconnect at once. */
function isStale(result: SendResult): boolean {
  if (result.earlierMessages === 0) return false;
  if (result.kind === 'connection-failed')
    return !result.mayHaveBeenAccepted && result.error.code !== 'aborted';
  return result.kind === 'refused' && result.reply.code === 421;
}

/** Uses an open session, or the pipelined one. `doubtful`: the result may be about another message. */
async function handIn(
  { idle, ahead }: ConverseDeps,
  open: OpenSession,
  { place, message, signal, turn, waivesTls }: Offer,
  behind: Behind | null,
): Promise<{ result: SendResult; doubtful: boolean }> {
  const { session } = open;
  const follower = createFollower(turn);
  const following = ahead.allows(session.facts) && !waivesTls ? follower.find : null;
  let result: SendResult | null = null;
  try {
    result = await send(session, message, signal, following);
  } finally {
    follower.goOn({ open, answered: result !== null && isAnswer(result) });
  }
  const unheard = behind !== null && ahead.judge(result, behind) && !signal.aborted;
  const doubtful = unheard || (follower.found && ahead.doubts(result));
  if (!follower.found) idle.give(place, open);
  return { result, doubtful };
}

function createFollower(turn: Pick<Turn, 'passOn'>) {
  let goOn: ((behind: Behind) => void) | null = null;
  const find: Following = (fits) => {
    let resolve!: (behind: Behind) => void;
    const behind = new Promise<Behind>((resolved) => {
      resolve = resolved;
    });
    const message = turn.passOn({ fits, behind });
    if (message !== null) goOn = resolve;
    return message;
  };
  return {
    find,
    goOn: (behind: Behind) => goOn?.(behind),
    get found() {
      return goOn !== null;
    },
  };
}

function isAnswer(result: SendResult): boolean {
  return result.kind === 'accepted' || (result.kind === 'refused' && result.reply.code !== 421);
}

async function tryHops(
  deps: ConverseDeps,
  hops: readonly Hop[],
  { place, message, signal, traits }: Offer,
  records: SessionRecord[],
): Promise<Told> {
  let told: Told = NOTHING_TOLD;
  let now = traits;
  const tried: Tried[] = [];
  const lastMs = deps.clock.monotonicMs() + SESSIONS_OPEN_MS;
  const isLate = () => deps.clock.monotonicMs() >= lastMs;
  for (;;) {
    // nextTarget returns one of the given hops.
    const hop = nextTarget(hops, tried) as Hop | null;
    if (hop === null || (tried.length > 0 && isLate())) return told;
    if (signal.aborted) return told === NOTHING_TOLD ? BROKEN_OFF : told;
    let opened = await open(deps, hop, { signal, traits: now }, records);
    if (opened.kind === 'ready') {
      let { session } = opened;
      let result = await send(session, message, signal, null);
      records.push(recordOf(result, hop.tlsBy));
      // Once in an attempt: a server that is silent either way would hold the place for hours.
      if (!now.noPipelining && mayHaveLostPipelined(session, result) && !signal.aborted && !isLate()) {
        now = { ...now, noPipelining: true };
        opened = await open(deps, hop, { signal, traits: now }, records);
        if (opened.kind === 'ready') {
          session = opened.session;
          result = await send(session, message, signal, null);
          records.push(recordOf(result, hop.tlsBy));
        }
      }
      deps.idle.give(place, { session, tlsBy: hop.tlsBy });
      if (weight(result) >= weight(told.fact)) told = toldBy(result);
      tried.push({ target: hop, ended: howEnded(result) });
    } else {
      if (weight(opened) >= weight(told.fact)) told = { fact: opened, mx: hop.host, tls: opened.facts.tls };
      tried.push({ target: hop, ended: opened.kind === 'refused' ? 'unwilling' : 'unreachable' });
    }
  }
}

const ENVELOPE = new Set<SmtpStage>(['mail', 'rcpt', 'data']);

const GONE: ReadonlySet<string> = new Set(['timeout', 'connection_closed', 'ECONNRESET', 'EPIPE']);

/** Silence, or a hang-up, behind commands that left together. */
function mayHaveLostPipelined({ extensions }: SmtpSession, result: SendResult): boolean {
  if (!extensions.pipelining || result.kind !== 'connection-failed' || !ENVELOPE.has(result.stage))
    return false;
  return GONE.has(result.error.code);
}

const NOTHING_TOLD: Told = {
  fact: { kind: 'routing', problem: 'no_address', detail: 'no address to try' },
  mx: null,
  tls: null,
};

const BROKEN_OFF: Told = {
  fact: {
    kind: 'connection-failed',
    stage: 'connect',
    error: { code: 'aborted', message: 'broken off before a host was tried' },
  },
  mx: null,
  tls: null,
};

function howEnded(result: SendResult): Tried['ended'] {
  switch (result.kind) {
    case 'accepted':
    case 'unsupported':
      return 'final';
    case 'connection-failed':
      // The server may have it: another host could duplicate it.
      return result.mayHaveBeenAccepted ? 'final' : 'unwilling';
    case 'refused':
      if (result.reply.code < 500) return 'unwilling';
      // A refusal of our identity may be about our address, and the other family has another.
      return classify(result).bounceType === 'policy' ? 'policy-refusal' : 'final';
  }
}

/** A permanent refusal outweighs a temporary one, and any answer outweighs none. */
function weight(fact: Fact | SendResult | Exclude<ConnectResult, { kind: 'ready' }>): number {
  switch (fact.kind) {
    case 'accepted':
      return 5;
    case 'unsupported':
      return 4;
    case 'refused':
      return classify(fact).outcome === 'bounced' ? 4 : 3;
    case 'connection-failed':
      return 'mayHaveBeenAccepted' in fact && fact.mayHaveBeenAccepted === true ? 3 : 1;
    default:
      return 0;
  }
}

interface Opening {
  readonly signal: StopSignal;
  readonly traits: Traits;
}

/** Opens a session. If opportunistic TLS breaks, the same address is tried once more without. RFC 7435 §4 */
async function open(
  deps: ConverseDeps,
  hop: Hop,
  opening: Opening,
  records: SessionRecord[],
): Promise<ConnectResult> {
  const isOpportunistic = hop.tls.mode === 'opportunistic';
  const isSpared = isOpportunistic && opening.traits.noTls;
  const first = await dial(deps, hop, isSpared ? { mode: 'off' } : hop.tls, opening);
  if (first.kind === 'ready') return first;
  records.push(recordOf(first, hop.tlsBy));
  if (!isOpportunistic || isSpared || !brokeInTls(first) || opening.signal.aborted) return first;
  const second = await dial(deps, hop, { ...hop.tls, mode: 'off' }, opening);
  if (second.kind !== 'ready') records.push(recordOf(second, hop.tlsBy));
  return second;
}

function dial(
  deps: ConverseDeps,
  hop: Hop,
  tls: TlsOptions,
  { signal, traits }: Opening,
): Promise<ConnectResult> {
  const { ehloName, localAddress } = hop.source ?? { ehloName: deps.ehloName, localAddress: null };
  return connect({
    host: hop.host,
    address: hop.address,
    port: hop.port,
    ehloName,
    ...(localAddress === null ? {} : { localAddress }),
    tls,
    ...(hop.auth === undefined ? {} : { auth: hop.auth }),
    ...(deps.timeouts === undefined ? {} : { timeouts: deps.timeouts }),
    disablePipelining: traits.noPipelining,
    ...(traits.messagesPerConnection === null ? {} : { maxMessages: traits.messagesPerConnection }),
    clock: { now: () => deps.clock.monotonicMs() },
    signal,
  });
}

/** Tampering around STARTTLS: retried later, never in the clear. RFC 3207 §6 */
const OUT_OF_TURN = new Set(['starttls_injection', 'unsolicited_reply', 'bad_reply', 'reply_too_long']);

function brokeInTls(result: Exclude<ConnectResult, { kind: 'ready' }>): boolean {
  if (result.kind !== 'connection-failed' || OUT_OF_TURN.has(result.error.code)) return false;
  return result.stage === 'tls' || result.stage === 'starttls';
}

async function send(
  session: SmtpSession,
  message: OutgoingMessage,
  signal: StopSignal,
  following: Following | null,
): Promise<SendResult> {
  const onAbort = () => session.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal.aborted) session.destroy();
    return await session.send(message, following);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function toldBy(result: SendResult): Told {
  return { fact: result, mx: result.facts.host, tls: result.facts.tls };
}

function recordOf(
  result: SendResult | Exclude<ConnectResult, { kind: 'ready' }>,
  tlsBy: TlsBy,
): SessionRecord {
  const { facts } = result;
  const replied = result.kind === 'accepted' || result.kind === 'refused';
  return {
    mx: facts.host,
    address: facts.remoteAddress,
    port: facts.remotePort,
    local_address: facts.localAddress,
    earlier_messages: 'earlierMessages' in result ? result.earlierMessages : 0,
    tls_policy: tlsBy,
    tls: facts.tls === null ? null : tlsRecord(facts.tls),
    reply: replied ? { ...result.reply, text: storable(result.reply.text, MAX_TEXT_CHARS) } : null,
    stage: result.kind === 'accepted' ? 'dot' : result.kind === 'unsupported' ? 'mail' : result.stage,
    error: errorOf(result),
    transcript: result.transcript,
  };
}

export function tlsRecord(tls: TlsFacts): NonNullable<SessionRecord['tls']> {
  return {
    version: tls.version,
    cipher: tls.cipher,
    certificate_sha256: tls.peerCertificateSha256,
    authorized: tls.authorized,
    error: tls.error,
  };
}

function errorOf(result: SendResult | Exclude<ConnectResult, { kind: 'ready' }>): SessionRecord['error'] {
  if (result.kind === 'connection-failed')
    return { code: result.error.code, message: storable(result.error.message, MAX_TEXT_CHARS) };
  if (result.kind === 'unsupported')
    return { code: `no_${result.extension.toLowerCase()}`, message: storable(result.detail, MAX_TEXT_CHARS) };
  return null;
}
