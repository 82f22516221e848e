/**
 * A month of one account's proof bundles, in objects of a folder or bucket: an index, parts with the bundles'
 * files by their hash, and renewals of their constancias. docs/archive-format.md
 */
import { type Bundle, UNPROVEN, withEntry, withSums } from './bundle.ts';
import { entryLimit, inBundleOrder, MAX_BUNDLE_CONTENT_BYTES, SUMS } from './bundle-entries.ts';
import { decodeUtf8, equalBytes, type Sha256, toHex, utf8 } from './bytes.ts';
import { EvidenceError } from './errors.ts';
import { bundleGuide } from './guide.ts';
import { jcs, parseCanonical } from './jcs.ts';
import { formatTrustPolicy, readTrustPolicy } from './policy.ts';
import { UUID } from './read-json.ts';
import { renewalName } from './renewal.ts';
import { verifyMd } from './verify-md.ts';
import { readZip, writeZip } from './zip.ts';

const MIB = 1024 * 1024;
/** A part is closed before it has more than this, unless one message alone does. */
export const PART_CONTENT_BYTES = 8 * MIB;
export const PART_MESSAGES = 500;
/** Files by hash in one object. */
export const OBJECT_FILES = 8_000;
const MAX_OBJECT_CONTENT_BYTES = MAX_BUNDLE_CONTENT_BYTES + PART_CONTENT_BYTES;
/** With the headers of its entries. */
export const MAX_OBJECT_BYTES = MAX_OBJECT_CONTENT_BYTES + 8 * MIB;
/** The most that one entry of a bundle may have. */
const MAX_FILE_BYTES = 64 * MIB;
const MAX_LIST_BYTES = 256 * 1024;
const CHECK = 'archive';

/** Names of entries in a bundle, and the SHA-256 of each, hex. */
type FileList = ReadonlyMap<string, string>;

/** One renewal of one constancia: its entries in every bundle, and `policy.json` with its authority. */
export type RenewalStep = Bundle;
/** By the SHA-256 of `checkpoint.txt`, hex; in order, without gaps. */
export type ArchivedRenewals = ReadonlyMap<string, readonly RenewalStep[]>;

/** The content of one ZIP. `lists`: by name. */
export type ArchiveObject = {
  lists: ReadonlyMap<string, FileList>;
  files: ReadonlyMap<string, Uint8Array>;
};

const FILE = /^files\/([0-9a-f]{64})$/;
const MESSAGE = /^messages\/(.{36})$/;
const RENEWAL = /^renewals\/([0-9a-f]{64})-(\d\d)$/;
/** Renewals are in objects of their own, and what is written about the evidence is written again. */
const LEFT_OUT = /^(?:renewal\/|(?:chain|issued)\/renewal-)/;

export const nameOfMessage = (id: string) => `messages/${id}`;
export const nameOfRenewal = (checkpoint: string, ordinal: number) =>
  `renewals/${checkpoint}-${renewalName(ordinal)}`;
/** As objects are called in their folder. */
export const nameOfObject = (sha256: string) => `${sha256}.zip`;

/** The entries of a bundle that go into a part. */
export function archivedEntries(bundle: Bundle): Bundle {
  return new Map([...bundle].filter(([name]) => isArchived(name)));
}

const isArchived = (name: string) => name !== SUMS && !UNPROVEN.includes(name) && !LEFT_OUT.test(name);

/** Gathers lists and the files that they name, each once. */
export class ArchiveWriter {
  readonly #lists = new Map<string, string>();
  readonly #files = new Map<string, Uint8Array>();
  readonly #sha256: Sha256;
  bytes = 0;

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  get lists(): number {
    return this.#lists.size;
  }

  get isFull(): boolean {
    return (
      this.bytes >= PART_CONTENT_BYTES || this.lists >= PART_MESSAGES || this.#files.size >= OBJECT_FILES
    );
  }

