/** The proof bundle: all that a stranger needs about one message, as a ZIP or as a JSON document. */

import {
  entryLimit,
  inBundleOrder,
  isTextEntry,
  MAX_BUNDLE_BYTES,
  MAX_BUNDLE_CONTENT_BYTES,
  MAX_BUNDLE_ENTRIES,
  REQUIRED_ENTRIES,
  SUMS,
} from './bundle-entries.ts';
import {
  decodeAscii,
  decodeUtf8,
  equalBytes,
  fromBase64,
  isWellFormed,
  type Sha256,
  toBase64,
  toHex,
  utf8,
} from './bytes.ts';
import { EvidenceError } from './errors.ts';
import type { Json } from './jcs.ts';
import { repeatedKey } from './json-keys.ts';
import { readArray, readObject, readOneOf, readString } from './read-json.ts';
import { readZip, writeZip } from './zip.ts';

export const BUNDLE_TYPE = 'acuse/bundle/v1';

/** Content by entry name. */
export type Bundle = ReadonlyMap<string, Uint8Array>;

type HashOf = (bytes: Uint8Array, name: string) => string;

/** Replaces an existing SHA256SUMS. Throws EvidenceError `bundle` for an invalid name or size. */
export function withSums(entries: Bundle, sha256: Sha256): Bundle {
  return summed(entries, (bytes) => toHex(sha256(bytes)));
}

/** As withSums, of a bundle that has SHA256SUMS and gets one more entry: the others are not hashed again. */
export function withEntry(bundle: Bundle, name: string, content: Uint8Array, sha256: Sha256): Bundle {
  const known = new Map(sumLines(bundle).map((line) => [line.slice(66), line.slice(0, 64)]));
  known.delete(name);
  return summed(new Map(bundle).set(name, content), (bytes, each) => known.get(each) ?? toHex(sha256(bytes)));
}

function summed(entries: Bundle, hashOf: HashOf): Bundle {
  const names = inBundleOrder(entries.keys()).filter((name) => name !== SUMS);
  for (const name of names) {
    const limit = entryLimit(name);
    if (limit === undefined || entries.get(name)!.length > limit)
      throw new EvidenceError('bundle', `${name} is unknown, or larger than ${limit} bytes`);
  }
  const ordered = new Map(names.map((name) => [name, entries.get(name)!]));
  return ordered.set(SUMS, utf8(sumsText(ordered, hashOf)));
}

function sumLines(bundle: Bundle): string[] {
  const text = decodeUtf8(bundle.get(SUMS) ?? new Uint8Array()) ?? '';
  return text.split('\n').filter((line) => line !== '');
}

function sumsText(entries: Bundle, hashOf: HashOf): string {
  return inBundleOrder(entries.keys())
    .filter((name) => name !== SUMS)
    .map((name) => `${hashOf(entries.get(name)!, name)}  ${name}\n`)
    .join('');
}

/** Entries written about the evidence, which change with its words. */
export const UNPROVEN = ['VERIFY.md', 'report.pdf'];

/**
 * The lines of SHA256SUMS that are about evidence. Their content is not compared; malformed lines are left
 * out, because these go into commands.
 */
export function evidenceLines(entries: Bundle): string[] {
  return sumLines(entries).filter(
    (line) => /^[0-9a-f]{64} {2}[\w./-]+$/.test(line) && !UNPROVEN.includes(line.slice(66)),
  );
}

/** Throws EvidenceError `sums` unless SHA256SUMS lists exactly the other entries. */
export function assertSums(bundle: Bundle, sha256: Sha256): void {
  const stated = bundle.get(SUMS) ?? new Uint8Array();
  const sums = sumsText(bundle, (bytes) => toHex(sha256(bytes)));
  if (equalBytes(stated, utf8(sums))) return;
  const lines = new Set(sumLines(bundle));
  const wrong = sums.split('\n').find((line) => line !== '' && !lines.has(line));
  throw new EvidenceError('sums', `${SUMS} does not match ${wrong?.slice(66) ?? 'the entries'}`);
}

/**
 * Throws EvidenceError `entries` for a chain, an authority's document or a renewal's list without its token,
 * which no other check would read.
 */
export function assertNothingStray(bundle: Bundle): void {
  for (const name of bundle.keys()) {
    const beside = /^(?:chain|issued)\/(.*)\.(?:pem|bin)$/.exec(name)?.[1];
    const list = /^renewal\/(.*)\.(?:sums|list)$/.exec(name)?.[1];
    const tokens =
      beside !== undefined ? tokensOf(beside, bundle) : list !== undefined ? [`renewal/${list}.tsr`] : [name];
    if (!tokens.some((token) => bundle.has(token)))
      throw new EvidenceError('entries', `${name} belongs to a time-stamp that is not there`);
  }
}

/** The entries that may hold the token that a chain or a document is named after. */
function tokensOf(token: string, bundle: Bundle): string[] {
  const [, folder, number] = /^(delivery|renewal)-(\d\d)$/.exec(token) ?? [];
  if (folder === undefined) return [`${token}.tsr`];
  return [...bundle.keys()].filter((name) => name.startsWith(`${folder}/${number}`) && name.endsWith('.tsr'));
}

