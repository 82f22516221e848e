import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import type { FastifyReply } from 'fastify';
import { attachmentHeader } from './download.ts';

/** Lists as CSV, streamed page by page: memory for one page, whatever the length. */

export const CSV = 'text/csv';
/** Spreadsheets need it to detect UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';

type CsvCell = string | number | boolean | Date | null;

export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => CsvCell>>;

/**
 * Streams rows under a header line. A failure on the first page fails the request; a later one breaks off the
 * answer.
 */
export async function sendCsv<Row>(
  reply: FastifyReply,
  filename: string,
  columns: CsvColumns<Row>,
  pages: AsyncGenerator<readonly Row[], void>,
): Promise<FastifyReply> {
  const first = await pages.next();
  return reply
    .type(`${CSV}; charset=utf-8; header=present`)
    .header('Content-Disposition', attachmentHeader(filename, filename))
    .send(Readable.from(textOf(columns, first, pages), { objectMode: false }));
}

async function* textOf<Row>(
  columns: CsvColumns<Row>,
  first: IteratorResult<readonly Row[], void>,
  pages: AsyncGenerator<readonly Row[], void>,
): AsyncGenerator<string, void> {
  yield BYTE_ORDER_MARK + linesOf([Object.keys(columns)]);
  const read = Object.values(columns);
  const lines = (rows: readonly Row[]) => linesOf(rows.map((row) => read.map((cell) => written(cell(row)))));
  if (first.done === true) return;
  yield lines(first.value);
  for await (const rows of pages) yield lines(rows);
}

/**
 * Cells hold text of strangers: spreadsheets would compute a leading `=`, `+`, `-` or `@`. Those that
 * separate by `;` (in much of Europe and South America) or by tabs begin a new cell there, quoted or not.
 */
const BEGINS_A_CELL = /[;\t\r\n](?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

function linesOf(lines: readonly (readonly string[])[]): string {
  return stringify(lines as string[][], { escape_formulas: true, record_delimiter: 'windows' });
}

function written(cell: CsvCell): string {
  if (cell === null) return '';
  return cell instanceof Date ? cell.toISOString() : String(cell).replace(BEGINS_A_CELL, "$&'");
}
