import type { Lesson } from '../operate/peer-book.ts';
import type { SessionRecord } from '../record/result.ts';

/**
 * Learns traits of a destination from the sessions of an attempt. Pure except for the counts: most traits
 * must be seen several times in a row, and a contradiction starts the count again.
 */
interface LearnedTraits {
  from(destination: string, sessions: readonly SessionRecord[]): Lesson[];
}

const DAY_MS = 86_400_000;
/** How often in a row something is seen before it is believed. */
export const SEEN_BEFORE_BELIEVED = 3;
/** Destinations with something seen; beyond it, the oldest is forgotten. */
const MAX_SEEN = 10_000;

interface Sight {
  readonly lesson: Lesson;
  /** Proven by trying both ways. */
  readonly proven: boolean;
}

export function createLearnedTraits(): LearnedTraits {
  const seen = new Map<string, { value: number; times: number }>();

  function count(key: string, value: number): number {
    const before = seen.get(key);
    const times = before?.value === value ? before.times + 1 : 1;
    seen.delete(key);
    seen.set(key, { value, times });
    if (seen.size > MAX_SEEN) seen.delete(seen.keys().next().value!);
    return times;
  }

  return {
    from(destination, sessions) {
      for (const note of contradictedBy(sessions)) seen.delete(`${note} ${destination}`);
      const certain: Lesson[] = [];
      for (const { lesson, proven } of sightsOf(sessions)) {
        const key = `${lesson.note} ${destination}`;
        if (!proven && count(key, lesson.value) < SEEN_BEFORE_BELIEVED) continue;
        seen.delete(key);
        certain.push(lesson);
      }
      return certain;
    },
  };
}

function sightsOf(sessions: readonly SessionRecord[]): Sight[] {
  return sessions.flatMap((one, at) => {
    const next = sessions[at + 1];
    return [
      ...(next === undefined ? [] : [lostPipelined(one, next), brokeInTls(one, next)]),
      deadIpv6(one, sessions.slice(at + 1)),
      messagesTaken(one),
    ].filter((sight) => sight !== null);
  });
}

function contradictedBy(sessions: readonly SessionRecord[]): string[] {
  return [
    ...(sessions.some(({ tls }) => tls !== null) ? ['no_tls'] : []),
    ...(sessions.some((one) => isIpv6(one) && wasGreeted(one)) ? ['no_ipv6'] : []),
  ];
}

const isIpv6 = ({ address }: SessionRecord) => address.includes(':');
const isSame = (a: SessionRecord, b: SessionRecord) => a.address === b.address && a.port === b.port;
const wasGreeted = ({ stage }: SessionRecord) => stage !== 'connect' && stage !== 'banner';
const nameOf = ({ mx, address }: SessionRecord) => `${mx} (${address})`;

const ENVELOPE = new Set<SessionRecord['stage']>(['mail', 'rcpt', 'data']);

/** Asked again at once, command by command, it answered. */
function lostPipelined(one: SessionRecord, next: SessionRecord): Sight | null {
  if (one.error === null || !ENVELOPE.has(one.stage) || one.earlier_messages > 0) return null;
  if (!isSame(one, next) || next.reply === null || next.stage === 'mail') return null;
  const reason = `${nameOf(one)} left pipelined commands unanswered (${one.error.code} at ${one.stage.toUpperCase()}) and answered the same ones one by one.`;
  return { lesson: { note: 'no_pipelining', value: 1, reason, lastsMs: 7 * DAY_MS }, proven: true };
}

/** Only after opportunistic TLS is the same host tried again without. RFC 7435 §4 */
function brokeInTls(one: SessionRecord, next: SessionRecord): Sight | null {
  if (one.error === null || (one.stage !== 'tls' && one.stage !== 'starttls')) return null;
  if (one.tls_policy !== 'opportunistic' || !isSame(one, next) || next.tls !== null || !wasGreeted(next))
    return null;
  const reason = `TLS with ${nameOf(one)} failed ${SEEN_BEFORE_BELIEVED} times in a row (${one.error.code}: ${one.error.message}).`;
  return { lesson: { note: 'no_tls', value: 1, reason, lastsMs: DAY_MS }, proven: false };
}

function deadIpv6(one: SessionRecord, later: readonly SessionRecord[]): Sight | null {
  if (!isIpv6(one) || one.error === null || one.stage !== 'connect' || one.error.code === 'aborted')
    return null;
  if (!later.some((each) => !isIpv6(each) && wasGreeted(each))) return null;
  const reason = `${nameOf(one)} could not be reached ${SEEN_BEFORE_BELIEVED} times in a row (${one.error.code}), and its IPv4 addresses could.`;
  return { lesson: { note: 'no_ipv6', value: 1, reason, lastsMs: DAY_MS }, proven: false };
}

/** Fewer in a session say nothing: a server may just have tired of waiting. */
const MANY_MESSAGES = 5;

/** The peer ends the session after so many messages. */
function messagesTaken(one: SessionRecord): Sight | null {
  const { earlier_messages: earlier, stage } = one;
  if (earlier < MANY_MESSAGES || (stage !== 'mail' && stage !== 'rset')) return null;
  const isOver = one.reply?.code === 421 || one.error?.code === 'connection_closed';
  if (!isOver) return null;
  const reason = `${nameOf(one)} ended the session after ${earlier} messages, ${SEEN_BEFORE_BELIEVED} times in a row.`;
  return {
    lesson: { note: 'messages_per_connection', value: earlier, reason, lastsMs: 7 * DAY_MS },
    proven: false,
  };
}
