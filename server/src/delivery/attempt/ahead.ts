import type { OutgoingMessage } from '@acuse/mail/smtp/commands';
import type { SendResult, SessionFacts } from '@acuse/mail/smtp/types';
import type { Clock } from '../../platform/clock.ts';
import type { OpenSession } from './sessions.ts';

/**
 * A message's envelope in one segment with the end of the message before: it saves each of both ends a write
 * and a read. RFC 2920 §3.1 allows it wherever PIPELINING is offered, but few senders do it, so that a server
 * may be found which does not know. Nothing such a server answers counts until it has once answered all of
 * an envelope that was sent so: what it refused before is sent again by itself, at once, and it gets no
 * envelope ahead any more.
 */

/** The chance to begin in a conversation that is still about another message. */
export interface Chance {
  fits(message: OutgoingMessage): boolean;
  /** Resolves once the message before has its answer. */
  readonly behind: Promise<Behind>;
}

/** A session in which a message's envelope is on its way. */
export interface Behind {
  readonly open: OpenSession;
  /** The message before has an answer, after which the session goes on. */
  readonly answered: boolean;
}

export interface AheadServers {
  allows(server: Server): boolean;
  /** Of a message that others followed: its refusal may be about those. */
  doubts(result: SendResult): boolean;
  /** Learns from what came of an envelope that was sent ahead; true: it says nothing about the message. */
  judge(result: SendResult, behind: Behind): boolean;
}

type Server = Pick<SessionFacts, 'host' | 'remoteAddress' | 'remotePort'>;

/** Servers remembered; the one learnt of longest ago is forgotten first. */
const MAX_SERVERS = 10_000;
/** A server that lost its way is spared for so long (ms). */
const SPARED_MS = 3_600_000;

export function createAheadServers(clock: Pick<Clock, 'monotonicMs'>): AheadServers {
  /** Until when it is spared; null: it knows how. */
  const known = new Map<string, number | null>();

  function learn(server: Server, what: number | null): void {
    const key = keyOf(server);
    if (known.size >= MAX_SERVERS && !known.has(key)) known.delete(known.keys().next().value!);
    known.set(key, what);
  }

  const isProven = (server: Server) => known.get(keyOf(server)) === null;
  const spare = (server: Server) => learn(server, clock.monotonicMs() + SPARED_MS);

  return {
    allows(server) {
      const until = known.get(keyOf(server));
      return until === undefined || until === null || clock.monotonicMs() >= until;
    },
    doubts(result) {
      if (result.kind !== 'refused' || result.stage !== 'dot' || isProven(result.facts)) return false;
      spare(result.facts);
      return true;
    },
    judge(result, { answered }) {
      const { facts } = result;
      if (result.kind === 'connection-failed' && !result.mayHaveBeenAccepted) {
        // Who hangs up, or says nothing, after an answer may not have read what came behind that message.
        const isLost = answered && result.stage === 'mail' && result.error.code !== 'aborted';
        if (isLost) spare(facts);
        return true;
      }
      if (result.kind === 'refused' && result.stage === 'mail' && !isProven(facts)) {
        spare(facts);
        return true;
      }
      if (!isProven(facts)) learn(facts, null);
      return false;
    },
  };
}

function keyOf({ host, remoteAddress, remotePort }: Server): string {
  return `${host} ${remoteAddress} ${remotePort}`;
}
