import { SANDBOX_DOMAIN, SUPPRESSED_NAME } from '../accounts/suppressions/sandbox-addresses.ts';
import type { SmtpAnswer } from '../platform/smtp/smtp-types.ts';

/**
 * How an address at sandbox.test behaves, decided by its local part (before any `+`); every other address
 * takes its mail. Pure.
 */

export type Behaviour =
  | 'delivered'
  | 'bounced'
  | 'deferred'
  | 'greylisted'
  | 'blocked'
  | 'complained'
  | 'async-bounced'
  | 'slow';

const NAMES: readonly Behaviour[] = [
  'delivered',
  'bounced',
  'deferred',
  'greylisted',
  'blocked',
  'complained',
  'async-bounced',
  'slow',
];
const BEHAVIOURS: ReadonlySet<string> = new Set(NAMES);

/** Local parts that mean something at sandbox.test; the last is refused before it is queued. */
export const MAGIC_NAMES: readonly string[] = [...NAMES, SUPPRESSED_NAME];

/** The behaviour of an address; `delivered` for any that is not one of ours. */
export function behaviourOf(forwardPath: string): Behaviour {
  const at = forwardPath.lastIndexOf('@');
  if (forwardPath.slice(at + 1).toLowerCase() !== SANDBOX_DOMAIN) return 'delivered';
  const local = forwardPath.slice(0, at).toLowerCase().split('+', 1)[0]!;
  return BEHAVIOURS.has(local) ? (local as Behaviour) : 'delivered';
}

/** Refusals of a `deferred` address before it takes a message. */
export const DEFERRED_REFUSALS = 2;
/** How long a `greylisted` address wants to be waited for, from the first try. */
export const GREYLIST_MS = 10_000;
/** How long a `slow` address takes over its last answer. */
export const SLOW_MS = 10_000;

/** What one earlier try of the same envelope is remembered by. */
export interface Tries {
  readonly count: number;
  readonly firstAtMs: number;
}

/** The answer to RCPT, null to take it. `tries`: this envelope's earlier ones. */
export function recipientAnswer(behaviour: Behaviour, tries: Tries, nowMs: number): SmtpAnswer | null {
  switch (behaviour) {
    case 'bounced':
      return { code: 550, text: '5.1.1 The email account that you tried to reach does not exist' };
    case 'blocked':
      return { code: 554, text: '5.7.1 Message refused: the sending address is on a block list' };
    case 'deferred':
      if (tries.count >= DEFERRED_REFUSALS) return null;
      return { code: 451, text: '4.3.0 Temporary failure, try again later' };
    case 'greylisted':
      if (tries.count > 0 && nowMs - tries.firstAtMs >= GREYLIST_MS) return null;
      return { code: 451, text: '4.7.1 Greylisted, try again later' };
    default:
      return null;
  }
}
