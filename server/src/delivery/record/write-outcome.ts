import { countEntries, type FirstEntry } from '../../accounts/rates/count-store.ts';
import { recordSuppression } from '../../accounts/suppressions/operations.ts';
import { insertOutcomeLeaves, type NewOutcomeLeaf } from '../../messages/leaves/chain-store.ts';
import type { Tx } from '../../platform/database/db.ts';
import { appendEvents } from '../../webhooks/append.ts';
import type { NewEvent } from '../../webhooks/event.ts';
import type { WebhookHandover } from '../../webhooks/handover.ts';
import { insertReports, type NewReport } from './record-store.ts';

/** Writes an outcome's rows besides the message, from a session or a returned mail. */
export interface OutcomeTraces {
  readonly reports: readonly NewReport[];
  readonly leaves: readonly NewOutcomeLeaf[];
  readonly events: readonly NewEvent[];
  /** In key order, the common lock order. */
  readonly suppressions: readonly {
    readonly tenantId: string;
    readonly entry: Parameters<typeof recordSuppression>[2];
  }[];
  readonly entries: readonly FirstEntry[];
}

export async function writeOutcome(
  tx: Tx,
  { reports, leaves, events, suppressions, entries }: OutcomeTraces,
  webhooks: WebhookHandover | null | undefined,
): Promise<void> {
  await Promise.all([
    reports.length === 0 ? 0 : insertReports(tx, reports),
    leaves.length === 0 ? undefined : insertOutcomeLeaves(tx, leaves),
    appendEvents(tx, events, webhooks),
    ...suppressions.map(({ tenantId, entry }) => recordSuppression(tx, tenantId, entry)),
    countEntries(tx, entries),
  ]);
}
