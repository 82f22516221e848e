import { SANDBOX_DOMAIN, SUPPRESSED_NAME } from '../accounts/suppressions/sandbox-addresses.ts';
import type { SmtpAnswer } from '../platform/smtp/smtp-types.ts';

/** Behaviour of a sandbox.test address by its local part (before `+`). Pure. */

export type Behaviour =
  | 'delivered'
  | 'bounced'
  | 'deferred'
  | 'greylisted'
  | 'blocked'
  | 'complained'
  | 'async-bounced'
  | 'slow'
  | 'acknowledges'
  | 'refuses'
  | 'replies'
  | 'reads';

const NAMES: readonly Behaviour[] = [
  'delivered',
  'bounced',
  'deferred',
  'greylisted',
  'blocked',
  'complained',
  'async-bounced',
  'slow',
  'acknowledges',
  'refuses',
  'replies',
  'reads',
];
const BEHAVIOURS: ReadonlySet<string> = new Set(NAMES);

export const MAGIC_NAMES: readonly string[] = [...NAMES, SUPPRESSED_NAME];

export function behaviourOf(forwardPath: string): Behaviour {
  const at = forwardPath.lastIndexOf('@');
  if (forwardPath.slice(at + 1).toLowerCase() !== SANDBOX_DOMAIN) return 'delivered';
  const local = forwardPath.slice(0, at).toLowerCase().split('+', 1)[0]!;
  return BEHAVIOURS.has(local) ? (local as Behaviour) : 'delivered';
}

/** The answer to a mail that was taken: a report by mail, or the recipient's answer. */
export type Report = 'complaint' | 'bounce' | 'receipt';
export type Answer = 'acknowledged' | 'refused' | 'replied';
export type Reaction = Report | Answer;

const ANSWERS: readonly (readonly [Behaviour, Answer])[] = [
  ['acknowledges', 'acknowledged'],
  ['refuses', 'refused'],
  ['replies', 'replied'],
];

export const REACTIONS: readonly (readonly [Behaviour, Reaction])[] = [
  ['complained', 'complaint'],
  ['async-bounced', 'bounce'],
  ['reads', 'receipt'],
  ...ANSWERS,
];

export function isAnswer(reaction: Reaction): reaction is Answer {
  return ANSWERS.some(([, answer]) => answer === reaction);
}

/** Names of recipients that answer. */
export const ANSWERING: readonly string[] = ANSWERS.map(([behaviour]) => behaviour);

export function answerOf(forwardPath: string): Answer | null {
  const behaviour = behaviourOf(forwardPath);
  return ANSWERS.find(([name]) => name === behaviour)?.[1] ?? null;
}

/** Refusals before acceptance. */
const DEFERRED_REFUSALS = 2;
/** Wait from the first try (ms). */
export const GREYLIST_MS = 10_000;
/** Delay of the last answer (ms). */
export const SLOW_MS = 10_000;

/** Earlier tries of the same envelope. */
export interface Tries {
  readonly count: number;
  readonly firstAtMs: number;
}

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
