import type { Bundle } from '../../src/bundle.ts';
import { SUMS } from '../../src/bundle-entries.ts';
import { equalBytes, utf8 } from '../../src/bytes.ts';
import {
  chainOf,
  fits,
  type Mutator,
  mended,
  missedEntries,
  provingEntries,
  unsignedPlaces,
  watchersOf,
} from './mutant.ts';
import type { Random } from './random.ts';

/** Changes to what stands in a bundle, by somebody who makes the sums anew wherever that helps. */

function flip(bytes: Uint8Array, at: number, random: Random): Uint8Array {
  const out = Uint8Array.from(bytes);
  out[at]! ^= 1 << random.below(8);
  return out;
}

export const flipByte: Mutator = (subject, random) => {
  const { bundle } = subject;
  const entry = random.pick(provingEntries(subject));
  const bytes = bundle.get(entry)!;
  const at = random.below(bytes.length);
  if (entry.endsWith('.tsr') && unsignedPlaces(bytes, bundle.get(chainOf(entry))!).has(at)) return undefined;
  const content = mended(bundle, { [entry]: flip(bytes, at, random) });
  return { what: `byte ${at} of ${entry}`, content, named: watchersOf(entry) };
};

/** Cut short, cut into, stuffed or doubled in part. */
export const cut: Mutator = (subject, random) => {
  const { bundle } = subject;
  const entry = random.pick(provingEntries(subject));
  const bytes = bundle.get(entry)!;
  const from = random.below(bytes.length);
  const to = from + 1 + random.below(bytes.length - from);
  const junk = Uint8Array.from({ length: 1 + random.below(40) }, () => random.below(256));
  const [how, parts] = random.pick<[string, Uint8Array[]]>([
    ['cut after', [bytes.subarray(0, from)]],
    ['cut before', [bytes.subarray(to)]],
    ['cut into', [bytes.subarray(0, from), bytes.subarray(to)]],
    ['stuffed', [bytes.subarray(0, from), junk, bytes.subarray(from)]],
    ['junk behind', [bytes, junk]],
    ['a line behind', [bytes, utf8('\n')]],
    ['doubled', [bytes.subarray(0, to), bytes.subarray(from)]],
    ['emptied', []],
  ]);
  const changed = new Uint8Array(Buffer.concat(parts));
  if (equalBytes(changed, bytes) || !fits(entry, changed)) return undefined;
  const content = mended(bundle, { [entry]: changed });
  return { what: `${entry} ${how} ${from}..${to}`, content, named: watchersOf(entry) };
};

/** By somebody who forgets the sums, or changes nothing but them. */
export const forgetSums: Mutator = ({ bundle }, random) => {
  const entry = random.below(4) === 0 ? SUMS : random.pick([...bundle.keys()]);
  const bytes = bundle.get(entry)!;
  const at = random.below(bytes.length);
  const content = new Map(bundle).set(entry, flip(bytes, at, random));
  return { what: `byte ${at} of ${entry}, the sums left`, content, named: /\bsums\b/ };
};

export const drop: Mutator = (subject, random) => {
  const { bundle } = subject;
  const gone = random.below(3);
  if (gone === 0) {
    const name = random.pick([...bundle.keys()]);
    const content = new Map([...bundle].filter(([each]) => each !== name));
    return { what: `${name} gone, the sums left`, content, named: /\b(sums|bundle)\b/ };
  }
  const entry = random.pick(missedEntries(subject));
  const content = mended(bundle, { [entry]: undefined });
  return { what: `${entry} gone`, content, named: watchersOf(entry) };
};

/** Names that a bundle knows, and that its content cannot stand under. */
const OTHER_NAMES = [
  'report.pdf',
  'parts/07.bin',
  'parts/100.bin',
  'message-constancia.tsr',
  'chain/delivery-31.pem',
  'chain/renewal-09.pem',
  'renewal/03.sums',
  'renewal/09.tsr',
  'delivery/01-complained.json',
  'delivery/04-sent.json',
  'delivery/09-sent.dsn.eml',
];

export const rename: Mutator = (subject, random) => {
  const { bundle } = subject;
  const entry = random.pick(missedEntries(subject));
  const taken = provingEntries(subject);
  const name = random.pick([...OTHER_NAMES, 'VERIFY.md', ...taken]);
  const bytes = bundle.get(entry)!;
  if (!fits(name, bytes) || (bundle.has(name) && equalBytes(bundle.get(name)!, bytes))) return undefined;
  const content = mended(bundle, { [entry]: undefined, [name]: bytes });
  const watched = taken.includes(name) ? [entry, name] : [entry];
  return { what: `${entry} as ${name}`, content, named: watchersOf(...watched) };
};

/** Content that nothing asked for, each entry of a kind that nothing else explains. */
export const addEntry: Mutator = (subject, random) => {
  const { bundle } = subject;
  const [name, named] = random.pick<[string, RegExp]>([
    ['parts/09.bin', /\bopenings\b/],
    ['message.eml', /\bopenings\b/],
    ['submission.bin', /\bopenings\b/],
    ['delivery/31-sent.json', /\bdelivery\b/],
    ['delivery/00-sent.dsn.eml', /\bdelivery\b/],
    ['chain/delivery-31.pem', /\bentries\b/],
    ['chain/renewal-09.pem', /\bentries\b/],
    ['issued/delivery-31.bin', /\bentries\b/],
    ['issued/renewal-09.bin', /\bentries\b/],
    ['renewal/09.list', /\b(entries|renewal)\b/],
    ['renewal/09.tsr', /\brenewal\b/],
    ['revocation/x.crl', /revocation\b/],
    ['revocation/x.ocsp', /revocation\b/],
  ]);
  if (bundle.has(name)) return undefined;
  // Not revocation data: the same once more, under another name, says nothing new.
  const like = bundle.get(random.pick(missedEntries(subject)))!;
  return { what: `${name} beside the rest`, content: mended(bundle, { [name]: like }), named };
};

/** Two entries stand under each other's name. */
export const exchange: Mutator = (subject, random) => {
  const { bundle } = subject;
  const names = missedEntries(subject);
  const [one, other] = [random.pick(names), random.pick(names)];
  const [a, b] = [bundle.get(one)!, bundle.get(other)!];
  if (equalBytes(a, b) || !fits(one, b) || !fits(other, a)) return undefined;
  const content = mended(bundle, { [one]: b, [other]: a });
  return { what: `${one} and ${other} exchanged`, content, named: watchersOf(one, other) };
};

/** Some entries are those of a bundle of another message, which is as true as this one. */
export function swapWith(others: readonly Bundle[]): Mutator {
  return (subject, random) => {
    const { bundle } = subject;
    const other = random.pick(others);
    const differing = provingEntries(subject).filter(
      (name) => other.has(name) && !equalBytes(other.get(name)!, bundle.get(name)!),
    );
    const share = 1 + random.below(5);
    const taken = differing.filter(() => random.below(6) < share);
    // All of it is the other bundle, and that one holds.
    if (taken.length === 0 || taken.length === differing.length) return undefined;
    const content = mended(bundle, Object.fromEntries(taken.map((name) => [name, other.get(name)!])));
    // Where those taken fit each other, those that stayed do not fit them.
    return { what: `of another bundle: ${taken.join(', ')}`, content, named: watchersOf(...differing) };
  };
}
