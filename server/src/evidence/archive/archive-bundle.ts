import { bundleFromArchive } from '@acuse/evidence/archive';
import {
  type ReadObject,
  readArchivedRenewals,
  readArchiveIndex,
  readPartMessages,
} from '@acuse/evidence/archive-verify';
import type { Bundle } from '@acuse/evidence/bundle';
import { sha256 } from '../../platform/sha256.ts';
import type { ArchivePlace } from './archive-place.ts';

export const reader =
  (place: ArchivePlace): ReadObject =>
  async (name, maxBytes) =>
    (await place.get(name, maxBytes))?.bytes ?? null;

/**
 * A message's bundle, put together: of parts, one is read. 'no_archive', 'no_message'. Throws EvidenceError
 * for objects that are not what the index says, ArchiveUnreachable.
 */
export async function readArchivedBundle(
  place: ArchivePlace,
  messageId: string,
): Promise<Bundle | 'no_archive' | 'no_message'> {
  const read = reader(place);
  const index = await readArchiveIndex(read);
  if (index === undefined) return 'no_archive';
  const part = index.parts.find(({ first, last }) => first <= messageId && messageId <= last);
  if (part === undefined) return 'no_message';
  const { messages, sha256: hash } = await readPartMessages(read, part, sha256);
  const found = messages.find(({ id }) => id === messageId);
  if (found === undefined) return 'no_message';
  return bundleFromArchive(found.archived, await readArchivedRenewals(read, index, sha256), hash);
}
