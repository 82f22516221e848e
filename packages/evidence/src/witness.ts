/**
 * The protocol between a log and its witnesses: what is asked, what is answered, and when a witness may sign.
 * C2SP tlog-witness
 */
import { decodeUtf8, equalBytes, fromBase64, SHA256_BYTES, type Sha256, toBase64, utf8 } from './bytes.ts';
import { type Checkpoint, openCheckpoint, parseCheckpointText } from './checkpoint.ts';
import { assertCosigned } from './cosignature.ts';
import { EvidenceError } from './errors.ts';
import { assertConsistency, emptyRoot } from './merkle.ts';
import { formatNote, MAX_NOTE_BYTES, type Note, type NoteSignature, parseNote } from './note.ts';
import type { VerifierKey, VerifyEd25519 } from './verifier-key.ts';

/** Lines of a consistency proof that a client may send. C2SP tlog-witness, "add-checkpoint" */
const MAX_PROOF_LINES = 63;
/** A request with the longest proof and the largest note; a witness reads no more. */
export const MAX_ADD_CHECKPOINT_BYTES = MAX_NOTE_BYTES + 4 * 1024;
/** Cosignatures by a handful of keys; a log reads no more of an answer. */
export const MAX_COSIGNATURES_BYTES = 16 * 1024;

/** Media type of the 409 that says which size the witness has. */
export const TREE_SIZE_TYPE = 'text/x.tlog.size';

/** `path`: from the tree of `oldSize` to the checkpoint's. `note`: the signed checkpoint. */
export type AddCheckpoint = { oldSize: number; path: readonly Uint8Array[]; note: string };

/** The body of `POST <prefix>/add-checkpoint`. */
export function formatAddCheckpoint({ oldSize, path, note }: AddCheckpoint): string {
  return [`old ${oldSize}`, ...path.map(toBase64), '', note].join('\n');
}

/** Throws EvidenceError `add_checkpoint`; the note is not read yet. */
export function parseAddCheckpoint(body: Uint8Array): AddCheckpoint {
  const check = 'add_checkpoint';
  const text = body.length > MAX_ADD_CHECKPOINT_BYTES ? undefined : decodeUtf8(body);
  if (text === undefined) throw new EvidenceError(check, 'not UTF-8, or too large');
  const split = text.indexOf('\n\n');
  if (split < 0) throw new EvidenceError(check, 'has no checkpoint');
  const [oldLine = '', ...lines] = text.slice(0, split).split('\n');
  const oldSize = readSize(/^old (.+)$/.exec(oldLine)?.[1] ?? '');
  if (oldSize === undefined) throw new EvidenceError(check, 'does not start with the old size');
  if (lines.length > MAX_PROOF_LINES) throw new EvidenceError(check, 'the proof is too long');
  const path = lines.map((line) => {
    const hash = fromBase64(line);
    if (hash?.length !== SHA256_BYTES) throw new EvidenceError(check, 'a line of the proof is not a hash');
    return hash;
  });
  return { oldSize, path, note: text.slice(split + 2) };
}

/** The size in the body of a 409; undefined if there is none. */
export function readTreeSize(body: Uint8Array): number | undefined {
  return readSize(/^(.+)\n$/.exec(decodeUtf8(body.subarray(0, 32)) ?? '')?.[1] ?? '');
}

function readSize(text: string): number | undefined {
  return /^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
}

/** A witness's state of a log: the last checkpoint that it cosigned. */
export type Witnessed = { size: number; rootHash: Uint8Array };

/**
 * `cosign`: keep `checkpoint` as the last one, durably, and only then answer with a signature of `note`,
 * whose signatures are the log's. `conflict`: answer `size`. The others are refusals with the status that the
 * specification wants. `forked`: the log signed two trees of this size.
 */
export type WitnessDecision =
  | { kind: 'cosign'; checkpoint: Checkpoint; note: Note }
  | { kind: 'conflict'; size: number; forked: Checkpoint | null }
  | { kind: 'refused'; status: 400 | 403 | 404 | 422; reason: string; forked?: Checkpoint };

/**
 * Decides if a witness may sign this. `knownOf`: null for a log that was never cosigned, undefined for one
 * that is not witnessed.
 */
