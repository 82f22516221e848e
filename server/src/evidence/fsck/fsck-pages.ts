import { createThread, type OneThread } from '../../platform/threads/one-thread.ts';
import { findProgram } from '../../platform/threads/program.ts';
import type { CheckedPage, Page } from './fsck-page.ts';
import { checkPageJob } from './fsck-page-job.ts';

/** Who checks the pages of a log. */
export interface Pages {
  /** Pages worth asking for before the first is done. */
  readonly ahead: number;
  check(page: Page): Promise<CheckedPage>;
}

/** Threads that check pages, each over a connection of its own. */
export interface PageThreads extends Pages {
  /** Ends them, and what they are at. */
  stop(): Promise<void>;
}

export interface PageThreadsOptions {
  readonly connectionString: string;
  readonly threads: number;
  /** What the connection is made with in addition: PGPASSWORD, a certificate's place. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Heap of a thread (MiB): a page of rows, and one message of 64 MiB as text. */
const HEAP_MIB = 512;
/** Results wait for those before them, in a fiftieth of what their rows took, while threads go on. */
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
