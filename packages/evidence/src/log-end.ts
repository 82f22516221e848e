/**
 * The end of a log that cannot continue after a restore: the last statement of its key, countersigned by its
 * successor.
 */
import { fromBase64, SHA256_BYTES, type Sha256, toBase64, utf8 } from './bytes.ts';
import { EvidenceError } from './errors.ts';
import { assertSigned, formatNote, parseNote, type Signer, signNote } from './note.ts';
import { formatVerifierKey, parseVerifierKey, type VerifierKey } from './verifier-key.ts';

/** Never a checkpoint's first line and never followed by a number, so neither text can pass for the other. */
const HEADER = 'acuse/log-end/v1';
const MAX_REASON_CHARS = 1000;

/** `kept`: what the log still shows. `published`: what it had shown at most. */
export type LogEnd = {
  origin: string;
  kept: { size: number; rootHash: Uint8Array };
  published: { size: number; rootHash: Uint8Array };
  endedAt: Date;
  successor: VerifierKey;
  reason: string;
};

export function signLogEnd(end: LogEnd, signers: readonly [Signer, Signer], sha256: Sha256): string {
  const text = `${[
    HEADER,
    end.origin,
    treeLine(end.kept),
    treeLine(end.published),
    end.endedAt.toISOString(),
    formatVerifierKey(end.successor),
    end.reason,
  ].join('\n')}\n`;
  const note = formatNote({ text, signatures: signers.map((signer) => signNote(text, signer, sha256)) });
  openLogEnd(note, { name: end.origin }, sha256);
  return note;
}

/**
 * `log`: the log that ended; with its key, its signature is verified too. That of the successor always is.
 * Throws EvidenceError `note` or `log_end`.
 */
export function openLogEnd(
  note: string,
  log: VerifierKey | Pick<VerifierKey, 'name'>,
  sha256: Sha256,
): LogEnd {
  const parsed = parseNote(utf8(note));
  const lines = parsed.text.split('\n');
  if (lines.pop() !== '' || lines.length !== 7 || lines[0] !== HEADER)
    throw new EvidenceError('log_end', 'is not the end of a log');
  const [, origin, kept, published, time, vkey, reason] = lines as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  if (origin !== log.name) throw new EvidenceError('log_end', 'is of another log');
  const endedAt = new Date(time);
  if (Number.isNaN(endedAt.getTime()) || endedAt.toISOString() !== time)
    throw new EvidenceError('log_end', 'the time is not valid');
  if (reason === '' || [...reason].length > MAX_REASON_CHARS)
    throw new EvidenceError('log_end', `the reason has not 1 to ${MAX_REASON_CHARS} characters`);
  const successor = parseVerifierKey(vkey, sha256);
  if ('publicKey' in log) assertSigned(parsed, log);
  assertSigned(parsed, successor);
  const end = { origin, kept: parseTree(kept), published: parseTree(published), endedAt, successor, reason };
  if (successor.name === origin) throw new EvidenceError('log_end', 'a log does not follow itself');
  return end;
}

const treeLine = ({ size, rootHash }: LogEnd['kept']) => `${size} ${toBase64(rootHash)}`;

function parseTree(line: string): LogEnd['kept'] {
  const [, size, root] = /^(0|[1-9]\d{0,15}) (\S+)$/.exec(line) ?? [];
  const rootHash = fromBase64(root ?? '');
  if (!Number.isSafeInteger(Number(size)) || rootHash?.length !== SHA256_BYTES)
    throw new EvidenceError('log_end', 'a size and its root are malformed');
  return { size: Number(size), rootHash };
}
