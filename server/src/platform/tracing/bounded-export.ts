import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Metrics } from '../metrics.ts';
import type { TracingDeps } from './tracing.ts';

/** Limits of waiting spans, and of a collector's time. */
interface BoundedExport extends SpanExporter {
  /** True if one more span may wait; a refusal is counted. */
  admit(): boolean;
}

/** Spans that wait or are on their way (some 2 KB each): further ones are dropped. */
export const SPANS_MAX = 2_048;
/** From the first byte to the end of the collector's answer (ms), however slowly that comes. */
const EXPORT_LIMIT_MS = 4_000;

interface BoundedDeps extends Pick<TracingDeps, 'log'> {
  readonly metrics: Metrics;
  /** Where spans go, as it may be shown. */
  readonly shownUrl: string;
  /** Drops the connections of an export that takes too long. */
  cut(): void;
}

/** An exporter whose collector may be away, slow or hanging: lost spans are counted. */
export function boundExport(exporter: SpanExporter, deps: BoundedDeps): BoundedExport {
  const spans = deps.metrics.counter(
    'acuse_trace_spans_total',
    'Spans of traces: exported, failed (the collector did not take them) or dropped (too many waited).',
    ['outcome'],
  );
  for (const outcome of ['exported', 'failed', 'dropped']) spans.inc({ outcome }, 0);
  let held = 0;
  let isFailing = false;

  function settle(count: number, { code, error }: ExportResult): void {
    held -= count;
    const isExported = code === ExportResultCode.SUCCESS;
    spans.inc({ outcome: isExported ? 'exported' : 'failed' }, count);
    const { log, shownUrl: url } = deps;
    if (isExported && isFailing) log.info({ url }, 'the collector takes traces again');
    if (!isExported && !isFailing)
      log.warn(
        { url, reason: error?.message ?? 'no answer' },
        'the collector takes no traces: they are lost',
      );
    isFailing = !isExported;
  }

  return {
    admit() {
      const isRoom = held < SPANS_MAX;
      if (isRoom) held += 1;
      else spans.inc({ outcome: 'dropped' });
      return isRoom;
    },
    export(batch: ReadableSpan[], done: (result: ExportResult) => void) {
      let isSettled = false;
      const end = (result: ExportResult) => {
        if (isSettled) return;
        isSettled = true;
        clearTimeout(limit);
        settle(batch.length, result);
        done(result);
      };
      const limit = setTimeout(() => {
        end({ code: ExportResultCode.FAILED, error: new Error(`no answer within ${EXPORT_LIMIT_MS} ms`) });
        deps.cut();
      }, EXPORT_LIMIT_MS);
      limit.unref();
      exporter.export(batch, end);
    },
    shutdown: () => exporter.shutdown(),
  };
}
