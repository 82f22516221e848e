import { availableParallelism } from 'node:os';
import { ApiError, apiError } from '../../errors.ts';
import { Counts } from '../counts.ts';
import { DURATION_BUCKETS, type Metrics } from '../metrics.ts';
import { FairQueue, type QueueLimits } from './fair-queue.ts';
import { type Job, ThreadLimitError } from './job.ts';
import { createThread, type OneThread } from './one-thread.ts';
import { findProgram } from './program.ts';

/**
 * Threads for work that would block the event loop. Each account's jobs wait in a line of their own and the
 * lines take turns; one account never has all threads. A job beyond its time or memory costs its thread,
 * which is replaced, and affects nobody else.
 */
export interface Threads {
  /**
   * Throws what the job throws, ThreadLimitError, or `unavailable` when too much is waiting: then nothing was
   * begun.
   */
  run<I, O>(job: Job<I, O>, input: I, order: JobOrder): Promise<O>;
  readonly waiting: number;
  /** Refuses what waits, ends what runs. */
  stop(): Promise<void>;
}

export interface JobOrder {
  readonly tenantId: string;
  /** About the memory of the input. */
  readonly bytes: number;
  /**
   * Buffers of the input that are handed over, not copied: unusable here from then on, whatever the result of
   * the job.
   */
  readonly handOver?: readonly ArrayBuffer[];
}

export interface ThreadsOptions {
  /** Threads; by default one per processor but one, at least two, at most four. */
  readonly count?: number;
  /** Path of the program; by default the one built next to this one. */
  readonly program?: string;
  readonly heapMib?: number;
  readonly limits?: QueueLimits;
  readonly metrics?: Metrics;
}

/** Two, so that one account's jobs leave one to the others even on one processor. */
const THREADS_MIN = 2;
/** More would take the processors from PostgreSQL and from the thread that answers requests. */
const THREADS_MAX = 4;
/** Heap of a thread: a JSON body of 64 MiB in two-byte text, parsed, fits in (MiB). */
const HEAP_MIB = 512;
/** Limits of waiting and running jobs. A batch of 100 large items is 100 jobs; a body has at most 64 MiB. */
const JOBS_MAX = 4_000;
const JOBS_MAX_BYTES = 384 * 1024 * 1024;
const ACCOUNT_JOBS_MAX = 1_000;
const ACCOUNT_JOBS_MAX_BYTES = 192 * 1024 * 1024;
const LIMITS: QueueLimits = {
  items: JOBS_MAX,
  bytes: JOBS_MAX_BYTES,
  itemsPerTenant: ACCOUNT_JOBS_MAX,
  bytesPerTenant: ACCOUNT_JOBS_MAX_BYTES,
};
const RETRY_SECONDS = 1;

interface Waiting {
  readonly tenantId: string;
  readonly bytes: number;
  start(thread: OneThread): Promise<void>;
  refuse(): void;
}

export function createThreads(options: ThreadsOptions = {}): Threads {
  const {
    count = Math.max(THREADS_MIN, Math.min(THREADS_MAX, availableParallelism() - 1)),
    program,
    heapMib = HEAP_MIB,
    limits = LIMITS,
  } = options;
  const threads = Array.from({ length: count }, () =>
    createThread({ program: () => program ?? findProgram('acuse-thread'), heapMib }),
  );
  const queue = new FairQueue<Waiting>(limits);
  const running = new Counts();
  const runningPerTenant = Math.max(1, count - 1);
  let stopped = false;
  const tally = countJobs(options.metrics, queue);

  function dispatch(): void {
    for (const thread of threads) {
      if (thread.busy) continue;
      const next = queue.take((tenantId) => running.of(tenantId) < runningPerTenant);
      if (next === undefined) return;
      const { tenantId } = next;
      running.add(tenantId, 1);
      void next.start(thread).then(() => {
        queue.release(next);
        running.add(tenantId, -1);
        dispatch();
      });
    }
  }

  return {
    get waiting() {
      return queue.size;
    },
    run<I, O>(job: Job<I, O>, input: I, { tenantId, bytes, handOver = [] }: JobOrder): Promise<O> {
      return new Promise((resolve, reject) => {
        const refuse = () => {
          tally(job.name, 'refused');
          reject(apiError('unavailable', undefined, { retryAfterSeconds: RETRY_SECONDS }));
        };
        const start: Waiting['start'] = async (thread) => {
          const startedMs = performance.now();
          try {
            const output = await thread.run(job, input, handOver);
            tally(job.name, 'done', startedMs);
            resolve(output);
          } catch (error) {
            tally(job.name, outcomeOf(error), startedMs);
            reject(stopped ? apiError('unavailable', undefined, { cause: error }) : error);
          }
        };
        if (stopped) return refuse();
        for (const gone of queue.offer({ tenantId, bytes, start, refuse })) gone.refuse();
        dispatch();
      });
    },
    async stop() {
      stopped = true;
      for (const waiting of queue.clear()) waiting.refuse();
      await Promise.all(threads.map((thread) => thread.end()));
    },
  };
}

type Outcome = 'done' | 'refused' | 'failed' | 'time' | 'memory';

function outcomeOf(error: unknown): Outcome {
  if (error instanceof ThreadLimitError) return error.limit;
  // The job's own answer: it did its work.
  return error instanceof ApiError ? 'done' : 'failed';
}

function countJobs(metrics: Metrics | undefined, queue: FairQueue<Waiting>) {
  const jobs = metrics?.counter('acuse_thread_jobs_total', 'Jobs of the worker threads, by outcome', [
    'job',
    'outcome',
  ]);
  const seconds = metrics?.histogram(
    'acuse_thread_job_seconds',
    'How long a job had a thread',
    DURATION_BUCKETS,
    ['job'],
  );
  metrics?.gauge('acuse_thread_jobs_waiting', 'Jobs that wait for a thread', () => queue.size);
  metrics?.gauge(
    'acuse_thread_jobs_bytes',
    'Bytes that waiting and running jobs hold',
    () => queue.heldBytes,
  );
  return (job: string, outcome: Outcome, startedMs?: number): void => {
    jobs?.inc({ job, outcome });
    if (startedMs !== undefined) seconds?.observe({ job }, (performance.now() - startedMs) / 1_000);
  };
}
