/** Rows as CSV, as spreadsheets open it. */

/** Spreadsheets take these for formulas; those that separate by `;` or tabs begin a new cell there. */
const FORMULA = /^[=+\-@\t\r]/;
const FORMULA_BEHIND = /[;\t\r\n](?=[=+\-@])/g;

export function toCsv(rows: readonly (readonly (string | number | boolean | null)[])[]): string {
  return rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
}

function cellText(value: string | number | boolean | null): string {
  if (value === null) return '';
  const text =
    typeof value === 'string'
      ? `${FORMULA.test(value) ? "'" : ''}${value.replace(FORMULA_BEHIND, "$&'")}`
      : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
