import type { Bundle } from '@acuse/evidence/bundle';
import { equalBytes } from '@acuse/evidence/bytes';
import { fieldText } from '@acuse/evidence/mime-header';
import { leafParts, type Part } from '@acuse/evidence/mime-parts';
import { type SplitMessage, splitMessage, toCrlf } from '@acuse/evidence/relaxed';
import type { Difference, EmlReport } from '@acuse/evidence/verify-eml';
import { diffLines } from 'diff';
import type { DiffLine, Layer } from './checked.ts';
import { visible } from './statements.ts';

/**
 * A received copy next to what was sent, layer by layer. Whether a layer is the same was decided by the
 * verification; here it is only shown what differs.
 */

/** A text that is longer is not compared line by line (bytes). */
const TEXT_MAX_BYTES = 256 * 1024;
/** Lines that may differ before a text counts as another one: bounds the time of the comparison. */
const EDITS_MAX = 1_000;
/** Shown of what differs (lines), of each line (characters), and around it (lines). */
const LINES_MAX = 200;
const LINE_MAX_CHARS = 400;
const CONTEXT_LINES = 2;

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
  return { of, name, state: 'same', lines: null, cut: false };
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
  const lines = [...names].flatMap((name = '') => {
    const [before, now] = [fieldsOf(sealed, name), fieldsOf(received, name)];
    return [
      ...before.filter((text) => !now.includes(text)).map((text) => line('removed', text)),
      ...now.filter((text) => !before.includes(text)).map((text) => line('added', text)),
    ];
  });
  return { ...layer('header', null), state: 'changed', ...bounded(lines) };
}

/** Each part that was sent, in its order, and behind them what was not. */
function compareParts(sealed: readonly Part[], received: readonly Part[]): Layer[] {
  const left = new Set(received);
  const take = (fits: (part: Part) => boolean): Part | undefined => {
    const found = [...left].find(fits);
    if (found !== undefined) left.delete(found);
    return found;
  };
  // What is the same is paired first, so that no part is taken for the changed form of another.
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

function differenceOf(sealed: Part, received: Part): Pick<Layer, 'lines' | 'cut'> {
  const isText = sealed.mediaType.startsWith('text/');
  if (!isText || Math.max(sealed.content.length, received.content.length) > TEXT_MAX_BYTES)
    return { lines: null, cut: false };
  const [before, now] = [sealed, received].map(({ content }) => new TextDecoder().decode(content));
  const changes = diffLines(before!, now!, { maxEditLength: EDITS_MAX });
  if (changes === undefined) return { lines: null, cut: true };
  const lines = changes.flatMap(({ value, added, removed }, index): DiffLine[] => {
    const texts = value.replace(/\n$/, '').split('\n');
    if (added || removed) return texts.map((text) => line(added ? 'added' : 'removed', text));
    return withGap(texts, index === 0, index === changes.length - 1);
  });
  return bounded(lines);
}

/** Lines that are the same: as many as tell where one is. */
function withGap(texts: readonly string[], isFirst: boolean, isLast: boolean): DiffLine[] {
  const head = isFirst ? 0 : CONTEXT_LINES;
  const tail = isLast ? 0 : CONTEXT_LINES;
  const same = (shown: readonly string[]) => shown.map((text) => line('same', text));
  if (texts.length <= head + tail) return same(texts);
  return [...same(texts.slice(0, head)), line('gap', ''), ...same(tail === 0 ? [] : texts.slice(-tail))];
}

function line(kind: DiffLine['kind'], text: string): DiffLine {
  return { kind, text: visible(text.slice(0, LINE_MAX_CHARS).replaceAll('\t', '  ')) };
}

function bounded(lines: readonly DiffLine[]): Pick<Layer, 'lines' | 'cut'> {
  return { lines: lines.slice(0, LINES_MAX), cut: lines.length > LINES_MAX };
}