/** Deterministic. The bundle has its sums. */
export function writeBundle(bundle: Bundle): Uint8Array {
  return writeZip(inBundleOrder(bundle.keys()).map((name) => ({ name, bytes: bundle.get(name)! })));
}

/** Texts as strings, the rest in base64. */
export function bundleToJson(bundle: Bundle): Json {
  const list = inBundleOrder(bundle.keys()).map((name) => {
    const bytes = bundle.get(name)!;
    const text = isTextEntry(name) ? decodeUtf8(bytes) : undefined;
    return text === undefined ? { name, base64: toBase64(bytes) } : { name, text };
  });
  return { type: BUNDLE_TYPE, entries: list };
}

const OPENING_BRACE = 0x7b;

/**
 * From a ZIP, or from JSON if it starts with a brace. Throws EvidenceError `bundle` for anything damaged,
 * unknown, repeated, missing or too large; sizes are checked before inflating.
 */
export function readBundle(bytes: Uint8Array): Bundle {
  if (bytes.length > MAX_BUNDLE_BYTES)
    throw new EvidenceError('bundle', `is larger than ${MAX_BUNDLE_BYTES} bytes`);
  const bundle = bytes[0] === OPENING_BRACE ? readJsonBundle(bytes) : readZipBundle(bytes);
  const missing = REQUIRED_ENTRIES.filter((name) => !bundle.has(name));
  if (missing.length > 0) throw new EvidenceError('bundle', `lacks ${missing.join(', ')}`);
  return bundle;
}

/** True for a bundle, however damaged: names are readable in both forms. */
export function looksLikeBundle(bytes: Uint8Array): boolean {
  const text = decodeAscii(bytes.subarray(0, MAX_BUNDLE_BYTES));
  return /^\{|PK\x03\x04/.test(text) && text.includes(REQUIRED_PROOF);
}

/** No other kind of file has an entry of this name. */
const REQUIRED_PROOF = 'proof.tlog-proof';

function readZipBundle(bytes: Uint8Array): Bundle {
  const entries = readZip(bytes, {
    entries: MAX_BUNDLE_ENTRIES,
    totalBytes: MAX_BUNDLE_CONTENT_BYTES,
    entryBytes: entryLimit,
  });
  return new Map(entries.map(({ name, bytes: content }) => [name, content]));
}

function readJsonBundle(bytes: Uint8Array): Bundle {
  const check = 'bundle';
  const text = decodeUtf8(bytes) ?? '';
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (cause) {
    throw new EvidenceError(check, 'is neither a ZIP nor JSON', { cause });
  }
  // Programs disagree about repeated keys.
  const twice = repeatedKey(text);
  if (twice !== undefined) throw new EvidenceError(check, `has the key ${twice} twice in one object`);
  const root = readObject(value, check, ['entries', 'type']);
  readOneOf(root['type'], check, 'type', [BUNDLE_TYPE]);
  const bundle = new Map<string, Uint8Array>();
  let total = 0;
  for (const item of readArray(root['entries'], check, 'entries', MAX_BUNDLE_ENTRIES)) {
    const { name, content } = readJsonEntry(item);
    const limit = entryLimit(name);
    if (limit === undefined)
      throw new EvidenceError(check, `has the unknown entry ${JSON.stringify(name.slice(0, 80))}`);
    if (bundle.has(name)) throw new EvidenceError(check, `has ${name} twice`);
    total += content.length;
    if (content.length > limit || total > MAX_BUNDLE_CONTENT_BYTES)
      throw new EvidenceError(check, `${name} is larger than ${limit} bytes, or all entries are too large`);
    bundle.set(name, content);
  }
  return bundle;
}

function readJsonEntry(item: Json): { name: string; content: Uint8Array } {
  const check = 'bundle';
  const entry = readObject(item, check, ['name'], ['base64', 'text']);
  const name = readString(entry['name'], check, 'name');
  if (Object.hasOwn(entry, 'text') === Object.hasOwn(entry, 'base64'))
    throw new EvidenceError(check, 'an entry has not one of text and base64');
  if (Object.hasOwn(entry, 'text')) {
    const text = readString(entry['text'], check, 'text');
    if (!isWellFormed(text)) throw new EvidenceError(check, 'an entry has half a character');
    return { name, content: utf8(text) };
  }
  const content = fromBase64(readString(entry['base64'], check, 'base64'));
  if (content === undefined) throw new EvidenceError(check, 'an entry is not base64');
  return { name, content };
}

/** Throws EvidenceError `check` if it is missing. */
export function requireEntry(bundle: Bundle, name: string, check: string): Uint8Array {
  const content = bundle.get(name);
  if (content === undefined) throw new EvidenceError(check, `${name} is missing`);
  return content;
}

/** Throws EvidenceError `check` unless the entry is exactly this text. */
export function assertText(bundle: Bundle, name: string, text: string, check: string): void {
  if (!equalBytes(requireEntry(bundle, name, check), utf8(text)))
    throw new EvidenceError(check, `${name} is not what it should be`);
}
