import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { LoopLog } from './logger.ts';

/**
 * What an operator watches, in Prometheus' text format. Each part of the server makes its own metrics from
 * the registry it is given; names begin with `acuse_`, durations are in seconds, sizes in bytes (Prometheus'
 * own rules).
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
  /** A value that is looked up when it is asked for. */
  gauge(name: MetricName, help: string, read: () => number | Promise<number>): void;
  /** One value a label, all looked up at once: `{queued: 3, deferred: 1}`. */
  gauges(
    name: MetricName,
    help: string,
    label: string,
    read: () => Promise<Readonly<Record<string, number>>>,
  ): void;
  /** Values with several labels, all looked up at once. */
  series<Label extends string>(
    name: MetricName,
    help: string,
    labels: readonly Label[],
    read: () => readonly Sample<Label>[] | Promise<readonly Sample<Label>[]>,
  ): void;
  /** The whole exposition. A look-up that fails leaves its metric out. */
  text(): Promise<string>;
  readonly contentType: string;
}

export interface Sample<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

type MetricName = `acuse_${string}`;

/** Seconds, from a fast statement to a slow peer. */
export const DURATION_BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
] as const;

/** A look-up over the database must not delay the scrape of everything else (ms). */
const READ_TIMEOUT_MS = 2_000;

/**
 * How often the event loop is looked at (ms), which is also the least that its lag reads as. At the library's
 * 10 ms half of what an idle process takes goes into it.
 */
const LOOP_LOOK_MS = 50;

/** `process`: also memory, event loop and garbage collection of this process. */
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
