import type { ReactNode } from 'react';
import classes from './table.module.css';

export interface Column<Row> {
  readonly id: string;
  readonly head: string;
  cell(row: Row): ReactNode;
  /** Numbers stand at the end of their column. */
  readonly end?: boolean;
  /** Takes what room there is, and is cut where there is not enough. */
  readonly main?: boolean;
}

export interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  rowKey(row: Row): string;
  readonly selected?: string | null;
}

/** Rows of facts; below 56 rem each row is a card. A row leads somewhere by a link in its first cell. */
export function Table<Row>({ label, columns, rows, rowKey, selected }: TableProps<Row>) {
  return (
    <div className={classes['frame']}>
      {/* The roles are said because a card's display takes them away. */}
      {/* biome-ignore lint/a11y/noRedundantRoles: as above */}
      <table className={classes['table']} aria-label={label} role="table">
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
            // biome-ignore lint/a11y/noRedundantRoles: as above
            <tr key={rowKey(row)} role="row" data-row={rowKey(row)} data-selected={rowKey(row) === selected}>
              {columns.map((column, index) => (
                <Cell key={column.id} column={column} isFirst={index === 0}>
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

interface CellProps {
  readonly column: Pick<Column<unknown>, 'head' | 'end' | 'main'>;
  /** Names its row. */
  readonly isFirst: boolean;
  readonly children: ReactNode;
}

function Cell({ column, isFirst, children }: CellProps) {
  const content = (
    <div className={`${classes['cell']} ${column.main === true ? classes['cut'] : ''}`}>{children}</div>
  );
  const shared = { 'data-label': column.head, className: columnClass(column) };
  return isFirst ? (
    // biome-ignore lint/a11y/noRedundantRoles: a card's display takes it away
    <th scope="row" role="rowheader" {...shared}>
      {content}
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
