import { equalBytes } from '@acuse/evidence/bytes';
import type { Static } from 'typebox';
import { apiError } from '../../errors.ts';
import type { Db } from '../../platform/database/db.ts';
import { isId, newId } from '../../platform/ids.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { CountDeps } from './count-outcomes.ts';
import { type Evidence, readEvidence, requireSealed } from './evidence.ts';
import { findMessageProof, readMessageLeaves } from './evidence-store.ts';
import { findMessageStamp, insertMessageStamp } from './seal-store.ts';
import { createStampOnce, type StampOnceDeps } from './stamp-once.ts';

/** A constancia over one message's canonical hash. Concurrent and repeated requests share one. */
export type SealDeps = CountDeps & StampOnceDeps;

type SealMessage = (tenantId: string, messageId: string) => Promise<Static<typeof Evidence>>;

/**
 * Throws not_found, not_certified, missing_proof_data; unavailable, with nothing stored, if no authority
 * answers.
 */
export function createSealMessage(deps: SealDeps): SealMessage {
  const stampOnce = createStampOnce(deps);
  return async (tenantId, messageId) => {
    const imprint = await requireSealable(deps.db, tenantId, messageId);
    await stampOnce({
      ...{ tenantId, messageId, imprint },
      find: () => findMessageStamp(deps.db, tenantId, messageId),
      store: (tx, stamp) => insertMessageStamp(tx, { tenantId, messageId, stampId: newId(), ...stamp }),
    });
    return readEvidence(deps, tenantId, messageId);
  };
}

async function requireSealable(db: Db, tenantId: string, messageId: string): Promise<Uint8Array> {
  return db.asTenant(tenantId, async (tx) => {
    const known = isId(messageId) ? await findMessageProof(tx, tenantId, messageId) : undefined;
    if (known?.certified === false)
      throw apiError(
        'not_certified',
        'The message was sent with certified=false: it can never be sealed. Send it again with certified=true.',
      );
    const { canonicalHash } = await requireSealed(tx, tenantId, messageId);
    const [own] = await readMessageLeaves(tx, tenantId, messageId);
    // Paid once and kept for ten years: make sure that the manifest matches.
    if (own === undefined || !equalBytes(sha256(own.manifest), canonicalHash))
      throw new Error(`message ${messageId}: the hash of its manifest is not its leaf; acuse fsck says more`);
    return canonicalHash;
  });
}