export function decideCosignature(
  request: AddCheckpoint,
  keys: readonly VerifierKey[],
  knownOf: (origin: string) => Witnessed | null | undefined,
  sha256: Sha256,
  ed25519?: VerifyEd25519,
): WitnessDecision {
  let note: Note;
  let stated: Checkpoint;
  try {
    note = parseNote(utf8(request.note));
    stated = parseCheckpointText(note.text);
  } catch (error) {
    return refused(400, error);
  }
  const known = knownOf(stated.origin);
  const logKeys = keys.filter(({ name }) => name === stated.origin);
  if (known === undefined || logKeys.length === 0)
    return { kind: 'refused', status: 404, reason: 'the log is not witnessed here' };
  try {
    openCheckpoint(request.note, logKeys, ed25519);
  } catch (error) {
    return refused(403, error);
  }
  if (request.oldSize > stated.size)
    return { kind: 'refused', status: 400, reason: 'the old size is larger than the checkpoint' };
  const last = known ?? { size: 0, rootHash: emptyRoot(sha256) };
  const { size, rootHash } = stated;
  const forked = size === last.size && !equalBytes(rootHash, last.rootHash) ? stated : null;
  if (request.oldSize !== last.size) return { kind: 'conflict', size: last.size, forked };
  if (forked !== null)
    return { kind: 'refused', status: 422, reason: `another root over ${size} leaves`, forked };
  try {
    assertConsistency(
      { oldSize: last.size, oldRoot: last.rootHash, newSize: size, newRoot: rootHash, path: request.path },
      sha256,
    );
  } catch (error) {
    return refused(422, error);
  }
  const signatures = note.signatures.filter(({ name, keyId }) =>
    logKeys.some((key) => key.name === name && equalBytes(key.keyId, keyId)),
  );
  return { kind: 'cosign', checkpoint: stated, note: { text: note.text, signatures } };
}

function refused(status: 400 | 403 | 422, error: unknown): WitnessDecision {
  if (!(error instanceof EvidenceError)) throw error;
  return { kind: 'refused', status, reason: error.message };
}

/**
 * The cosignature of this witness out of an answer to add-checkpoint, verified over the checkpoint that was
 * sent, and the time it states (Unix seconds). Throws EvidenceError `note` or `cosignature`. Lines of other
 * keys are passed over, as the specification demands.
 */
export function readCosignature(
  body: Uint8Array,
  checkpointText: string,
  witness: VerifierKey,
): { line: NoteSignature; unixSeconds: number } {
  const lines = decodeUtf8(body);
  if (lines === undefined || body.length > MAX_COSIGNATURES_BYTES)
    throw new EvidenceError('note', 'the cosignatures are not UTF-8, or too many');
  if (/^\n|\n\n/.test(lines)) throw new EvidenceError('note', 'the answer has more than signature lines');
  const { signatures } = parseNote(utf8(`${formatNote({ text: 'x\n', signatures: [] })}${lines}`));
  const note: Note = { text: checkpointText, signatures };
  const unixSeconds = assertCosigned(note, witness);
  const line = signatures.find(
    ({ name, keyId }) => name === witness.name && equalBytes(keyId, witness.keyId),
  );
  if (line === undefined) throw new EvidenceError('cosignature', 'no cosignature by this witness');
  return { line, unixSeconds };
}

/**
 * The operator of a witness: the host that its name begins with. Names are URLs without a scheme. C2SP
 * tlog-cosignature
 */
export function operatorOf({ name }: Pick<VerifierKey, 'name'>): string {
  return name.split('/', 1)[0]!.toLowerCase();
}

/** One operator with several keys counts once. */
export function countOperators(keys: readonly Pick<VerifierKey, 'name'>[]): number {
  return new Set(keys.map(operatorOf)).size;
}

/** Says in words that a witness is the log itself: by the log's key, or by its operator. */
export function ownWitness(
  witnesses: readonly VerifierKey[],
  logs: readonly Pick<VerifierKey, 'name' | 'publicKey'>[],
): string | undefined {
  for (const witness of witnesses)
    for (const log of logs) {
      if (equalBytes(witness.publicKey, log.publicKey)) return "a log's own key";
      if (hostOf(witness) === hostOf(log)) return 'a witness on the host of a log';
    }
  return undefined;
}

/** Without a port, and without the dot that a full name may end in. */
function hostOf(key: Pick<VerifierKey, 'name'>): string {
  return operatorOf(key).split(':', 1)[0]!.replace(/\.$/, '');
}
