import { hash } from 'node:crypto';
import { apiError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import { networkOf } from '../../platform/network/network.ts';
import {
  type FailureWindow,
  forgetWindows,
  type Realm,
  releaseAttempts,
  takeAttempt,
  windowStart,
} from './failures-store.ts';

/** Failed sign-ins that a network, and that a person, may make in a window. */
export const FAILURES_MAX = 10;
/** From the first failure (ms). */
export const FAILURES_WINDOW_MS = 15 * 60 * 1000;
/** Windows that are over, forgotten with each attempt: more than an attempt makes. */
const FORGOTTEN_AT_ONCE = 20;

export interface Attempt {
  /** The portal and the admin console count apart. */
  readonly realm: Realm;
  readonly address: string;
  /** The person's address, whether or not anybody has it; null: only the network is counted. */
  readonly person: string | null;
  /** Counted apart: asking for mails must not keep anybody from signing in. */
  readonly purpose?: 'sign_in' | 'reset';
  /** Seen from a network from which the person signed in lately: so that nobody locks another out. */
  readonly knownNetwork: boolean;
}

/**
 * Counts an attempt before it is judged, so that many at once count like many in turn. Returns what takes the
 * count back when the attempt did not fail. Throws rate_limited.
 */
export async function takeSignIn(
  { db, clock }: { db: Db; clock: Clock },
  attempt: Attempt,
): Promise<() => Promise<void>> {
  const { realm, person, purpose = 'sign_in' } = attempt;
  const now = clock.now();
  const subjects = [subjectOf(purpose, 'network', networkOf(attempt.address))];
  if (person !== null && !attempt.knownNetwork) subjects.push(subjectOf(purpose, 'person', person));
  const staleBefore = new Date(now.getTime() - FAILURES_WINDOW_MS);
  await db.asSessions(async (tx) => {
    for (const subject of subjects) {
      const window: FailureWindow = { realm, subject, now, staleBefore, max: FAILURES_MAX };
      if (await takeAttempt(tx, window)) continue;
      const began = (await windowStart(tx, realm, subject)) ?? now;
      const retryAfterSeconds = Math.max(
        1,
        Math.ceil((began.getTime() + FAILURES_WINDOW_MS - now.getTime()) / 1000),
      );
      throw apiError(
        'rate_limited',
        'Too many attempts: retry after the seconds in Retry-After, or from a network from which you signed in before.',
        { retryAfterSeconds },
      );
    }
    await forgetWindows(tx, staleBefore, FORGOTTEN_AT_ONCE);
  });
  return () => db.asSessions((tx) => releaseAttempts(tx, realm, subjects));
}

/** The key of a count, as a hash: the database must not show who only tried. */
function subjectOf(purpose: string, kind: 'network' | 'person', name: string): Buffer {
  return hash('sha256', `${purpose}:${kind}:${name}`, 'buffer');
}
