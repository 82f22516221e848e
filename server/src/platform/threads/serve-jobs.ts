import { parentPort } from 'node:worker_threads';
import { ApiError } from '../../errors.ts';
import type { Job, Order, Report } from './job.ts';

// biome-ignore lint/suspicious/noExplicitAny: jobs of every input and output
type AnyJob = Job<any, any>;

/** The side of a thread: does one job after the other, and says how each ended. */
export function serveJobs(jobs: readonly AnyJob[]): void {
  const byName = new Map(jobs.map((job) => [job.name, job]));
  if (byName.size !== jobs.length) throw new Error('two jobs have one name');
  const port = parentPort!;
  const tell = (report: Report, handOver: readonly ArrayBuffer[] = []) =>
    port.postMessage(report, handOver as ArrayBuffer[]);
  port.on('message', ({ job: name, input }: Order) => {
    const job = byName.get(name);
    if (job === undefined)
      return tell({ kind: 'failed', message: 'unknown to the thread', stack: undefined });
    perform(job, input).then(
      (output) => tell({ kind: 'done', output }, job.handedOver?.(output)),
      (error) => tell(reportOf(error)),
    );
  });
  tell({ kind: 'ready' });
}

async function perform(job: AnyJob, input: unknown): Promise<unknown> {
  return job.run(input);
}

function reportOf(error: unknown): Report {
  if (error instanceof ApiError) {
    const { code, message, command, retryAfterSeconds } = error;
    return { kind: 'refused', code, text: { message, command }, retryAfterSeconds };
  }
  return error instanceof Error
    ? { kind: 'failed', message: error.message, stack: error.stack }
    : { kind: 'failed', message: String(error), stack: undefined };
}
