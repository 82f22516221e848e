import { rootOf, type Tracing } from '../platform/tracing/tracing.ts';
import type { Attempted } from './attempt.ts';

/** One span per attempt, without the URL. */
export function traceWebhooks(tracing: Tracing, group: readonly Attempted[]): void {
  for (const { delivery, startedAt, finishedAt, statusCode, outcome } of group)
    tracing.add({
      name: 'attempt webhook',
      kind: 'client',
      startedAt,
      finishedAt,
      parent: rootOf(delivery.message_id),
      isError: outcome.kind === 'failed' || outcome.kind === 'gone',
      attributes: {
        'acuse.message_id': delivery.message_id,
        'acuse.webhook_id': delivery.webhook_id,
        'acuse.event_id': delivery.event_id,
        'acuse.event_type': delivery.type,
        'acuse.attempt': delivery.attempt,
        'acuse.outcome': outcome.kind,
        'http.request.method': 'POST',
        'http.response.status_code': statusCode ?? undefined,
      },
    });
}
