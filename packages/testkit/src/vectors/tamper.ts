/** The tools that make broken bundles. */
import { assembleBundle, type StoredEvidence } from '@acuse/evidence/assemble';
import { type Bundle, withSums } from '@acuse/evidence/bundle';
import { decodeUtf8, utf8 } from '@acuse/evidence/bytes';
import { type Json, jcsBytes } from '@acuse/evidence/jcs';
import { sha256 } from './authority.ts';

/** `why`: a sentence for people. */
export interface Broken {
  readonly why: string;
  readonly bundle: Bundle;
}

export type Cases = Map<string, Broken>;

/** Small, for the repository's sake: what VERIFY.md says is for people. */
export function assemble(evidence: StoredEvidence): Bundle {
  return change(assembleBundle(evidence, sha256), 'VERIFY.md', 'See contract/vectors/README.md.\n');
}

/** With an entry in another form, or left out; the sums made again. */
export function change(bundle: Bundle, name: string, content: Uint8Array | string | undefined): Bundle {
  const entries = new Map(bundle);
  if (content === undefined) entries.delete(name);
  else entries.set(name, typeof content === 'string' ? utf8(content) : content);
  return withSums(entries, sha256);
}

export const textOf = (bundle: Bundle, name: string): string => decodeUtf8(bundle.get(name)!)!;

export const replaceText = (bundle: Bundle, name: string, from: string | RegExp, to: string): Bundle => {
  const before = textOf(bundle, name);
  const after = before.replace(from, to);
  if (after === before) throw new Error(`nothing to replace in ${name}`);
  return change(bundle, name, after);
};

/** With a field of a JSON entry in another form; canonical as ever. */
export function changeJson(
  bundle: Bundle,
  name: string,
  alter: (value: Record<string, Json>) => void,
): Bundle {
  const value = JSON.parse(textOf(bundle, name));
  alter(value);
  return change(bundle, name, jcsBytes(value));
}

export const flipLast = (bytes: Uint8Array) =>
  bytes.map((byte, i) => (i === bytes.length - 1 ? byte ^ 1 : byte));
