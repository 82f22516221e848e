import type { Tx } from '../platform/database/db.ts';
import type { Attempted } from './attempt.ts';
import {
  type DisabledEndpoint,
  disableEndpoints,
  type EndpointMark,
  markEndpoints,
} from './endpoint-store.ts';
import { FAILING_MAX_MS } from './outcome.ts';
import { releaseClaims } from './queue-store.ts';
import { type DeliveryResult, recordResults } from './result-store.ts';

/** Records a group of attempts; returns newly disabled endpoints. */
export async function recordAttempts(tx: Tx, group: readonly Attempted[]): Promise<DisabledEndpoint[]> {
  const released = group.flatMap(({ delivery, outcome }) =>
    outcome.kind === 'released' ? [{ ...delivery, dueAt: outcome.dueAt }] : [],
  );
  if (released.length > 0) await releaseClaims(tx, released);
  const tried = group.filter(({ outcome }) => outcome.kind !== 'released');
  if (tried.length === 0) return [];
  const ours = await recordResults(tx, tried.map(resultOf));
  const marks = marksOf(tried.filter(({ delivery }) => ours.has(delivery.delivery_id)));
  if (marks.length === 0) return [];
  markEndpoints(tx, marks);
  const failing = marks.filter((mark) => mark.gone || !mark.ok);
  return failing.length === 0 ? [] : disableEndpoints(tx, failing, FAILING_MAX_MS);
}

function resultOf({
  delivery,
  outcome,
  startedAt,
  durationMs,
  statusCode,
  error,
  answer,
}: Attempted): DeliveryResult {
  return {
    tenantId: delivery.tenant_id,
    deliveryId: delivery.delivery_id,
    leaseId: delivery.lease_id,
    attempt: delivery.attempts_made + 1,
    startedAt,
    durationMs,
    statusCode,
    error,
    answer,
    status: outcome.kind === 'delivered' ? 'delivered' : outcome.kind === 'retry' ? 'pending' : 'failed',
    dueAt: outcome.kind === 'retry' ? outcome.dueAt : null,
  };
}

/** One mark per endpoint and URL, in the common lock order. */
function marksOf(attempts: readonly Attempted[]): EndpointMark[] {
  const marks = new Map<string, EndpointMark>();
  for (const { delivery, outcome, finishedAt } of attempts) {
    const key = `${delivery.tenant_id}/${delivery.webhook_id} ${delivery.url}`;
    const mark = marks.get(key);
    marks.set(key, {
      tenantId: delivery.tenant_id,
      webhookId: delivery.webhook_id,
      url: delivery.url,
      ok: (mark?.ok ?? false) || outcome.kind === 'delivered',
      gone: (mark?.gone ?? false) || outcome.kind === 'gone',
      at: finishedAt,
    });
  }
  return [...marks].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, mark]) => mark);
}
