import { rootOf, type Tracing } from '../platform/tracing/tracing.ts';
import type { ActResult } from './record/result.ts';

/** One span per attempt, without recipient or reply. */
export function traceAttempt(tracing: Tracing, result: ActResult): void {
  if (result.kind !== 'attempted') return;
  const { item, startedAt, finishedAt, mx, tls, decision } = result;
  const { outcome, reply } = decision;
  tracing.add({
    name: 'attempt delivery',
    kind: 'client',
    startedAt,
    finishedAt,
    parent: rootOf(item.messageId),
    isError: outcome.kind === 'bounced',
    attributes: {
      'acuse.message_id': item.messageId,
      'acuse.attempt': item.attemptsMade + 1,
      'acuse.outcome': outcome.kind,
      'acuse.bounce_type': outcome.kind === 'bounced' ? outcome.bounceType : undefined,
      'server.address': mx ?? undefined,
      'acuse.smtp.reply_class': reply.code === null ? undefined : `${Math.floor(reply.code / 100)}xx`,
      'tls.protocol.version': tls?.version,
    },
  });
}
