// Figures as a table that a document can take over.

/** The middle one of an odd number of figures, the upper of the two of an even one. */
export function median(list) {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
}

export function digits(value, places = 0) {
  return value === null || value === undefined ? '' : value.toFixed(places);
}

/**
 * `rows`: objects of text with the same keys; the first `names` columns are aligned as text, the others as
 * numbers.
 */
export function printTable(rows, names) {
  const columns = Object.keys(rows[0]);
  const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => row[column].length)));
  const line = (cells) =>
    `| ${cells.map((cell, at) => (at < names ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join(' | ')} |`;
  console.log(line(columns));
  console.log(line(widths.map((width) => '-'.repeat(width))));
  for (const row of rows) console.log(line(columns.map((column) => row[column])));
}
