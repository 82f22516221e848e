import type { OutgoingMessage } from '@acuse/mail/smtp/commands';
import type { SendResult, SessionFacts } from '@acuse/mail/smtp/types';
import type { Clock } from '../../platform/clock.ts';
import type { OpenSession } from './sessions.ts';

/**
 * Sends the next message's envelope right behind the end of the last message, which saves a write and a read
 * on both sides. RFC 2920 §3.1 allows it with PIPELINING, but few senders do it, so that a server may not
 * cope. Such a server's answers count only after it once answered a whole pipelined envelope: earlier
 * refusals are retried at once, without pipelining.
 */

/** Offered while the conversation is still about another message. */
export interface Chance {
  fits(message: OutgoingMessage): boolean;
  /** Resolves once the previous message has its answer. */
  readonly behind: Promise<Behind>;
}

export interface Behind {
  readonly open: OpenSession;
  /** The previous message was answered and the session continues. */
  readonly answered: boolean;
}

export interface PipeliningServers {
  allows(server: Server): boolean;
  /** The refusal may be about the messages behind it. */
  doubts(result: SendResult): boolean;
  /** Learns from a pipelined envelope's result; true: the result says nothing about the message. */
  judge(result: SendResult, behind: Behind): boolean;
}

type Server = Pick<SessionFacts, 'host' | 'remoteAddress' | 'remotePort'>;

const MAX_SERVERS = 10_000;
/** How long a confused server gets no pipelined envelopes (ms). */
const SPARED_MS = 3_600_000;

export function createPipeliningServers(clock: Pick<Clock, 'monotonicMs'>): PipeliningServers {
  /** Until when the peer gets no pipelining; null: it copes. */
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
        // A disconnect or silence after an answer: what followed may be unread.
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
