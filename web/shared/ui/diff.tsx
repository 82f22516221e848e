import { useMemo } from 'react';
import { useFormat } from '../format/format.ts';
import { useWords } from '../words/use-words.ts';
import classes from './diff.module.css';
import { type DiffRow, diffRows } from './diff-rows.ts';
import { diffWords } from './diff-words.ts';
import { Hidden } from './hidden.tsx';

/** The change of a text. */
export function Diff({ label, before, after }: { label: string; before: string; after: string }) {
  const rows = useMemo(() => diffRows(before, after), [before, after]);
  return <DiffSheet label={label} rows={rows} />;
}

export interface DiffSheetProps {
  readonly label: string;
  readonly rows: readonly DiffRow[];
  /** Read aloud before a removed or added line: "Sent:". */
  readonly names?: Readonly<Record<'removed' | 'added', string>>;
}

/** Lines that went and came, each said by a sign and in words. */
export function DiffSheet({ label, rows, names }: DiffSheetProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keys
    <section className={classes['diff']} aria-label={label} tabIndex={0}>
      <div className={classes['sheet']}>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
          <Line key={index} row={row} names={names} />
        ))}
      </div>
    </section>
  );
}

const SIGNS = { same: ' ', added: '+', removed: '−' } as const;

function Line({ row, names }: { row: DiffRow; names: DiffSheetProps['names'] }) {
  const words = useWords(diffWords);
  const format = useFormat();
  if (row.kind === 'gap')
    return <div className={classes['gap']}>{words.gap(format.number(row.lines), row.lines)}</div>;
  return (
    <div className={`${classes['line']} ${classes[row.kind] ?? ''}`}>
      <span className={classes['sign']} aria-hidden="true">
        {SIGNS[row.kind]}
      </span>
      {row.kind !== 'same' && <Hidden>{(names ?? words)[row.kind]}</Hidden>}
      <code>{row.text}</code>
    </div>
  );
}
