import { type Bundle, withSums } from '../../src/bundle.ts';
import { SUMS } from '../../src/bundle-entries.ts';
import { decodeUtf8, equalBytes, utf8 } from '../../src/bytes.ts';
import { type Json, jcsBytes } from '../../src/jcs.ts';
import { sha256 } from '../support.ts';
import { changed, type Path, pathsOf } from './documents.ts';

/** Mutants that differ from `base` by one thing less than `mutant` does. */
export function* simpler(base: Bundle, mutant: Bundle): Generator<Bundle> {
  const own = mutant.get(SUMS);
  const isSummed = own !== undefined && sameSums(mutant, own);
  const whole = (entries: Bundle) => (isSummed ? withSums(entries, sha256) : entries);
  for (const name of new Set([...base.keys(), ...mutant.keys()])) {
    const [before, now] = [base.get(name), mutant.get(name)];
    if ((isSummed && name === SUMS) || (before && now && equalBytes(before, now))) continue;
    yield whole(withEntry(mutant, name, before));
    if (before === undefined || now === undefined) continue;
    for (const less of simplerBytes(before, now)) yield whole(withEntry(mutant, name, less));
  }
}

function sameSums(bundle: Bundle, own: Uint8Array): boolean {
  try {
    return equalBytes(withSums(bundle, sha256).get(SUMS)!, own);
  } catch {
    return false;
  }
}

function withEntry(bundle: Bundle, name: string, bytes: Uint8Array | undefined): Bundle {
  const entries = new Map(bundle);
  if (bytes === undefined) entries.delete(name);
  else entries.set(name, bytes);
  return entries;
}

function* simplerBytes(before: Uint8Array, now: Uint8Array): Generator<Uint8Array> {
  const [old, text] = [decodeUtf8(before), decodeUtf8(now)];
  if (old === undefined || text === undefined) return;
  try {
    yield* simplerDocuments(JSON.parse(old) as Json, JSON.parse(text) as Json);
    return;
  } catch {
    // No JSON: lines.
  }
  const [one, other] = [old.split('\n'), text.split('\n')];
  if (one.length !== other.length) return;
  for (const [at, line] of other.entries())
    if (line !== one[at] && other.some((each, i) => i !== at && each !== one[i]))
      yield utf8(other.with(at, one[at]!).join('\n'));
}

function* simplerDocuments(before: Json, now: Json): Generator<Uint8Array> {
  const at = (value: Json, path: Path): Json | undefined =>
    path.reduce<Json | undefined>(
      (each, key) => (each as Record<string, Json> | null)?.[key as string],
      value,
    );
  for (const path of pathsOf(before)) {
    const [old, own] = [at(before, path), at(now, path)];
    if (path.length === 0 || own === undefined || JSON.stringify(old) === JSON.stringify(own)) continue;
    const less = changed(now, path, () => old);
    if (less !== undefined && JSON.stringify(less) !== JSON.stringify(before)) yield jcsBytes(less);
  }
}
