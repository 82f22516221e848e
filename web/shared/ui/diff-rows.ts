import { diffLines } from 'diff';

/** A line of two texts next to each other. `gap`: so many lines that both have are left out. */
export type DiffRow =
  | { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }
  | { readonly kind: 'gap'; readonly lines: number };

/** Lines around a change that are shown. */
const CONTEXT_LINES = 3;
/** Lines that may be added and removed before the texts count as different from end to end. */
const EDITS_MAX = 2_000;

export function diffRows(before: string, after: string): DiffRow[] {
  const changes = diffLines(before, after, { maxEditLength: EDITS_MAX }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  return changes.flatMap(({ value, added, removed }, index) => {
    const lines = linesOf(value);
    if (added || removed) return lines.map((text): DiffRow => ({ kind: added ? 'added' : 'removed', text }));
    return foldSame(lines, index === 0, index === changes.length - 1);
  });
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  // A final line break begins no line.
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Only near changes. */
function foldSame(lines: readonly string[], isFirst: boolean, isLast: boolean): DiffRow[] {
  const head = isFirst ? 0 : CONTEXT_LINES;
  const tail = isLast ? 0 : CONTEXT_LINES;
  const same = (text: string): DiffRow => ({ kind: 'same', text });
  const left = lines.length - head - tail;
  if (left <= 1) return lines.map(same);
  return [
    ...lines.slice(0, head).map(same),
    { kind: 'gap', lines: left },
    ...lines.slice(lines.length - tail).map(same),
  ];
}
