import { setTimeout as pause } from 'node:timers/promises';
import { compareKey, parseAddress } from '@acuse/mail/mailbox';
import { readReturnPath } from '@acuse/mail/verp';
import { type AskedRow, findAskedOf } from '../messages/acknowledgement-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/database/db.ts';
import type { IncomingMail } from '../platform/smtp/smtp-types.ts';
import { REACT_AFTER_MS, RETRY_MS } from './report-back.ts';

/** What a recipient of the sandbox states, who got a code and typed it. */
export interface Act {
  readonly kind: 'acknowledged' | 'refused';
  readonly name: string;
  readonly reason: string;
  readonly language: 'en' | 'es';
  readonly address: string;
  readonly codeSentAt: Date;
}

interface ActBackDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly returnPathSecret: Uint8Array;
  /** As the page of the link does. */
  record(asked: AskedRow, act: Act): Promise<unknown>;
  /** For tests. */
  sleep?(ms: number, signal: AbortSignal): Promise<void>;
}

const NAME = 'Sandbox';
const REASONS = { en: 'A test', es: 'Una prueba' } as const;
const LOOPBACK = '127.0.0.1';

/** A recipient who acts as on the page of the link, as soon as the message is recorded as sent. */
export function createActBack(
  deps: ActBackDeps,
): (kind: Act['kind'], mail: IncomingMail, signal: AbortSignal) => Promise<void> {
  const { db, clock } = deps;
  const sleep = deps.sleep ?? ((ms, signal) => pause(ms, undefined, { signal }));
  return async (kind, { reversePath, forwardPaths }, signal) => {
    const path = readReturnPath(reversePath, [deps.returnPathSecret], clock.now());
    if (!path.ok) return;
    for (const waitMs of [REACT_AFTER_MS, ...RETRY_MS]) {
      await sleep(waitMs, signal);
      const asked = await findAskedOf(db, path.messageId);
      if (asked === null || !isOf(asked, forwardPaths)) return;
      if (asked.sentAt === null) continue;
      const language = asked.language ?? 'es';
      await deps.record(asked, {
        ...{ kind, name: NAME, reason: REASONS[language], language },
        ...{ address: LOOPBACK, codeSentAt: clock.now() },
      });
      return;
    }
  };
}

function isOf({ recipientAddress }: AskedRow, forwardPaths: readonly string[]): boolean {
  const key = keyOf(recipientAddress);
  return forwardPaths.some((path) => keyOf(path) === key);
}

const keyOf = (address: string) => compareKey(parseAddress(address));
