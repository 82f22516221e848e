import { apiError } from '../../errors.ts';
import { type Db, openDb } from '../../platform/database/db.ts';
import { isUnavailable } from '../../platform/database/failures.ts';
import type { Job } from '../../platform/threads/job.ts';
import { type CheckedPage, checkPage, type Page } from './fsck-page.ts';

/**
 * A page of messages with 50 MiB each is read in many statements, each of which has its own limit: this one
 * is for a thread that hangs (ms).
 */
const JOB_LIMIT_MS = 3_600_000;

export interface PageInput {
  readonly connectionString: string;
  readonly page: Page;
}

/** Reads a page and checks it, over a connection that the thread keeps. */
export const checkPageJob: Job<PageInput, CheckedPage> = {
  name: 'fsck-page',
  limitMs: JOB_LIMIT_MS,
  async run({ connectionString, page }) {
    try {
      return await checkPage(await connected(connectionString), page);
    } catch (error) {
      // Where it went wrong, only the words of an error are known.
      if (isUnavailable(error)) throw apiError('unavailable', (error as Error).message);
      throw error;
    }
  },
  handedOver: ({ leaves }) => [leaves.indexes.buffer, leaves.treeSizes.buffer, leaves.hashes.buffer],
};

/** The thread's, closed when it ends. */
let open: { readonly connectionString: string; readonly db: Db } | undefined;

async function connected(connectionString: string): Promise<Db> {
  if (open?.connectionString !== connectionString) {
    await open?.db.close();
    open = { connectionString, db: openDb({ connectionString, poolSize: 1, applicationName: 'acuse:fsck' }) };
  }
  return open.db;
}
