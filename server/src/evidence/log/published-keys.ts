import { toHex } from '@acuse/evidence/bytes';
import type { PinnedKey } from '@acuse/evidence/policy';
import { formatVerifierKey, type VerifierKey, verifierKey } from '@acuse/evidence/verifier-key';
import { sha256 } from '../../platform/sha256.ts';
import type { LogRow } from './log-store.ts';
import { pinnedSecondKey } from './second-key.ts';

/** The keys that a log signs with, or signed with until it ended. */
export interface LogKeys {
  readonly key: VerifierKey;
  readonly second: PinnedKey | null;
}

export type LogKeyColumns = Pick<LogRow, 'origin' | 'publicKey' | 'mldsa44PublicKey' | 'mldsa44From'>;

export function logKeysOf(row: LogKeyColumns): LogKeys {
  return { key: verifierKey(row.origin, row.publicKey, sha256), second: pinnedSecondKey(row) };
}

/** A line for each, the Ed25519 key first. */
export function publishedKeys({ key, second }: LogKeys): string {
  return [key, ...(second === null ? [] : [second])].map((each) => `${formatVerifierKey(each)}\n`).join('');
}

/** `from`: time-stamped checkpoints must have its signature from then on; null: always. */
export interface PresentedKey {
  readonly algorithm: 'Ed25519' | 'ML-DSA-44';
  readonly id: string;
  readonly key: string;
  readonly from: string | null;
}

export function presentKeys({ key, second }: LogKeys): PresentedKey[] {
  const present = (
    each: VerifierKey,
    algorithm: PresentedKey['algorithm'],
    from: string | null,
  ): PresentedKey => ({
    algorithm,
    id: toHex(each.keyId),
    key: formatVerifierKey(each),
    from,
  });
  return [
    present(key, 'Ed25519', null),
    ...(second === null ? [] : [present(second, 'ML-DSA-44', second.from ?? null)]),
  ];
}

/** In one sentence. A key of ML-DSA-44 has 1.8 kB: its id stands for it. */
export function describeKeys(keys: LogKeys): string {
  const [first, second] = presentKeys(keys);
  const signs = `It signs with Ed25519, ${first!.key}`;
  if (second === undefined) return `${signs}.`;
  return `${signs}, and with ML-DSA-44, key id ${second.id}, which is required of what is time-stamped from ${second.from}; /log/key has both in full.`;
}
