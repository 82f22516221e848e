import { askKey } from '@acuse/evidence/ask';
import { equalBytes, fromHex, utf8 } from '@acuse/evidence/bytes';
import { Type } from 'typebox';
import { apiError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import type { App } from '../../platform/http/http.ts';
import { sha256 } from '../../platform/sha256.ts';
import { answer, NOTE_TYPE } from '../log/served-log.ts';
import { type CountDeps, countOutcomes, readLogKey } from './count-outcomes.ts';
import { findPublishedMessage, readMessageLeaves } from './evidence-store.ts';
import { findMessageStamp } from './seal-store.ts';

interface AskDeps extends CountDeps {
  readonly db: Db;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * The signed count of a message's outcomes, for holders of its manifest: exposes a bundle that omits a
 * bounce. Unknown messages and wrong keys get the same answer, because canonical hashes are public. For
 * verifiers: docs/evidence-format.md.
 */
export function askRoutes(app: App, deps: AskDeps): void {
  const params = Type.Object({ hash: Type.String(), key: Type.String() });
  app.get('/log/m/:hash/:key', { schema: { hide: true, params } }, async (request, reply) => {
    const { hash, key } = request.params;
    const now = deps.clock.now();
    const canonicalHash = /^[0-9a-f]{64}$/.test(hash) ? fromHex(hash) : undefined;
    // In a transaction, for its barrier.
    const note =
      canonicalHash && (await deps.db.transact((tx) => count(tx, { ...deps, now }, canonicalHash, key)));
    if (note === undefined) throw apiError('not_found', 'No such message in the log, or not with this key.');
    return answer(reply, 'private, no-store', NOTE_TYPE, note);
  });
}

async function count(
  tx: Tx,
  deps: AskDeps & { readonly now: Date },
  canonicalHash: Uint8Array,
  key: string,
): Promise<string | undefined> {
  const found = await findPublishedMessage(tx, canonicalHash);
  if (found === undefined || !equalBytes(utf8(askKey(found.manifest, sha256)), utf8(key))) return undefined;
  const { tenantId, messageId, logId } = found;
  const [leaves, own, log] = await Promise.all([
    readMessageLeaves(tx, tenantId, messageId),
    findMessageStamp(tx, tenantId, messageId),
    readLogKey(tx, deps.log, logId),
  ]);
  const counting = { now: deps.now, logId, canonicalHash, leaves, ownStampAt: own?.genTime, ...log };
  return (await countOutcomes(deps, counting))?.note;
}
