/** One file that proves an entry to be in a log, offline. C2SP tlog-proof */
import { decodeUtf8, fromBase64, SHA256_BYTES, toBase64 } from './bytes.ts';
import { EvidenceError } from './errors.ts';
import { MAX_PATH_HASHES } from './merkle.ts';
import { MAX_NOTE_BYTES } from './note.ts';

const HEADER = 'c2sp.org/tlog-proof@v1';
const MAX_PROOF_BYTES = MAX_NOTE_BYTES + 64 * 1024;

/**
 * `checkpointNote`: the signed checkpoint verbatim, with any cosignatures. `extra`: unauthenticated, which
 * ours never has.
 */
export type TlogProof = {
  index: number;
  path: readonly Uint8Array[];
  checkpointNote: string;
  extra?: Uint8Array;
};

export function formatTlogProof({ index, path, checkpointNote, extra }: TlogProof): string {
  const lines = [HEADER];
  if (extra !== undefined) lines.push(`extra ${toBase64(extra)}`);
  lines.push(`index ${index}`, ...path.map(toBase64));
  return `${lines.join('\n')}\n\n${checkpointNote}`;
}

/** Throws EvidenceError `proof` for any other format; verifies neither the path nor the checkpoint. */
export function parseTlogProof(bytes: Uint8Array): TlogProof {
  const text = bytes.length > MAX_PROOF_BYTES ? undefined : decodeUtf8(bytes);
  if (text === undefined) throw new EvidenceError('proof', 'not UTF-8, or too large');
  const split = text.indexOf('\n\n');
  if (split < 0) throw new EvidenceError('proof', 'has no checkpoint');
  const lines = text.slice(0, split).split('\n');
  if (lines.shift() !== HEADER) throw new EvidenceError('proof', `does not start with ${HEADER}`);
  const extra = lines[0]?.startsWith('extra ') ? fromBase64(lines.shift()!.slice('extra '.length)) : null;
  if (extra === undefined) throw new EvidenceError('proof', 'the extra data is not base64');
  const index = /^index (0|[1-9]\d{0,15})$/.exec(lines.shift() ?? '')?.[1];
  if (index === undefined || !Number.isSafeInteger(Number(index)))
    throw new EvidenceError('proof', 'the index is not a number');
  if (lines.length > MAX_PATH_HASHES) throw new EvidenceError('proof', 'the path is too long');
  const proof = { index: Number(index), path: lines.map(parseHash), checkpointNote: text.slice(split + 2) };
  return extra === null ? proof : { ...proof, extra };
}

function parseHash(line: string): Uint8Array {
  const hash = fromBase64(line);
  if (hash?.length !== SHA256_BYTES) throw new EvidenceError('proof', 'a line of the path is not a hash');
  return hash;
}
