import { apiError } from '../errors.ts';
import type { Db } from '../platform/database/db.ts';
import { isId } from '../platform/ids.ts';
import { buffersOf, type Job } from '../platform/threads/job.ts';
import type { Threads } from '../platform/threads/threads.ts';
import type { ArchivedContents } from './archived-contents.ts';
import { LARGE_BYTES } from './large-bodies.ts';
import { type PartContent, type ReadParts, readPartJob, readPartsJob } from './parts-jobs.ts';
import { deletedContent } from './present.ts';
import { findContentDeletion, findRaw } from './read-store.ts';

export interface ContentDeps {
  readonly db: Db;
  readonly threads: Threads;
  readonly archived: ArchivedContents;
}

/** Throws not_found, which says when and why content was deleted; unavailable while its archive is away. */
export async function readContent(
  { db, archived }: Pick<ContentDeps, 'db' | 'archived'>,
  tenantId: string,
  messageId: string,
): Promise<{ readonly raw: Buffer; readonly archived: boolean }> {
  if (!isId(messageId)) throw apiError('not_found');
  const { raw, deletion } = await db.asTenant(tenantId, async (tx) => {
    const found = await findRaw(tx, tenantId, messageId);
    return {
      raw: found,
      deletion: found === null ? await findContentDeletion(tx, tenantId, messageId) : null,
    };
  });
  if (raw !== null) return { raw, archived: false };
  if (deletion !== null) throw deletedContent(deletion);
  const found = await archived.read(tenantId, messageId);
  if (found === null) throw apiError('not_found');
  return { raw: found.raw, archived: true };
}

export async function readParts(deps: ContentDeps, tenantId: string, messageId: string): Promise<ReadParts> {
  const { raw } = await readContent(deps, tenantId, messageId);
  return runAnywhere(deps.threads, readPartsJob, raw, { tenantId, raw });
}

const INDEX = /^(?:0|[1-9]\d{0,3})$/;

/** `index`: from the path. Throws not_found, unavailable. */
export async function readPart(
  deps: ContentDeps,
  tenantId: string,
  messageId: string,
  index: string,
): Promise<PartContent> {
  if (!INDEX.test(index)) throw apiError('not_found');
  const { raw } = await readContent(deps, tenantId, messageId);
  const input = { raw, index: Number(index) };
  const part = await runAnywhere(deps.threads, readPartJob, input, { tenantId, raw });
  if (part === null) throw apiError('not_found', 'The message has no part of this index: list them first.');
  return part;
}

/** In a thread if large; the bytes are transferred. */
export async function runAnywhere<I, O>(
  threads: Threads,
  job: Job<I, O>,
  input: I,
  { tenantId, raw }: { tenantId: string; raw: Buffer },
): Promise<O> {
  if (raw.length < LARGE_BYTES) return job.run(input);
  return threads.run(job, input, { tenantId, bytes: raw.length, handOver: buffersOf(raw) });
}
