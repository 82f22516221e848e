import { utf8 } from '@acuse/evidence/bytes';
import { signCheckpoint } from '@acuse/evidence/checkpoint';
import { cosign } from '@acuse/evidence/cosignature';
import { leafHash, rootOf } from '@acuse/evidence/merkle';
import { formatNote, parseNote, type Signer } from '@acuse/evidence/note';
import { issuePromise } from '@acuse/evidence/promise';
import { encodeEntryBundle, parseTilePath } from '@acuse/evidence/tiles';
import { formatVerifierKey, verifierKey } from '@acuse/evidence/verifier-key';
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { LogReader } from '../../shared/api/log.ts';

/** A log whose operator is us: it can be made to cheat, with its own key. Fewer than 256 entries. */
export interface OwnLog extends LogReader {
  readonly vkey: string;
  /** Its entries from now on; `signed`: other entries than those that its tiles show. */
  show(entries: readonly Uint8Array[], signed?: readonly Uint8Array[]): void;
  /** With the log's signature. */
  noteOf(entries: readonly Uint8Array[]): string;
  promise(entry: Uint8Array, deadline: number): string;
}

export const entryOf = (text: string): Uint8Array => sha256(utf8(text));
export const entriesOf = (count: number, name = 'entry'): Uint8Array[] =>
  Array.from({ length: count }, (_, index) => entryOf(`${name} ${index}`));

export function openOwnLog(name = 'cheat.test/log'): OwnLog {
  const signer = signerOf(name);
  const vkey = formatVerifierKey(verifierKey(name, signer.publicKey, sha256));
  const hashes = (entries: readonly Uint8Array[]) => entries.map((entry) => leafHash(entry, sha256));
  const noteOf = (entries: readonly Uint8Array[]) =>
    signCheckpoint(
      { origin: name, size: entries.length, rootHash: rootOf(hashes(entries), sha256) },
      signer,
      sha256,
    );
  let shown: readonly Uint8Array[] = [];
  let note = noteOf([]);
  return {
    vkey,
    noteOf,
    show(entries, signed = entries) {
      shown = entries;
      note = noteOf(signed);
    },
    promise: (canonicalHash, deadline) =>
      issuePromise({ origin: name, canonicalHash, deadline }, signer, sha256),
    key: async () => vkey,
    checkpoint: async () => utf8(note),
    async tile(path) {
      const tile = parseTilePath(path);
      if (tile === undefined || tile.index > 0 || tile.width > shown.length) return null;
      const some = shown.slice(0, tile.width);
      return tile.level === 'entries' ? encodeEntryBundle(some) : new Uint8Array(Buffer.concat(hashes(some)));
    },
    certificate: async () => null,
  };
}

export function signerOf(name: string): Signer {
  const secret = sha256(utf8(name));
  return { name, publicKey: ed25519.getPublicKey(secret), sign: (text) => ed25519.sign(text, secret) };
}

/** The note with the cosignature of a witness under it. */
export function cosigned(note: string, witness: Signer, unixSeconds: number): string {
  const parsed = parseNote(utf8(note));
  const line = cosign(parsed.text, unixSeconds, witness, sha256);
  return formatNote({ text: parsed.text, signatures: [...parsed.signatures, line] });
}