  add(name: string, entries: Bundle): void {
    const lines = inBundleOrder(entries.keys()).map((entry) => {
      const content = entries.get(entry)!;
      const hash = toHex(this.#sha256(content));
      if (!this.#files.has(hash)) {
        this.#files.set(hash, content);
        this.bytes += content.length;
      }
      return `${hash}  ${entry}\n`;
    });
    this.#lists.set(name, lines.join(''));
  }

  /** The same content makes the same bytes. */
  finish(): Uint8Array {
    const lists = [...this.#lists].map(([name, text]) => ({ name, bytes: utf8(text) }));
    const files = [...this.#files].map(([hash, bytes]) => ({ name: `files/${hash}`, bytes }));
    return writeZip([...lists, ...files].sort((a, b) => (a.name < b.name ? -1 : 1)));
  }
}

/**
 * Reads a part or renewals. Throws EvidenceError for anything that is not exactly what its name says: another
 * hash, a file that no list names, a list that names what is not there.
 */
export function readArchiveObject(
  bytes: Uint8Array,
  kind: 'messages' | 'renewals',
  sha256: Sha256,
): ArchiveObject {
  const listName = kind === 'messages' ? MESSAGE : RENEWAL;
  const entries = readZip(bytes, {
    // A message adds files of its own, beyond which the part is closed.
    entries: 2 * OBJECT_FILES,
    totalBytes: MAX_OBJECT_CONTENT_BYTES,
    entryBytes: (name) =>
      FILE.test(name) ? MAX_FILE_BYTES : listName.test(name) ? MAX_LIST_BYTES : undefined,
  });
  const files = new Map<string, Uint8Array>();
  for (const { name, bytes: content } of entries) {
    const hash = FILE.exec(name)?.[1];
    if (hash === undefined) continue;
    if (toHex(sha256(content)) !== hash) throw refusal(`${name} has another hash`);
    files.set(hash, content);
  }
  const lists = new Map<string, FileList>();
  const used = new Set<string>();
  for (const { name, bytes: content } of entries) {
    if (FILE.test(name)) continue;
    const list = readList(name, content, files, kind === 'renewals');
    for (const hash of list.values()) used.add(hash);
    lists.set(name, list);
  }
  const idle = [...files.keys()].find((hash) => !used.has(hash));
  if (idle !== undefined) throw refusal(`no list names files/${idle}`);
  return { lists, files };
}

function readList(
  name: string,
  content: Uint8Array,
  files: ReadonlyMap<string, Uint8Array>,
  ofRenewal: boolean,
): FileList {
  const text = decodeUtf8(content) ?? '';
  const list = new Map<string, string>();
  let total = 0;
  for (const line of text.split('\n').slice(0, -1)) {
    const [hash, entry] = [line.slice(0, 64), line.slice(66)];
    const file = files.get(hash);
    const limit = entryLimit(entry);
    if (line.slice(64, 66) !== '  ' || limit === undefined || list.has(entry) || file === undefined)
      throw refusal(`${name} has a line that names no file, or names one twice`);
    if (!ofRenewal && !isArchived(entry)) throw refusal(`${name} names ${entry}, which is not for a part`);
    total += file.length;
    if (file.length > limit || total > MAX_BUNDLE_CONTENT_BYTES) throw refusal(`${name} names too much`);
    list.set(entry, hash);
  }
  if (!text.endsWith('\n')) throw refusal(`${name} is empty or cut off`);
  return list;
}

/** The bundles of a part, by message. */
export function messagesOf({ lists }: ArchiveObject): Map<string, FileList> {
  const messages = new Map<string, FileList>();
  for (const [name, list] of lists) {
    const id = MESSAGE.exec(name)?.[1] ?? '';
    if (!UUID.test(id)) throw refusal(`${name} is not the id of a message`);
    messages.set(id, list);
  }
  return messages;
}

/** All renewals of an archive. Throws EvidenceError for one without those before it. */
export function gatherRenewals(objects: readonly ArchiveObject[]): Map<string, RenewalStep[]> {
  const found = new Map<string, Map<number, RenewalStep>>();
  for (const { lists, files } of objects)
    for (const [name, list] of lists) {
      const [, checkpoint, ordinal] = RENEWAL.exec(name)!;
      const steps = found.get(checkpoint!) ?? new Map<number, RenewalStep>();
      if (steps.has(Number(ordinal))) throw refusal(`${name} is there twice`);
      steps.set(Number(ordinal), entriesOf(list, files));
      found.set(checkpoint!, steps);
    }
  return new Map(
    [...found].map(([checkpoint, steps]) => [
      checkpoint,
      Array.from({ length: steps.size }, (_, i) => {
        const step = steps.get(i + 1);
        if (step === undefined) throw refusal(`renewal ${i + 1} of the checkpoint ${checkpoint} is missing`);
        return step;
      }),
    ]),
  );
}

export function entriesOf(list: FileList, files: ReadonlyMap<string, Uint8Array>): Bundle {
  return new Map([...list].map(([entry, hash]) => [entry, files.get(hash)!]));
}

/** The whole bundle, with what renews it. Throws EvidenceError for what does not belong together. */
export function bundleFromArchive(archived: Bundle, renewals: ArchivedRenewals, sha256: Sha256): Bundle {
  const checkpoint = archived.get('checkpoint.txt');
  const steps = checkpoint === undefined ? [] : (renewals.get(toHex(sha256(checkpoint))) ?? []);
  const summed = withSums(withRenewals(archived, steps, sha256), sha256);
  return withEntry(summed, 'VERIFY.md', utf8(verifyMd(bundleGuide(summed, sha256))), sha256);
}

/** Entries of a bundle or of a constancia alone, with those of its renewals. */
export function withRenewals(of: Bundle, steps: readonly RenewalStep[], sha256: Sha256): Bundle {
  const entries = new Map(of);
  for (const [name, bytes] of steps.flatMap((step) => [...step])) {
    const known = entries.get(name);
    if (name === 'policy.json') entries.set(name, joinedPolicy(known, bytes, sha256));
    else if (known === undefined) entries.set(name, bytes);
    else if (!equalBytes(known, bytes)) throw refusal(`a renewal has another ${name} than the bundle`);
  }
  return entries;
}

/** The policy of a bundle, and the authorities of another one. */
function joinedPolicy(known: Uint8Array | undefined, added: Uint8Array, sha256: Sha256): Uint8Array {
  if (known === undefined) return added;
  const [own, more] = [known, added].map((bytes) => readTrustPolicy(parseCanonical(bytes, 'policy'), sha256));
  const texts = new Set(own!.timeStamps.map(jcs));
  const missing = more!.timeStamps.filter((policy) => !texts.has(jcs(policy)));
  if (missing.length === 0) return known;
  return formatTrustPolicy({ ...own!, timeStamps: [...own!.timeStamps, ...missing] });
}

/** The digest of a part's messages: SHA-256 over a line for each, ascending by id. */
export type MessageState = { id: string; hashes: readonly string[]; erased: boolean };

export function stateText({ id, hashes, erased }: MessageState): string {
  return `${[id, ...hashes, ...(erased ? ['erased'] : [])].join(' ')}\n`;
}

function refusal(detail: string): EvidenceError {
  return new EvidenceError(CHECK, detail);
}
