import { ChevronDown, ChevronUp } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useWords } from '../words/use-words.ts';
import { listWords } from './list-words.ts';
import classes from './table.module.css';
import { TABLE_NARROW, useNarrow } from './use-narrow.ts';

export interface Column<Row> {
  readonly id: string;
  readonly head: string;
  cell(row: Row): ReactNode;
  /** Numbers stand at the end of their column. */
  readonly end?: boolean;
  /** Takes what room there is, and is cut where there is not enough. */
  readonly main?: boolean;
  /**
   * Its place in a row of two lines, as narrow screens show a table that has any: at the beginning or the
   * end of the first (`lead`, `corner`), at the beginning, in the middle or at the end of the second
   * (`mark`, `below`, `side`), or below both (`foot`). A cell that holds a stranger's text (`Foreign`) is
   * one line, which is cut, except in the foot and for its `Whole`. A column without a place is not shown
   * there. The link of the first column takes the whole row; a table without
   * such a link has `unfolds`.
   */
  readonly phone?: 'lead' | 'corner' | 'mark' | 'below' | 'side' | 'foot';
}

export interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  rowKey(row: Row): string;
  readonly selected?: string | null;
  /** On a narrow screen a press on a row shows all of it. Its first column has a place there. */
  readonly unfolds?: boolean;
}

/**
 * Rows of facts; below 56 rem each row is two lines, or a card if its columns have no place there. A row
 * leads somewhere by a link in its first cell.
 */
export function Table<Row>({ label, columns, rows, rowKey, selected, unfolds = false }: TableProps<Row>) {
  const folds = useNarrow(TABLE_NARROW) && unfolds;
  const [open, setOpen] = useState<ReadonlySet<string>>(NONE);
  const toggle = (key: string) =>
    setOpen(
      (before) => new Set(before.has(key) ? [...before].filter((each) => each !== key) : [...before, key]),
    );
  const inLines = columns.some(({ phone }) => phone !== undefined);
  const frame = [classes['table'], inLines && classes['lines'], folds && classes['unfolds']]
    .filter(Boolean)
    .join(' ');
  return (
    <div className={classes['frame']}>
      {/* The roles are said because a card's display takes them away. */}
      {/* biome-ignore lint/a11y/noRedundantRoles: as above */}
      <table className={frame} aria-label={label} role="table">
        {/* biome-ignore lint/a11y/noRedundantRoles: as above */}
        <thead role="rowgroup">
          {/* biome-ignore lint/a11y/noRedundantRoles: as above */}
          <tr role="row">
            {columns.map((column) => (
              // biome-ignore lint/a11y/noRedundantRoles: as above
              <th key={column.id} scope="col" role="columnheader" className={columnClass(column)}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        {/* biome-ignore lint/a11y/noRedundantRoles: as above */}
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              // biome-ignore lint/a11y/noRedundantRoles: as above
              role="row"
              data-row={rowKey(row)}
              data-selected={rowKey(row) === selected}
              data-open={(folds && open.has(rowKey(row))) || undefined}
            >
              {columns.map((column, index) => (
                <Cell
                  key={column.id}
                  column={column}
                  isFirst={index === 0}
                  unfold={
                    folds &&
                    index === 0 && (
                      <Unfold open={open.has(rowKey(row))} onToggle={() => toggle(rowKey(row))} />
                    )
                  }
                >
                  {column.cell(row)}
                </Cell>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The sentence of a cell that also holds strangers' texts: narrow screens show all of it. */
export function Whole({ className, children }: { className?: string | undefined; children: ReactNode }) {
  return (
    <div data-whole={true} className={className}>
      {children}
    </div>
  );
}

const NONE: ReadonlySet<string> = new Set();
const ICON_PX = 16;

function Unfold({ open, onToggle }: { open: boolean; onToggle: () => void }) {
  const words = useWords(listWords);
  const Icon = open ? ChevronUp : ChevronDown;
  return (
    <button
      type="button"
      className={classes['unfold']}
      aria-expanded={open}
      aria-label={words.wholeRow}
      onClick={onToggle}
    >
      <Icon size={ICON_PX} aria-hidden="true" />
    </button>
  );
}

interface CellProps {
  readonly column: Pick<Column<unknown>, 'head' | 'end' | 'main' | 'phone'>;
  /** Names its row. */
  readonly isFirst: boolean;
  readonly unfold: ReactNode;
  readonly children: ReactNode;
}

function Cell({ column, isFirst, unfold, children }: CellProps) {
  const content = (
    <div className={`${classes['cell']} ${column.main === true ? classes['cut'] : ''}`}>{children}</div>
  );
  const shared = { 'data-label': column.head, 'data-phone': column.phone, className: columnClass(column) };
  return isFirst ? (
    // biome-ignore lint/a11y/noRedundantRoles: a card's display takes it away
    <th scope="row" role="rowheader" {...shared}>
      {content}
      {unfold}
    </th>
  ) : (
    // biome-ignore lint/a11y/noRedundantRoles: as above
    <td role="cell" {...shared}>
      {content}
    </td>
  );
}

function columnClass({ end, main }: { end?: boolean; main?: boolean }): string {
  return [end === true ? classes['end'] : '', main === true ? classes['main'] : ''].filter(Boolean).join(' ');
}
