import { setTimeout as pause } from 'node:timers/promises';
import { compareKey, parseAddress } from '@acuse/mail/mailbox';
import { readReturnPath } from '@acuse/mail/verp';
import { SANDBOX_DOMAIN } from '../accounts/suppressions/sandbox-addresses.ts';
import { type AskedRow, findAskedOf, listUnanswered } from '../messages/acknowledgement-store.ts';
import type { DbAndClock } from '../platform/database/db.ts';
import { every, type Repeating } from '../platform/every.ts';
import type { Log } from '../platform/logger.ts';
import type { IncomingMail } from '../platform/smtp/smtp-types.ts';
import { ANSWERING, type Answer, answerOf } from './behaviour.ts';
import { REACT_AFTER_MS, RETRY_MS } from './report-back.ts';

/** The statement of a recipient of the sandbox, who got a code and typed it. */
export interface Act {
  readonly kind: 'acknowledged' | 'refused';
  readonly name: string;
  readonly reason: string;
  readonly language: 'en' | 'es';
  readonly address: string;
  readonly codeSentAt: Date;
}

interface ActBackDeps extends DbAndClock {
  readonly log: Log;
  readonly returnPathSecret: Uint8Array;
  /** As the page of the link does. */
  record(asked: AskedRow, act: Act): Promise<unknown>;
  /** As their mail program does. */
  reply(asked: AskedRow, signal: AbortSignal): Promise<unknown>;
  sleep?(ms: number, signal: AbortSignal): Promise<void>;
}

export interface ActBack {
  /** As soon as the message is recorded as sent; if that takes too long, a look finds it later. */
  react(answer: Answer, mail: IncomingMail, signal: AbortSignal): Promise<void>;
  /** Answers for messages that a stop or a long wait left unanswered; returns how many. */
  look(signal: AbortSignal): Promise<number>;
}

const NAME = 'Sandbox';
const REASONS = { en: 'A test', es: 'Una prueba' } as const;
const LOOPBACK = '127.0.0.1';
const LOOK_EVERY_MS = 60_000;
/** Longer than a reaction takes that nothing holds up (ms). */
const UNANSWERED_MS = 30_000;
/** Messages per look. */
const TURN = 200;

/** The recipients of the sandbox who answer what asks for an acknowledgement. */
export function createActBack(deps: ActBackDeps): ActBack {
  const { db, clock } = deps;
  const sleep = deps.sleep ?? ((ms, signal) => pause(ms, undefined, { signal }));

  async function give(answer: Answer, asked: AskedRow, signal: AbortSignal): Promise<void> {
    if (answer === 'replied') return void (await deps.reply(asked, signal));
    const language = asked.language ?? 'es';
    await deps.record(asked, {
      ...{ kind: answer, name: NAME, reason: REASONS[language], language },
      ...{ address: LOOPBACK, codeSentAt: clock.now() },
    });
  }

  return {
    async react(answer, { reversePath, forwardPaths }, signal) {
      const path = readReturnPath(reversePath, [deps.returnPathSecret], clock.now());
      if (!path.ok) return;
      for (const waitMs of [REACT_AFTER_MS, ...RETRY_MS]) {
        await sleep(waitMs, signal);
        const asked = await findAskedOf(db, path.messageId);
        if (asked === null || asked.status !== 'requested' || !isOf(asked, forwardPaths)) return;
        if (asked.sentAt === null) continue;
        await give(answer, asked, signal);
        return;
      }
    },
    async look(signal) {
      const now = clock.now();
      const sentBefore = new Date(now.getTime() - UNANSWERED_MS);
      const of = { domain: SANDBOX_DOMAIN, names: ANSWERING, sentBefore, now };
      let given = 0;
      for (const asked of await listUnanswered(db, of, TURN)) {
        signal.throwIfAborted();
        const answer = answerOf(asked.recipientAddress);
        if (answer === null) continue;
        await give(answer, asked, signal);
        given++;
      }
      return given;
    },
  };
}

/** Due work is in the database: no stop loses it. */
export function createLooks(actBack: ActBack, log: Log): Repeating {
  const abort = new AbortController();
  const looks = every(LOOK_EVERY_MS, () => actBack.look(abort.signal), {
    onError: (error) => {
      if (!abort.signal.aborted)
        log.warn({ err: error }, 'recipients of the sandbox could not answer; trying again');
    },
  });
  return {
    start: looks.start,
    stop() {
      abort.abort(new Error('shutting down'));
      return looks.stop();
    },
  };
}

function isOf({ recipientAddress }: AskedRow, forwardPaths: readonly string[]): boolean {
  const key = keyOf(recipientAddress);
  return forwardPaths.some((path) => keyOf(path) === key);
}

const keyOf = (address: string) => compareKey(parseAddress(address));
