import { createThread, type OneThread } from '../../platform/threads/one-thread.ts';
import { findProgram } from '../../platform/threads/program.ts';
import type { CheckedPage, Page } from './fsck-page.ts';
import { checkPageJob } from './fsck-page-job.ts';

export interface Pages {
  /** Pages worth prefetching. */
  readonly ahead: number;
  check(page: Page): Promise<CheckedPage>;
}

/** Threads with a connection each. */
interface PageThreads extends Pages {
  stop(): Promise<void>;
}

interface PageThreadsOptions {
  readonly connectionString: string;
  readonly threads: number;
  /** Environment for the connection: PGPASSWORD, certificate paths. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Fits a page of rows and a message of 64 MiB as text (MiB). */
const HEAP_MIB = 512;
/** Results wait in order while threads continue. */
const AHEAD_PER_THREAD = 2;

export function createPageThreads(options: PageThreadsOptions): PageThreads {
  const { threads: count, env } = options;
  const threads = Array.from({ length: count }, () =>
    createThread({ program: () => findProgram('acuse-fsck-thread'), heapMib: HEAP_MIB, env }),
  );
  const idle = [...threads];
  const waiting: ((thread: OneThread) => void)[] = [];

  function take(): Promise<OneThread> {
    const thread = idle.pop();
    return thread === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(thread);
  }

  function release(thread: OneThread): void {
    const next = waiting.shift();
    if (next === undefined) idle.push(thread);
    else next(thread);
  }

  return {
    ahead: count * AHEAD_PER_THREAD,
    async check(page) {
      const thread = await take();
      try {
        return await thread.run(checkPageJob, { connectionString: options.connectionString, page }, []);
      } finally {
        release(thread);
      }
    },
    async stop() {
      await Promise.all(threads.map((thread) => thread.end()));
    },
  };
}
