import { equalBytes } from '@acuse/evidence/bytes';
import { assertCosigned } from '@acuse/evidence/cosignature';
import { EvidenceError } from '@acuse/evidence/errors';
import { formatNote, type Note } from '@acuse/evidence/note';
import type { VerifierKey } from '@acuse/evidence/verifier-key';
import { countOperators } from '@acuse/evidence/witness';
import { ed25519 } from '../../platform/ed25519.ts';
import type { Alerts } from './alert.ts';
import type { MonitorState } from './state.ts';

export interface WitnessDeps {
  readonly keys: readonly VerifierKey[];
  readonly quorum: number;
  readonly withinMs: number;
  readonly now: Date;
}

/** Returns the number of unknown signatures. */
export function checkWitnesses(
  { keys, quorum, withinMs, now }: WitnessDeps,
  state: MonitorState,
  note: Note,
  size: number,
  alerts: Alerts,
): number {
  let cosigned = 0;
  for (const key of keys) {
    if (!note.signatures.some(({ name, keyId }) => name === key.name && equalBytes(keyId, key.keyId)))
      continue;
    try {
      const witnessedAt = new Date(assertCosigned(note, key, ed25519) * 1000).toISOString();
      cosigned++;
      state.witnesses = [
        ...state.witnesses.filter(({ name }) => name !== key.name),
        { name: key.name, size, witnessedAt },
      ];
    } catch (error) {
      // A time out of range counts as a false signature.
      if (!(error instanceof EvidenceError || error instanceof RangeError)) throw error;
      alerts.add('cosignature', `${key.name} under the checkpoint of ${size} leaves: ${error.message}`, [
        formatNote(note),
      ]);
    }
  }
  // A young checkpoint may lack cosignatures: a recent one suffices.
  const follows = ({ size: last, witnessedAt }: MonitorState['witnesses'][number]) =>
    last === size || now.getTime() - Date.parse(witnessedAt) <= withinMs;
  const known = new Set(keys.map(({ name }) => name));
  const following = countOperators(
    state.witnesses.filter((witness) => known.has(witness.name) && follows(witness)),
  );
  if (following >= quorum) state.unwitnessedSince = null;
  else state.unwitnessedSince ??= now.toISOString();
  if (state.unwitnessedSince !== null && now.getTime() - Date.parse(state.unwitnessedSince) > withinMs)
    alerts.add(
      'witness_quorum',
      `${following} of ${quorum} witnesses follow the log; fewer than that since ${state.unwitnessedSince}`,
    );
  return note.signatures.length - 1 - cosigned;
}
