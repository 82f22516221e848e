import type { Log } from '../logger.ts';
import type { Metrics } from '../metrics.ts';

/**
 * Spans for an OpenTelemetry collector: one for each finished piece of work, with its start and end. Without
 * a collector every caller has null.
 */
export interface Tracing {
  /** Never throws and never waits: what does not fit is dropped and counted. */
  add(span: FinishedSpan): void;
  /** Ids for a span that is added later and that others refer to before. `within`: its parent. */
  place(within: SpanRef | null): SpanRef;
  /** The caller's span that a `traceparent` names; null: it names none. */
  callersOf(traceparent: string): SpanRef | null;
  /** Sends what is left, for a short time at most. Never throws. */
  close(): Promise<void>;
}

export interface SpanRef {
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** The caller's decision to record its trace; absent: the sampler decides by its id. */
  readonly isSampled?: boolean;
}

export interface FinishedSpan {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'internal';
  readonly startedAt: Date;
  readonly finishedAt: Date;
  /** Never an address, a subject, a body or a key. Undefined ones are left out. */
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly isError?: boolean;
  /** Ids that were given out before; absent: new ones. */
  readonly self?: SpanRef;
  readonly parent?: SpanRef | null;
  readonly links?: readonly SpanRef[];
}

export interface TracingSettings {
  /** Where spans go, in OTLP/JSON: the whole URL. */
  readonly url: string;
  readonly serviceName: string;
  readonly sampler: SamplerName;
  /** For samplers that take a share. */
  readonly ratio: number;
}

type SamplerName =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio';

export interface TracingDeps {
  readonly log: Pick<Log, 'warn' | 'info'>;
  readonly metrics: Metrics;
  readonly version: string;
}

const SPAN_ID_CHARS = 16;

/**
 * The first span of a message's or batch's own trace: its UUID is the trace's id, so that every process knows
 * the trace. The variant bits of a UUID keep the second half from being 0.
 */
export function rootOf(uuid: string): SpanRef {
  const traceId = uuid.replaceAll('-', '');
  return { traceId, spanId: traceId.slice(-SPAN_ID_CHARS) };
}
