/**
 * Asks a log for the present number of a message's outcomes. Canonical hashes are public and counts are not,
 * so that only holders of the manifest can ask.
 */
import { concat, type Sha256, toHex, utf8 } from './bytes.ts';
import { EvidenceError } from './errors.ts';
import { openLogEnd } from './log-end.ts';
import type { VerifyMldsa44 } from './mldsa44.ts';
import { assertCountedMldsa44, type OutcomesNote, openOutcomes, outcomesOrigin } from './outcomes-note.ts';
import type { PinnedKey } from './policy.ts';
import type { VerifierKey } from './verifier-key.ts';
import { requiredOfCounter } from './verify-mldsa44.ts';

/** Hex; `GET <log>/m/<hex canonical hash>/<this>`. */
export function askKey(manifest: Uint8Array, sha256: Sha256): string {
  return toHex(sha256(concat(utf8('acuse/ask/v1\n'), manifest)));
}

/** Below the log's URL prefix. */
export function askPath(manifest: Uint8Array, sha256: Sha256): string {
  return `m/${toHex(sha256(manifest))}/${askKey(manifest, sha256)}`;
}

/** `second`: ML-DSA-44 keys, which must have signed too while they are trusted. */
export type Asked = {
  log: string;
  manifest: Uint8Array;
  keys: readonly VerifierKey[];
  second?: { mldsa44Keys: readonly PinnedKey[]; mldsa44: VerifyMldsa44 };
};

/**
 * The log's answer. `end`: its signed end, if it has one: then its successor answers. Throws EvidenceError
 * unless a key of either signed it for this message.
 */
export function openAnswer(
  note: Uint8Array,
  { log, manifest, keys, second }: Asked,
  end: string | null,
  sha256: Sha256,
): OutcomesNote & { key: VerifierKey } {
  const successors = keys.flatMap((key) => {
    try {
      return end === null ? [] : [openLogEnd(end, key, sha256).successor];
    } catch (error) {
      if (!(error instanceof EvidenceError)) throw error;
      return [];
    }
  });
  const origin = outcomesOrigin(log, toHex(sha256(manifest)));
  const opened = openOutcomes(note, origin, [...keys, ...successors], sha256);
  const at = new Date(opened.asOf * 1000);
  if (second !== undefined)
    for (const key of requiredOfCounter(second, log, opened.key.name, at))
      assertCountedMldsa44(opened.note, opened.asOf, key, second.mldsa44);
  return opened;
}
