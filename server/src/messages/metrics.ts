import { bagOf } from '../accounts/quota/reserve.ts';
import { ApiError } from '../errors.ts';
import { DURATION_BUCKETS, type Metrics } from '../platform/metrics.ts';
import type { Accept, Accepted } from './accept.ts';
import type { SendRequest } from './prepare.ts';

interface IngestMetrics {
  onFlush(items: number, ms: number): void;
  counted(accept: Accept): Accept;
}

const NONE: readonly unknown[] = [];

const FLUSH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256] as const;

export function createIngestMetrics(metrics: Metrics): IngestMetrics {
  const sizes = metrics.histogram(
    'acuse_ingest_flush_messages',
    'Messages in one group commit.',
    FLUSH_SIZES,
  );
  const seconds = metrics.histogram(
    'acuse_ingest_flush_seconds',
    'Time that group commits took.',
    DURATION_BUCKETS,
  );
  const accepted = metrics.counter('acuse_messages_accepted_total', 'Messages accepted, by quota.', ['bag']);
  const replayed = metrics.counter('acuse_messages_replayed_total', 'Sends that were accepted before.');
  const refused = metrics.counter('acuse_messages_refused_total', 'Sends refused, by error code.', ['code']);
  // Zero, not absent.
  for (const certified of [true, false]) accepted.inc({ bag: bagOf(certified) }, 0);
  return {
    onFlush(items, ms) {
      sizes.observe(items);
      seconds.observe(ms / 1_000);
    },
    counted(accept) {
      metrics.gauge(
        'acuse_ingest_waiting_messages',
        'Messages that wait for a group commit.',
        accept.waiting,
      );
      const count = (result: Accepted) => {
        const { certified, copies = NONE } = result.message;
        if (result.kind === 'created') accepted.inc({ bag: bagOf(certified) }, 1 + copies.length);
        else replayed.inc();
        return result;
      };
      const countRefusal = (error: unknown): never => {
        refused.inc({ code: error instanceof ApiError ? error.code : 'internal_error' });
        throw error;
      };
      return Object.assign((request: SendRequest) => accept(request).then(count, countRefusal), {
        all: (requests: readonly SendRequest[]) =>
          accept.all(requests).then((results) => results.map(count), countRefusal),
        madeBefore: accept.madeBefore,
        replayOf: accept.replayOf,
        prepare: accept.prepare,
        drain: accept.drain,
        waiting: accept.waiting,
        waitedMs: accept.waitedMs,
      });
    },
  };
}
