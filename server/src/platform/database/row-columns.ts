/**
 * Columns that a statement takes from many rows, each as one array parameter: name, type, and the array.
 * Names, types and values are in one place, so that they stay in step.
 */
type RowColumn<Row> = readonly [name: string, type: string, array: (rows: readonly Row[]) => string];

interface RowColumns<Row> {
  readonly names: string;
  readonly selected: string;
  /** `$6::text[], $7::integer[]`: parameters of unnest. */
  readonly parameters: string;
  values(rows: readonly Row[]): string[];
}

/** `first`: number of the first parameter. */
export function rowColumns<Row>(first: number, columns: readonly RowColumn<Row>[]): RowColumns<Row> {
  return {
    names: columns.map(([name]) => name).join(', '),
    selected: columns.map(([name]) => `t.${name}`).join(', '),
    parameters: columns.map(([, type], at) => `$${first + at}::${type}[]`).join(', '),
    values: (rows) => columns.map(([, , array]) => array(rows)),
  };
}
