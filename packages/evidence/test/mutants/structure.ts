import { SUMS } from '../../src/bundle-entries.ts';
import { decodeUtf8, equalBytes, utf8 } from '../../src/bytes.ts';
import { writeZip } from '../../src/zip.ts';
import { changedValue, writtenValue } from './documents.ts';
import { type Mutator, mended } from './mutant.ts';
import type { Random } from './random.ts';

/**
 * Changes that a bundle may survive: what they make of it, every verifier must say alike. None may accept
 * those of the other files here.
 */

/** Of all that is refused or not. */
const ANY = /./;
/** Entries that stand or fall together, as prefixes of their names. */
const GROUPS = [
  ...['report.pdf', 'VERIFY.md', 'policy.json', 'outcomes.note', 'history.txt', 'log-end.note'],
  ...['message.eml', 'submission.bin', 'parts/', 'revocation/', 'renewal/', 'message-constancia', 'chain/'],
  'issued/',
  ...['delivery/01', 'delivery/02', 'constancia', 'checkpoint', 'openings', 'manifest'],
];
const LINES = /(?:\.note|\.tlog-proof|\.txt|\.sums|\.list|\.pem|\.md)$/;

export const dropGroup: Mutator = ({ bundle }, random) => {
  const group = random.pick(GROUPS);
  const names = [...bundle.keys()].filter((name) => name.startsWith(group) || name === `chain/${group}.pem`);
  if (names.length === 0) return undefined;
  const content = mended(bundle, Object.fromEntries(names.map((name) => [name, undefined])));
  return { what: `${names.join(', ')} gone`, content, named: ANY };
};

/** One line of a text is gone, twice, elsewhere, or ends otherwise. */
function otherLines(text: string, random: Random): string {
  const lines = text.split(/(?<=\n)/);
  const [one, other] = [random.below(lines.length), random.below(lines.length)];
  const line = lines[one]!;
  return random
    .pick([
      () => lines.toSpliced(one, 1),
      () => lines.toSpliced(one, 0, line),
      () => lines.with(one, lines[other]!).with(other, line),
      () => lines.with(one, line.replace('\n', '\r\n')),
      () => lines.with(one, line.replace('\n', ' \n')),
      () => lines.toSpliced(one, 0, '\n'),
      () => lines.with(one, line.toUpperCase()),
      () => lines.with(-1, lines.at(-1)!.replace('\n', '')),
    ])()
    .join('');
}

export const editLines: Mutator = ({ bundle }, random) => {
  const name = random.pick([...bundle.keys()].filter((each) => LINES.test(each)));
  const text = decodeUtf8(bundle.get(name)!);
  if (text === undefined) return undefined;
  const other = otherLines(text, random);
  if (other === text) return undefined;
  return { what: `lines of ${name}`, content: mended(bundle, { [name]: utf8(other) }), named: ANY };
};

export const editSums: Mutator = ({ bundle }, random) => {
  const text = decodeUtf8(bundle.get(SUMS)!)!;
  const other = random.below(6) === 0 ? text.replace('  ', ' *') : otherLines(text, random);
  if (other === text) return undefined;
  return { what: `lines of ${SUMS}`, content: new Map(bundle).set(SUMS, utf8(other)), named: ANY };
};

/** Packed in another order, which is the same bundle. */
export const reorderZip: Mutator = ({ bundle }, random) => {
  const entries = [...bundle].map(([name, bytes]) => ({ name, bytes }));
  const [moved] = entries.splice(random.below(entries.length), 1);
  entries.splice(random.below(entries.length), 0, moved!);
  return { what: `${moved!.name} elsewhere in the ZIP`, content: writeZip(entries), named: ANY };
};

export const changePolicy: Mutator = ({ bundle }, random) => {
  const bytes = bundle.get('policy.json')!;
  const value = JSON.parse(decodeUtf8(bytes)!);
  const { path, other } = changedValue(value, random);
  const written = writtenValue(other, random);
  if (equalBytes(written, bytes)) return undefined;
  const content = mended(bundle, { 'policy.json': written });
  return { what: `policy.json changed at /${path.join('/')}`, content, named: ANY };
};

/** The outcomes of a message stand in another order, or the first is missing. */
export const renumber: Mutator = ({ bundle }, random) => {
  const isFirst = (name: string) => /^(?:chain\/delivery-|delivery\/)01\b/.test(name);
  const isSecond = (name: string) => /^(?:chain\/delivery-|delivery\/)02\b/.test(name);
  const names = [...bundle.keys()];
  if (!names.some(isSecond)) return undefined;
  const changes: Record<string, Uint8Array | undefined> = {};
  for (const name of names.filter((each) => isFirst(each) || isSecond(each))) changes[name] = undefined;
  for (const name of names.filter(isSecond)) changes[name.replace('02', '01')] = bundle.get(name)!;
  const isSwap = random.below(2) === 0;
  if (isSwap) for (const name of names.filter(isFirst)) changes[name.replace('01', '02')] = bundle.get(name)!;
  return {
    what: isSwap ? 'outcomes exchanged' : 'outcome 01 gone',
    content: mended(bundle, changes),
    named: ANY,
  };
};

/** Something else than a bundle, or one in the other form. */
export const otherFile: Mutator = ({ bundle }, random) => {
  const name = random.pick([...bundle.keys()]);
  const [what, content] = random.pick<[string, Uint8Array]>([
    ['nothing', new Uint8Array(0)],
    ['an empty object', utf8('{}')],
    ['a bundle of nothing', utf8('{"type":"acuse/bundle/v1","entries":[]}')],
    [`${name} alone`, bundle.get(name)!],
    [`${name} alone, packed`, writeZip([{ name, bytes: bundle.get(name)! }])],
  ]);
  return { what, content, named: ANY };
};

/** One change after the other. */
export function twice(mutators: readonly Mutator[]): Mutator {
  return (subject, random) => {
    const first = random.pick(mutators)(subject, random);
    if (first === undefined || first.content instanceof Uint8Array) return undefined;
    const second = random.pick(mutators)({ ...subject, bundle: first.content }, random);
    return second && { ...second, what: `${first.what}; ${second.what}` };
  };
}
