import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  SamplingDecision,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import { boundExport, SPANS_MAX } from './bounded-export.ts';
import type { FinishedSpan, SpanRef, Tracing, TracingDeps, TracingSettings } from './tracing.ts';

/**
 * The one place that knows OpenTelemetry; loaded where traces are asked for. Spans are made when their work
 * is over, so that no context has to be carried through it.
 */

const BATCH_SPANS = 512;
/** A span waits this long for others (ms). */
const BATCH_WAIT_MS = 1_000;
/** One request to the collector, its repetitions included (ms). */
const REQUEST_LIMIT_MS = 3_000;
/** Time for the remaining spans at a stop (ms). */
const CLOSE_LIMIT_MS = 2_000;

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

export function createTracing(settings: TracingSettings, deps: TracingDeps): Tracing {
  const connections = createConnections();
  const ids = createIds();
  const sampler = samplerOf(settings);
  const provider = createProvider(settings, deps, { connections, ids, sampler });
  const tracer = provider.getTracer('acuse', deps.version);

  /** A trace without a caller's decision is sampled by its id: the same in all processes. */
  function isSampled({ traceId, isSampled: told }: SpanRef): boolean {
    if (told !== undefined) return told;
    const { decision } = sampler.shouldSample(ROOT_CONTEXT, traceId, '', SpanKind.INTERNAL, {}, []);
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  }

  const contextOf = (ref: SpanRef) => ({
    traceId: ref.traceId,
    spanId: ref.spanId,
    traceFlags: isSampled(ref) ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
  });

  return {
    add({ parent = null, links = [], self = null, ...span }) {
      const within = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextOf(parent));
      const options = {
        kind: KINDS[span.kind],
        startTime: span.startedAt,
        attributes: definedOf(span.attributes),
        links: links.map((link) => ({ context: contextOf(link) })),
      };
      const made = ids.as(self, () => tracer.startSpan(span.name, options, within));
      if (span.isError === true) made.setStatus({ code: SpanStatusCode.ERROR });
      made.end(span.finishedAt);
    },
    place(within) {
      const spanId = ids.generateSpanId();
      return within === null ? { traceId: ids.generateTraceId(), spanId } : { ...within, spanId };
    },
    callersOf(traceparent) {
      const caller = parseTraceParent(traceparent);
      if (caller === null) return null;
      const { traceId, spanId, traceFlags } = caller;
      return { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
    },
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSE_LIMIT_MS);
      });
      await Promise.race([provider.shutdown().catch(() => {}), limit]);
      clearTimeout(timer);
      connections.cut();
    },
  };
}

interface Parts {
  readonly connections: ReturnType<typeof createConnections>;
  readonly ids: IdGenerator;
  readonly sampler: Sampler;
}

/** The library's own batches and exporter, within our bounds. */
function createProvider(
  settings: TracingSettings,
  deps: TracingDeps,
  { connections, ids, sampler }: Parts,
): BasicTracerProvider {
  const exporter = boundExport(
    new OTLPTraceExporter({
      url: settings.url,
      timeoutMillis: REQUEST_LIMIT_MS,
      httpAgentOptions: connections.agentFor,
    }),
    { ...deps, shownUrl: new URL(settings.url).origin, cut: connections.cut },
  );
  const batches = new BatchSpanProcessor(exporter, {
    maxQueueSize: SPANS_MAX,
    maxExportBatchSize: BATCH_SPANS,
    scheduledDelayMillis: BATCH_WAIT_MS,
  });
  const bounded: SpanProcessor = {
    onStart() {},
    onEnd(span) {
      if (exporter.admit()) batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
  return new BasicTracerProvider({
    sampler,
    idGenerator: ids,
    resource: resourceFromAttributes({
      'service.name': settings.serviceName,
      'service.version': deps.version,
    }),
    spanProcessors: [bounded],
  });
}

/** The exporter's connections, which can be cut while it waits on them. */
function createConnections() {
  let agent: HttpAgent | null = null;
  return {
    agentFor(protocol: string): HttpAgent {
      agent = new (protocol === 'https:' ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: 4 });
      return agent;
    },
    cut: () => agent?.destroy(),
  };
}

/** Random ids, or the ones that were given out before. */
function createIds() {
  const random = new RandomIdGenerator();
  let next: SpanRef | null = null;
  return {
    generateTraceId: () => next?.traceId ?? random.generateTraceId(),
    generateSpanId: () => next?.spanId ?? random.generateSpanId(),
    as<T>(self: SpanRef | null, make: () => T): T {
      next = self;
      try {
        return make();
      } finally {
        next = null;
      }
    },
  };
}

function samplerOf({ sampler, ratio }: TracingSettings): Sampler {
  const [, isParentBased, name] = /^(parentbased_)?(.*)$/.exec(sampler)!;
  const root =
    name === 'always_on'
      ? new AlwaysOnSampler()
      : name === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return isParentBased === undefined ? root : new ParentBasedSampler({ root });
}

function definedOf(attributes: FinishedSpan['attributes']): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
