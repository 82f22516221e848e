import { apiError } from '../../errors.ts';
import { type Db, openDb } from '../../platform/database/db.ts';
import { isUnavailable } from '../../platform/database/failures.ts';
import type { Job } from '../../platform/threads/job.ts';
import { type CheckedPage, checkPage, type Page } from './fsck-page.ts';

/** Time-out of a hanging thread (ms): a page of 50 MiB messages takes many statements. */
const JOB_LIMIT_MS = 3_600_000;

interface PageInput {
  readonly connectionString: string;
  readonly page: Page;
}

export const checkPageJob: Job<PageInput, CheckedPage> = {
  name: 'fsck-page',
  limitMs: JOB_LIMIT_MS,
  async run({ connectionString, page }) {
    try {
      return await checkPage(await connected(connectionString), page);
    } catch (error) {
      // Only an error's text crosses threads.
      if (isUnavailable(error)) throw apiError('unavailable', (error as Error).message);
      throw error;
    }
  },
  handedOver: ({ leaves }) => [leaves.indexes.buffer, leaves.treeSizes.buffer, leaves.hashes.buffer],
};

let open: { readonly connectionString: string; readonly db: Db } | undefined;

async function connected(connectionString: string): Promise<Db> {
  if (open?.connectionString !== connectionString) {
    await open?.db.close();
    open = { connectionString, db: openDb({ connectionString, poolSize: 1, applicationName: 'acuse:fsck' }) };
  }
  return open.db;
}
