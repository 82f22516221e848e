import { Worker } from 'node:worker_threads';
import { ApiError, type ApiErrorCode } from '../../errors.ts';
import { type Job, type Order, type Report, ThreadLimitError } from './job.ts';

interface ThreadOptions {
  program(): string;
  readonly heapMib: number;
  /** Environment variables that it sees; default none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** One worker thread, one job at a time: started by the first, ended by a job beyond its limits. */
export interface OneThread {
  readonly busy: boolean;
  run<I, O>(job: Job<I, O>, input: I, handOver: readonly ArrayBuffer[]): Promise<O>;
  end(): Promise<void>;
}

const START_LIMIT_MS = 30_000;

export function createThread(options: ThreadOptions): OneThread {
  let worker: Worker | null = null;
  let busy = false;
  let waiting: { resolve(report: Report): void; reject(error: Error): void } | null = null;
  let about = 'its start';

  async function end(): Promise<void> {
    const ended = worker;
    worker = null;
    waiting?.reject(new Error(`the thread was ended during ${about}`));
    await ended?.terminate();
  }

  function start(): Worker {
    const made = new Worker(options.program(), {
      // Jobs need no settings, unless they connect as the process does.
      env: options.env ?? {},
      resourceLimits: { maxOldGenerationSizeMb: options.heapMib },
    });
    const lost = (error: Error) => {
      if (worker !== made) return;
      worker = null;
      waiting?.reject(error);
    };
    made.on('message', (report: Report) => waiting?.resolve(report));
    made.on('messageerror', lost);
    made.on('error', (error) => lost(lossOf(about, error as Error)));
    made.on('exit', (code) => lost(new Error(`the thread ended with ${code} during ${about}`)));
    // After the listeners: each of them refs the thread again.
    made.unref();
    worker = made;
    return made;
  }

  /** Throws when the thread ends, or says nothing for too long: then it is replaced. */
  async function hear(name: string, limitMs: number, ask?: () => void): Promise<Report> {
    about = name;
    let late: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Report>((resolve, reject) => {
        waiting = { resolve, reject };
        late = setTimeout(() => reject(new ThreadLimitError(name, 'time')), limitMs);
        ask?.();
      });
    } catch (error) {
      await end();
      throw error;
    } finally {
      clearTimeout(late);
      waiting = null;
    }
  }

  return {
    get busy() {
      return busy;
    },
    end,
    async run<I, O>(job: Job<I, O>, input: I, handOver: readonly ArrayBuffer[]): Promise<O> {
      busy = true;
      try {
        if (worker === null) {
          start();
          await hear('its start', START_LIMIT_MS);
        }
        const order: Order = { job: job.name, input };
        const report = await hear(job.name, job.limitMs, () =>
          worker!.postMessage(order, handOver as ArrayBuffer[]),
        );
        return outputOf(job, report);
      } finally {
        busy = false;
      }
    },
  };
}

function outputOf<I, O>(job: Job<I, O>, report: Report): O {
  switch (report.kind) {
    case 'done':
      return report.output as O;
    case 'refused':
      throw refusal(report);
    case 'failed':
      throw Object.assign(new Error(`${job.name}: ${report.message}`), { stack: report.stack });
    case 'ready':
      throw new Error(`the thread answered ${job.name} with its start`);
  }
}

function lossOf(about: string, error: Error): Error {
  if ((error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new ThreadLimitError(about, 'memory');
  return new Error(`the thread was lost during ${about}`, { cause: error });
}

function refusal({ code, text, retryAfterSeconds }: Report & { kind: 'refused' }): ApiError {
  return new ApiError(
    code as ApiErrorCode,
    text,
    retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
  );
}
