import { randomBytes } from 'node:crypto';
import { SALT_BYTES } from '@acuse/evidence/commitment';
import type { DeliveryFacts } from '@acuse/evidence/delivery-facts';
import {
  type AcknowledgementSource,
  type AcknowledgementStatus,
  decideAcknowledgement,
} from '../../messages/acknowledgement-store.ts';
import { readChainEnds } from '../../messages/leaves/chain-store.ts';
import type { Db } from '../../platform/database/db.ts';
import { newId } from '../../platform/ids.ts';
import type { NewEvent } from '../../webhooks/event.ts';
import type { WebhookHandover } from '../../webhooks/handover.ts';
import { makeOutcomeLeaf } from '../record/outcome-leaf.ts';
import { writeOutcome } from '../record/write-outcome.ts';
import { untilChainStands } from '../return-path/late-outcome.ts';
import { holdUnerased } from '../return-path/return-path-store.ts';

/** The recipient's own act, or that none came: the decision, its leaf and its event in one transaction. */

export interface DecideDeps {
  readonly db: Db;
  readonly webhooks?: WebhookHandover | null;
}

export interface Decision {
  readonly tenantId: string;
  readonly messageId: string;
  readonly headerTo: string;
  readonly attempts: number;
  readonly kind: Exclude<AcknowledgementStatus, 'requested'>;
  readonly source: AcknowledgementSource;
  readonly at: Date;
  readonly facts: DeliveryFacts;
  /** The recipient's own mail, as it came; absent: they acted on the page, or not at all. */
  readonly mail?: Uint8Array;
}

/**
 * `late`: decided before, or not in time. `erased`: the message is erased. `no_leaf`: the message's own leaf
 * is missing, which fsck reports, so nothing can be chained to it.
 */
export type Decided = 'decided' | 'late' | 'erased' | 'no_leaf';

const EVENTS = {
  acknowledged: 'acknowledgement.given',
  refused: 'acknowledgement.refused',
  unanswered: 'acknowledgement.expired',
} as const satisfies Readonly<Record<Decision['kind'], NewEvent['type']>>;

export function decide(deps: DecideDeps, decision: Decision): Promise<Decided> {
  return untilChainStands(() => tryToDecide(deps, decision));
}

async function tryToDecide({ db, webhooks }: DecideDeps, decision: Decision): Promise<Decided> {
  const { tenantId, messageId, kind, source, at, headerTo: to, mail = null } = decision;
  const end = (await readChainEnds(db, [{ tenantId, messageId }])).get(messageId);
  if (end === undefined) return 'no_leaf';
  const outcome = { ...decision, occurredAt: at, attempt: decision.attempts, transcript: null, dsn: mail };
  const leaf = makeOutcomeLeaf(outcome, end, randomBytes(SALT_BYTES));
  const data = source === 'operator' ? { to } : { to, source };
  return db.transact(async (tx) => {
    // An erasure waits for this, or was first: nothing that was typed outlives it.
    if (!(await holdUnerased(tx, tenantId, messageId))) return 'erased';
    if (!(await decideAcknowledgement(tx, { tenantId, messageId, status: kind, source, at }))) return 'late';
    const event = { tenantId, eventId: newId(), messageId, type: EVENTS[kind], occurredAt: at, data };
    const { reported_by_mail: reportedByMail } = decision.facts;
    const reports =
      mail === null || reportedByMail === null
        ? []
        : [
            {
              tenantId,
              messageId,
              action: 'acknowledged',
              report: mail,
              createdAt: at,
              reportedByMail,
            } as const,
          ];
    const traces = { reports, leaves: [leaf], events: [event], suppressions: [], entries: [] };
    await writeOutcome(tx, traces, webhooks);
    return 'decided';
  });
}
