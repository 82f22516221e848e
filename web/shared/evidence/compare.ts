import type { Bundle } from '@acuse/evidence/bundle';
import { equalBytes } from '@acuse/evidence/bytes';
import { fieldText } from '@acuse/evidence/mime-header';
import { leafParts, type Part } from '@acuse/evidence/mime-parts';
import { type SplitMessage, splitMessage, toCrlf } from '@acuse/evidence/relaxed';
import type { Difference, EmlReport } from '@acuse/evidence/verify-eml';
import { visible } from '../format/foreign-text.ts';
import { type DiffRow, diffRows } from '../ui/diff-rows.ts';
import type { Layer } from './checked.ts';

/**
 * A received copy next to what was sent, layer by layer. The verification decided which layers are the same;
 * this shows only the differences.
 */

/** A text that is longer is not compared line by line (bytes). */
const TEXT_MAX_BYTES = 256 * 1024;
/** Shown of what differs (lines), and of each line (characters). */
const LINES_MAX = 200;
const LINE_MAX_CHARS = 400;

/** `bundle` has been verified, and shows the message; otherwise there are no layers to tell. */
export function compareCopy(bundle: Bundle, eml: Uint8Array, report: EmlReport): Layer[] {
  const sealedBytes = bundle.get('message.eml');
  const holds = (name: string) => report.checks.some((check) => check.name === name && check.ok);
  if (sealedBytes === undefined || !holds('eml.readable')) return [];
  const receivedBytes = toCrlf(eml);
  const [sealed, received] = [splitMessage(sealedBytes), splitMessage(receivedBytes)];
  const parts = compareParts(leafParts(sealedBytes, sealed), leafParts(receivedBytes, received));
  const bodyHolds = holds('eml.L1.body');
  return [
    headerLayer(holds('eml.L1.header'), sealed, received, report.differences),
    {
      ...layer('body', null),
      state: bodyHolds ? 'same' : parts.every(({ state }) => state === 'same') ? 'reencoded' : 'changed',
    },
    ...parts,
  ];
}

function layer(of: Layer['of'], name: string | null): Layer {
  return { of, name, state: 'same', rows: null, cut: false };
}

function headerLayer(
  holds: boolean,
  sealed: SplitMessage,
  received: SplitMessage,
  differences: readonly Difference[],
): Layer {
  if (holds) return layer('header', null);
  const names = new Set(differences.flatMap(({ kind, name }) => (kind.startsWith('field_') ? [name] : [])));
  const fieldsOf = ({ headers }: SplitMessage, name: string) =>
    headers
      .filter((field) => field.name.toLowerCase() === name.toLowerCase())
      .map(({ raw }) => `${name}: ${fieldText(raw)}`);
  const rows = [...names].flatMap((name = '') => {
    const [before, now] = [fieldsOf(sealed, name), fieldsOf(received, name)];
    return [
      ...before.filter((text) => !now.includes(text)).map((text) => ({ kind: 'removed', text }) as const),
      ...now.filter((text) => !before.includes(text)).map((text) => ({ kind: 'added', text }) as const),
    ];
  });
  return { ...layer('header', null), state: 'changed', ...bounded(rows) };
}

/** Each part that was sent, in its order, and behind them what was not. */
function compareParts(sealed: readonly Part[], received: readonly Part[]): Layer[] {
  const left = new Set(received);
  const take = (fits: (part: Part) => boolean): Part | undefined => {
    const found = [...left].find(fits);
    if (found !== undefined) left.delete(found);
    return found;
  };
  // Pairs equal parts first.
  const same = sealed.map((part) => take((other) => isSame(part, other)));
  const layers = sealed.map((part, index): Layer => {
    const made = layer('part', nameOf(part));
    if (same[index] !== undefined) return made;
    const changed =
      take((other) => isAlike(part, other) && part.filename !== null) ??
      take((other) => isAlike(part, other));
    if (changed === undefined) return { ...made, state: 'missing' };
    return { ...made, state: 'changed', ...differenceOf(part, changed) };
  });
  return [...layers, ...[...left].map((part): Layer => ({ ...layer('part', nameOf(part)), state: 'added' }))];
}

function isSame(one: Part, other: Part): boolean {
  return isAlike(one, other) && equalBytes(one.content, other.content);
}

function isAlike(one: Part, other: Part): boolean {
  return one.mediaType === other.mediaType && one.filename === other.filename;
}

function nameOf({ filename, mediaType }: Part): string {
  return visible(filename ?? mediaType);
}

function differenceOf(sealed: Part, received: Part): Pick<Layer, 'rows' | 'cut'> {
  const isText = sealed.mediaType.startsWith('text/');
  if (!isText || Math.max(sealed.content.length, received.content.length) > TEXT_MAX_BYTES)
    return { rows: null, cut: false };
  const [before, now] = [sealed, received].map(({ content }) => new TextDecoder().decode(content));
  return bounded(diffRows(before!, now!));
}

function bounded(rows: readonly DiffRow[]): Pick<Layer, 'rows' | 'cut'> {
  const shown = rows
    .slice(0, LINES_MAX)
    .map((row) => (row.kind === 'gap' ? row : { ...row, text: printable(row.text) }));
  return { rows: shown, cut: rows.length > LINES_MAX };
}

function printable(text: string): string {
  return visible(text.slice(0, LINE_MAX_CHARS).replaceAll('\t', '  '));
}
