import type { CountedState } from '../../accounts/rates/count-store.ts';
import { CANCELLED, type NewEvent } from '../../webhooks/event.ts';
import { bouncedEvent, cancelledEvent, deferredEvent, sentEvent } from './events.ts';
import type { Outcome } from './outcome.ts';
import type { Attempted } from './result.ts';

/**
 * What recording an outcome of each kind leaves behind. What its leaf in the log states is a row of the table
 * in `packages/evidence/src/delivery-kinds.ts`. Pure.
 */
export interface OutcomeRules<Kind extends OutcomeKind> {
  /** What the message's events say, and the endpoints are told. */
  event(result: Attempted, outcome: OutcomeOf<Kind>): Pick<NewEvent, 'type' | 'data'>;
  /** What its delivery report says of the recipient; null: there is no report. RFC 3464 §2.3.3 */
  readonly report: 'relayed' | 'delayed' | 'failed' | null;
  /** As what the rates count it, on the day on which a message first came to it; null: as nothing. */
  readonly counts: CountedState | null;
  /** How a message that it ended is spoken of; null: it ends none. */
  readonly over: string | null;
}

export type OutcomeKind = Outcome['kind'];
type OutcomeOf<Kind extends OutcomeKind> = Extract<Outcome, { kind: Kind }>;

export const OUTCOME_KINDS: { readonly [Kind in OutcomeKind]: OutcomeRules<Kind> } = {
  sent: {
    event: ({ item, decision, tls }) => ({
      type: 'email.sent',
      data: sentEvent(item.headerTo, decision.reply, tls),
    }),
    // Plain SMTP: the next server took charge. That it was delivered to the mailbox only that server can say.
    report: 'relayed',
    counts: 'sent',
    over: 'It was delivered',
  },
  deferred: {
    event: ({ item, decision }, { nextAttemptAt }) => ({
      type: 'email.deferred',
      data: deferredEvent(item.headerTo, decision.reply, item.attemptsMade + 1, nextAttemptAt),
    }),
    report: 'delayed',
    counts: 'deferred',
    over: null,
  },
  bounced: {
    event: ({ item, decision }, why) => ({
      type: 'email.bounced',
      data: bouncedEvent(item.headerTo, decision.reply, why, false),
    }),
    report: 'failed',
    counts: 'bounced',
    over: 'It bounced',
  },
  cancelled: {
    event: ({ item }, { by }) => ({ type: CANCELLED, data: cancelledEvent(item.headerTo, by) }),
    report: null,
    // Counted as accepted, and as nothing else. docs/decisions/0012
    counts: null,
    over: 'It was cancelled',
  },
};

export function eventOf(result: Attempted): Pick<NewEvent, 'type' | 'data'> {
  const { outcome } = result.decision;
  // One kind's outcome meets the same kind's rules, which the compiler cannot see of a union.
  const rules = OUTCOME_KINDS[outcome.kind] as OutcomeRules<OutcomeKind>;
  return rules.event(result, outcome);
}

/** The state of the rates that it counts as; null: none. */
export function countedAs({ kind }: Outcome): CountedState | null {
  return OUTCOME_KINDS[kind].counts;
}
