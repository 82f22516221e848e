import { randomBytes } from 'node:crypto';
import { equalBytes } from '@acuse/evidence/bytes';
import { loadMldsa44, MLDSA44_SEED_BYTES } from '@acuse/evidence/mldsa44';
import type { Signer } from '@acuse/evidence/note';
import type { PinnedKey } from '@acuse/evidence/policy';
import { MLDSA44, verifierKey } from '@acuse/evidence/verifier-key';
import type { SecretBox } from '../../platform/secrets.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { NewSecondKey, SecondKeyColumns } from './second-key-store.ts';
import { secretContext } from './secret-context.ts';

/** A log's ML-DSA-44 key, which signs checkpoints and counts of outcomes in addition to its Ed25519 key. */
export interface SecondKey {
  readonly key: PinnedKey;
  readonly signer: Signer;
}

/** Allowance for an authority's clock: stamps from before the key was added have one signature (ms). */
const CLOCKS_APART_MS = 5 * 60_000;

type SecondKeyRow = SecondKeyColumns & { readonly logId: string; readonly origin: string };

export function pinnedSecondKey(row: Omit<SecondKeyRow, 'logId' | 'mldsa44SeedSealed'>): PinnedKey | null {
  if (row.mldsa44PublicKey === null || row.mldsa44From === null) return null;
  return {
    ...verifierKey(row.origin, row.mldsa44PublicKey, sha256, MLDSA44),
    from: row.mldsa44From.toISOString(),
  };
}

/** Null: the log has no second key. Throws if the sealed seed does not match the public key. */
export async function openSecondKey(row: SecondKeyRow, secrets: SecretBox): Promise<SecondKey | null> {
  const key = pinnedSecondKey(row);
  if (key === null || row.mldsa44SeedSealed === null) return null;
  const { keyOf } = await loadMldsa44();
  const { publicKey, sign } = keyOf(secrets.open(row.mldsa44SeedSealed, secretContext(row.logId)));
  if (!equalBytes(publicKey, key.publicKey))
    throw new Error(`log ${row.origin}: its ML-DSA-44 seed is not the one of its public key`);
  return { key, signer: { name: row.origin, publicKey, sign } };
}

export async function generateSecondKey(logId: string, now: Date, secrets: SecretBox): Promise<NewSecondKey> {
  const seed = randomBytes(MLDSA44_SEED_BYTES);
  const { publicKey } = (await loadMldsa44()).keyOf(seed);
  return {
    logId,
    mldsa44PublicKey: publicKey,
    mldsa44SeedSealed: secrets.seal(seed, secretContext(logId)),
    mldsa44From: new Date(now.getTime() + CLOCKS_APART_MS),
  };
}
