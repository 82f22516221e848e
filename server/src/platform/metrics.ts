import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { LoopLog } from './logger.ts';

/**
 * Prometheus metrics. Each part registers its own; names begin with `acuse_`, durations are in seconds, sizes
 * in bytes.
 */
export interface Metrics {
  counter<Label extends string = never>(
    name: MetricName,
    help: string,
    labels?: readonly Label[],
  ): Counter<Label>;
  histogram<Label extends string = never>(
    name: MetricName,
    help: string,
    buckets: readonly number[],
    labels?: readonly Label[],
  ): Histogram<Label>;
  /** A value read on each scrape. */
  gauge(name: MetricName, help: string, read: () => number | Promise<number>): void;
  /** One value per label, read together: `{queued: 3, deferred: 1}`. */
  gauges(
    name: MetricName,
    help: string,
    label: string,
    read: () => Promise<Readonly<Record<string, number>>>,
  ): void;
  series<Label extends string>(
    name: MetricName,
    help: string,
    labels: readonly Label[],
    read: () => readonly Sample<Label>[] | Promise<readonly Sample<Label>[]>,
  ): void;
  /** The whole exposition. A failed read omits its metric. */
  text(): Promise<string>;
  readonly contentType: string;
}

export interface Sample<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

type MetricName = `acuse_${string}`;

export const DURATION_BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
] as const;

/** A slow query must not delay the rest of a scrape (ms). */
const READ_TIMEOUT_MS = 2_000;

/** Resolution of the event-loop lag (ms). The library's 10 ms costs half of an idle process's time. */
const LOOP_LOOK_MS = 50;

/** `process`: with memory, event loop and garbage collection. */
export function createMetrics(options: { log: LoopLog; process: boolean }): Metrics {
  const registry = new Registry();
  if (options.process)
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_LOOK_MS });
  const registers = [registry];

  async function lookUp<T>(name: string, read: () => T | Promise<T>): Promise<T | null> {
    try {
      return await within(READ_TIMEOUT_MS, read);
    } catch (error) {
      options.log.warn({ err: error, metric: name }, 'a metric could not be read');
      return null;
    }
  }

  return {
    counter: (name, help, labels = []) => new Counter({ name, help, labelNames: labels, registers }),
    histogram: (name, help, buckets, labels = []) =>
      new Histogram({ name, help, buckets: [...buckets], labelNames: labels, registers }),
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          const value = await lookUp(name, read);
          if (value === null) this.remove();
          else this.set(value);
        },
      });
    },
    gauges(name, help, label, read) {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers,
        async collect() {
          const values = await lookUp(name, read);
          this.reset();
          for (const [each, value] of Object.entries(values ?? {})) this.set({ [label]: each }, value);
        },
      });
    },
    series(name, help, labels, read) {
      new Gauge({
        name,
        help,
        labelNames: labels,
        registers,
        async collect() {
          const samples = await lookUp(name, read);
          this.reset();
          for (const { labels: each, value } of samples ?? []) this.set(each, value);
        },
      });
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

async function within<T>(ms: number, read: () => T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([Promise.resolve().then(read), late]);
  } finally {
    clearTimeout(timer);
  }
}
