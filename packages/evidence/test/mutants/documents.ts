import { equalBytes, utf8 } from '../../src/bytes.ts';
import { type Json, jcsBytes } from '../../src/jcs.ts';
import { type Mutator, mended, provingEntries, watchersOf } from './mutant.ts';
import type { Random } from './random.ts';

/** Changes to the JSON documents of a bundle that leave them JSON, and mostly canonical. */

const WRONG: readonly Json[] = [
  null,
  true,
  0,
  -1,
  2 ** 53 - 1,
  0.5,
  '',
  'x',
  '\u{1f4e7}',
  '0'.repeat(64),
  'a'.repeat(5_000),
  '2026-02-30T00:00:00.000Z',
  [],
  [[]],
  {},
  { __proto__: null, toString: 'x' },
];

/** An object within an object, so many deep. */
function nested(depth: number): Json {
  return depth === 0 ? null : { a: nested(depth - 1) };
}

export type Path = readonly (string | number)[];

export function* pathsOf(value: Json, at: Path = []): Generator<Path> {
  yield at;
  if (Array.isArray(value)) for (const [i, item] of value.entries()) yield* pathsOf(item as Json, [...at, i]);
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) yield* pathsOf(item, [...at, key]);
}

/** The value with what stands at the path replaced by `change` of it; undefined: taken out. */
export function changed(value: Json, path: Path, change: (old: Json) => Json | undefined): Json | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return change(value);
  if (Array.isArray(value)) {
    const item = changed(value[key as number] as Json, rest, change);
    return item === undefined ? value.toSpliced(key as number, 1) : value.with(key as number, item);
  }
  const object = { ...(value as Record<string, Json>) };
  const item = changed(object[key]!, rest, change);
  if (item === undefined) delete object[key];
  else object[key] = item;
  return object;
}

function anew(old: Json, random: Random): Json | undefined {
  const kind = random.below(6);
  if (kind === 0) return undefined;
  if (kind === 1) return nested(random.pick([3, 31, 40, 400]));
  if (kind === 2 && Array.isArray(old) && old.length > 0) return [...old, random.pick(old)];
  if (kind === 3 && typeof old === 'object' && old !== null && !Array.isArray(old)) return { ...old, x: 1 };
  if (kind === 4 && typeof old === 'string') return `${old}${random.pick(['0', ' ', '\u0000', '\n', 'é'])}`;
  return random.pick(WRONG);
}

/** The value with something else in one place. */
export function changedValue(value: Json, random: Random): { path: Path; other: Json | undefined } {
  const path = random.pick([...pathsOf(value)]);
  return { path, other: changed(value, path, (old) => anew(old, random)) };
}

export const changeDocument: Mutator = (subject, random) => {
  const { bundle } = subject;
  const documents = provingEntries(subject).filter(
    (name) => name.endsWith('.json') && !name.endsWith('.transcript.json'),
  );
  const entry = random.pick(documents);
  const bytes = bundle.get(entry)!;
  const value = JSON.parse(Buffer.from(bytes).toString()) as Json;
  const { path, other } = changedValue(value, random);
  const written = writtenValue(other, random);
  if (equalBytes(written, bytes)) return undefined;
  const content = mended(bundle, { [entry]: written });
  return { what: `${entry} changed at /${path.join('/')}`, content, named: watchersOf(entry) };
};

/** Canonical, or as nobody may write it. */
export function writtenValue(value: Json | undefined, random: Random): Uint8Array {
  const text = JSON.stringify(value) ?? '';
  try {
    const canonical = jcsBytes(value);
    return random.below(8) === 0 ? utf8(`\ufeff${text}`) : canonical;
  } catch {
    // Documents without a canonical form, such as a too deep nesting.
    return utf8(text);
  }
}

/**
 * The same value written otherwise: equal for a reader of JSON, and refused, for what is hashed is the bytes.
 */
export const rewriteDocument: Mutator = (subject, random) => {
  const { bundle } = subject;
  const documents = provingEntries(subject).filter(
    (name) => name.endsWith('.json') && !name.endsWith('.transcript.json'),
  );
  const entry = random.pick(documents);
  const text = Buffer.from(bundle.get(entry)!).toString();
  const at = text.indexOf(',', random.below(text.length));
  if (at < 0) return undefined;
  const written = random.pick([
    `${text}\n`,
    ` ${text}`,
    `\ufeff${text}`,
    `${text.slice(0, at)}, ${text.slice(at + 1)}`,
    JSON.stringify(JSON.parse(text), null, 1),
    text.replace(/"type":"([^"]*)"/, '"type":"$1","type":"$1"'),
    text.replace(/:"([a-z])/, (_, letter: string) => `:"\\u00${letter.charCodeAt(0).toString(16)}`),
  ]);
  if (written === text) return undefined;
  const content = mended(bundle, { [entry]: utf8(written) });
  return { what: `${entry} written otherwise`, content, named: watchersOf(entry) };
};
