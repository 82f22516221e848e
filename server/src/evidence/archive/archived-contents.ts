import { MAX_OBJECT_BYTES, nameOfObject } from '@acuse/evidence/archive';
import type { ArchivePart } from '@acuse/evidence/archive-index';
import {
  monthOfId,
  type PartMessages,
  readArchiveIndex,
  readPartMessages,
} from '@acuse/evidence/archive-verify';
import { EvidenceError } from '@acuse/evidence/errors';
import { apiError } from '../../errors.ts';
import type { ArchivedContent, ArchivedContents } from '../../messages/archived-contents.ts';
import type { Db } from '../../platform/database/db.ts';
import { sha256 } from '../../platform/sha256.ts';
import { buffersOf } from '../../platform/threads/job.ts';
import type { Threads } from '../../platform/threads/threads.ts';
import { createTurns } from '../../platform/turns.ts';
import { reader } from './archive-bundle.ts';
import { type ArchivePlace, ArchiveUnreachable, archiveWithin } from './archive-place.ts';
import { archivedContentJob, type Commitment, openArchived } from './archived-content.ts';
import { findArchived } from './archived-store.ts';

/**
 * Reads contents that only an archive has: one part, some 8 MiB, held to the part's hash in the index and to
 * what the message's own leaf commits to (docs/decisions/0070).
 */
interface ArchivedContentsDeps {
  readonly db: Db;
  /** As archived_months names it. */
  open(place: string): ArchivePlace;
}

/** Parts in memory at once, of up to 112 MiB each. */
const READ_AT_ONCE = 4;
const WAITING_MAX = 64;
const RETRY_BUSY_SECONDS = 2;
/** A store that is away seldom returns sooner. */
const RETRY_AWAY_SECONDS = 30;

/** For services: uses threads. */
export function createArchivedContents(
  deps: ArchivedContentsDeps & { readonly threads: Threads },
): ArchivedContents {
  const inTurn = createTurns({
    ...{ atOnce: READ_AT_ONCE, waitingMax: WAITING_MAX },
    tooMany: () =>
      apiError(
        'unavailable',
        'Too many archived contents are being read at once. Retry after the seconds in Retry-After.',
        { retryAfterSeconds: RETRY_BUSY_SECONDS },
      ),
  });
  return readFrom(deps, (place, of, tenantId) =>
    inTurn({ holders: [tenantId] }, async () => {
      const { part, object } = await findPart(place, of.messageId);
      const order = { tenantId, bytes: object.length, handOver: buffersOf(object) };
      const found = await deps.threads.run(archivedContentJob, { part, object, of }, order);
      if (found.kind === 'damaged') throw new EvidenceError(found.check, found.detail);
      return { raw: Buffer.from(found.raw.buffer), submission: Buffer.from(found.submission.buffer) };
    }),
  );
}

/** For one command, which reads in order: the last part stays. */
export function createArchivedContentsInOrder(deps: ArchivedContentsDeps): ArchivedContents {
  let last: {
    readonly place: string;
    readonly messages: Map<string, PartMessages['messages'][number]>;
  } | null = null;
  let hash: PartMessages['sha256'] = sha256;
  return readFrom(deps, async (place, of) => {
    if (last?.place !== place.place || !last.messages.has(of.messageId)) {
      const { part, object } = await findPart(place, of.messageId);
      const read = await readPartMessages(async () => object, part, sha256);
      hash = read.sha256;
      last = { place: place.place, messages: new Map(read.messages.map((each) => [each.id, each])) };
    }
    const archived = last.messages.get(of.messageId)?.archived ?? new Map();
    const { raw, submission } = openArchived(archived, of, hash);
    return {
      raw: Buffer.from(Uint8Array.from(raw).buffer),
      submission: Buffer.from(Uint8Array.from(submission).buffer),
    };
  });
}

type ReadContent = (place: ArchivePlace, of: Commitment, tenantId: string) => Promise<ArchivedContent>;

function readFrom({ db, open }: ArchivedContentsDeps, readContent: ReadContent): ArchivedContents {
  return {
    async read(tenantId, messageId) {
      const month = monthOfId(messageId);
      const find = () => db.asTenant(tenantId, (tx) => findArchived(tx, tenantId, messageId, month));
      const known = await find();
      if (known === undefined) return null;
      if (known.place === null)
        throw new EvidenceError('archive', `no archive is known that has ${month} of this account`);
      const place = archiveWithin(open(known.place), tenantId, month);
      const content = await reaching(() => readContent(place, known, tenantId));
      // Read last, so that an erasure during the read is seen.
      return (await find()) === undefined ? null : content;
    },
  };
}

async function reaching<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ArchiveUnreachable)) throw error;
    throw apiError(
      'unavailable',
      'The content of this message is in an archive, which cannot be reached at the moment. Retry after the seconds in Retry-After.',
      { cause: error, retryAfterSeconds: RETRY_AWAY_SECONDS },
    );
  }
}

/** Tries again if the part was rewritten meanwhile. */
async function findPart(
  place: ArchivePlace,
  messageId: string,
): Promise<{ readonly part: ArchivePart; readonly object: Uint8Array }> {
  for (let missing: string | null = null; ; ) {
    const index = await readArchiveIndex(reader(place));
    const part = index?.parts.find(({ first, last }) => first <= messageId && messageId <= last);
    if (part === undefined)
      throw new EvidenceError('archive', `${place.place} does not have the message ${messageId}`);
    const found = await place.get(nameOfObject(part.sha256), MAX_OBJECT_BYTES);
    if (found !== null) return { part, object: found.bytes };
    if (missing === part.sha256)
      throw new EvidenceError('archive', `${place.place}/${nameOfObject(part.sha256)} is missing`);
    missing = part.sha256;
  }
}
