import { rootOf, type Tracing } from '../platform/tracing/tracing.ts';
import type { SequenceResult } from './log/sequence.ts';
import type { StampOutcome } from './stamp/stamp-record.ts';

/** One trace per batch: its sealing and each request for its constancia. */

export function traceBatch(
  tracing: Tracing,
  result: SequenceResult,
  startedAt: Date,
  finishedAt: Date,
): void {
  if (result.kind !== 'sequenced') return;
  tracing.add({
    name: 'seal batch',
    kind: 'internal',
    startedAt,
    finishedAt,
    self: rootOf(result.batchId),
    attributes: {
      'acuse.batch_id': result.batchId,
      'acuse.leaves': result.leaves,
      'acuse.tree_size': result.treeSize,
    },
  });
}

export function traceStamp(tracing: Tracing, outcome: StampOutcome, startedAt: Date, finishedAt: Date): void {
  const { kind, claim } = outcome;
  tracing.add({
    name: 'request time-stamp',
    kind: 'client',
    startedAt,
    finishedAt,
    parent: rootOf(claim.batchId),
    isError: kind === 'failed',
    attributes: {
      'acuse.batch_id': claim.batchId,
      'acuse.tree_size': claim.treeSize,
      'acuse.attempt': claim.attempt,
      'acuse.outcome': kind,
      'acuse.authority': kind === 'sealed' ? outcome.stamp.authority : undefined,
    },
  });
}
