import type { CountedState } from '../../accounts/rates/count-store.ts';
import { CANCELLED, type NewEvent } from '../../webhooks/event.ts';
import { bouncedEvent, cancelledEvent, deferredEvent, sentEvent } from './events.ts';
import type { Outcome } from './outcome.ts';
import type { Attempted } from './result.ts';

/**
 * The rows that each kind of outcome writes. Its leaf is defined in
 * `packages/evidence/src/delivery-kinds.ts`. Pure.
 */
interface OutcomeRules<Kind extends OutcomeKind> {
  event(result: Attempted, outcome: OutcomeOf<Kind>): Pick<NewEvent, 'type' | 'data'>;
  /** The action in its delivery report; null: no report. RFC 3464 §2.3.3 */
  readonly report: 'relayed' | 'delayed' | 'failed' | null;
  /** The daily count that it adds to; null: none. */
  readonly counts: CountedState | null;
  /** The final status in words; null: not final. */
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
    // Plain SMTP: only the next server can say `delivered`.
    report: 'relayed',
    counts: 'sent',
    over: 'It was delivered',
  },
  deferred: {
    event: ({ item, decision }, outcome) => ({
      type: 'email.deferred',
      data: deferredEvent(item.headerTo, decision.reply, item.attemptsMade + 1, outcome),
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
    // Not counted. docs/decisions/0012
    counts: null,
    over: 'It was cancelled',
  },
};

export function eventOf(result: Attempted): Pick<NewEvent, 'type' | 'data'> {
  const { outcome } = result.decision;
  // The compiler cannot see that the kinds match.
  const rules = OUTCOME_KINDS[outcome.kind] as OutcomeRules<OutcomeKind>;
  return rules.event(result, outcome);
}

export function countedAs({ kind }: Outcome): CountedState | null {
  return OUTCOME_KINDS[kind].counts;
}
