import { randomBytes } from 'node:crypto';
import { SALT_BYTES } from '@acuse/evidence/commitment';
import type { MailReportFacts } from '@acuse/evidence/delivery-facts';
import type { NewOutcomeLeaf } from '../../messages/leaves/chain-store.ts';
import { ChainMoved, readChainEnds } from '../../messages/leaves/chain-store.ts';
import type { Db } from '../../platform/database/db.ts';
import { makeOutcomeLeaf, NO_FACTS, type Outcome } from '../record/outcome-leaf.ts';
import type { ReturnedMessageRow } from './return-path-store.ts';

/** Tries while the chain grows concurrently; it can end only once. */
const TRIES = 3;

/** Null: plain, or its own leaf is missing, which fsck reports. */
export async function lateLeaf(
  db: Db,
  message: ReturnedMessageRow,
  outcome: Pick<Outcome, 'kind' | 'occurredAt' | 'dsn'> & { reportedByMail: MailReportFacts },
): Promise<NewOutcomeLeaf | null> {
  if (!message.certified) return null;
  const { tenant_id: tenantId, message_id: messageId, attempts: attempt } = message;
  const end = (await readChainEnds(db, [{ tenantId, messageId }])).get(messageId);
  if (end === undefined) return null;
  const { kind, occurredAt, dsn, reportedByMail } = outcome;
  const whole: Outcome = {
    tenantId,
    messageId,
    attempt,
    kind,
    source: 'reported_by_mail',
    occurredAt,
    facts: { ...NO_FACTS, reported_by_mail: reportedByMail },
    transcript: null,
    dsn,
  };
  return makeOutcomeLeaf(whole, end, randomBytes(SALT_BYTES));
}

/** Repeats `work` if the chain moved meanwhile. */
export async function untilChainStands<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ChainMoved) || attempt >= TRIES) throw error;
    }
  }
}
