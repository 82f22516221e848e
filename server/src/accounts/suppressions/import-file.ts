import { isUtf8 } from 'node:buffer';
import { CsvError, parse } from 'csv-parse/sync';
import { ApiError, type ApiErrorCode, apiError } from '../../errors.ts';
import type { Job } from '../../platform/threads/job.ts';
import { readAddress } from './address.ts';

export const IMPORT_LINES_MAX = 10_000;
export const IMPORT_BODY_LIMIT_BYTES = 2 * 1024 * 1024;
const REASON_MAX_CHARS = 500;
/** Names in other services; the first match counts. */
const ADDRESS_COLUMNS = ['address', 'email', 'email address', 'email_address', 'emailaddress', 'recipient'];
const REASON_COLUMN = 'reason';
const DELIMITERS = [',', ';', '\t'];
/** A file of 2 MiB takes a tenth of a second (ms). */
const JOB_LIMIT_MS = 10_000;

export interface ImportLine {
  readonly line: number;
  readonly address: string;
  readonly reason: string | null;
}

export interface RefusedLine {
  readonly line: number;
  readonly code: ApiErrorCode;
  readonly message: string;
}

export interface ImportFile {
  readonly lines: readonly ImportLine[];
  readonly refused: readonly RefusedLine[];
}

export const readImportJob: Job<Uint8Array, ImportFile> = {
  name: 'read-suppressions',
  limitMs: JOB_LIMIT_MS,
  run: readImportFile,
};

/** Throws invalid_body: no CSV, too many lines, or no address column. */
function readImportFile(bytes: Uint8Array): ImportFile {
  const [head, ...rest] = recordsOf(textOf(bytes));
  if (head === undefined)
    throw apiError('invalid_body', 'The file is empty: send CSV with a column "address".');
  const columns = columnsOf(head.cells);
  const records = columns.named ? rest : [head, ...rest];
  if (records.length > IMPORT_LINES_MAX)
    throw apiError(
      'invalid_body',
      `The file has ${records.length} addresses; a file may have ${IMPORT_LINES_MAX}: split it.`,
    );
  const lines: ImportLine[] = [];
  const refused: RefusedLine[] = [];
  for (const { line, cells } of records) {
    try {
      const address = readAddress(plain(cells[columns.address]));
      lines.push({ line, address, reason: reasonOf(cells[columns.reason]) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refused.push({ line, code: error.code, message: error.message });
    }
  }
  return { lines, refused };
}

/** Windows spreadsheets may not save UTF-8. */
function textOf(bytes: Uint8Array): string {
  const decoder = new TextDecoder(isUtf8(bytes) ? 'utf-8' : 'windows-1252');
  return decoder.decode(bytes).replaceAll('\0', '');
}

interface Record {
  readonly line: number;
  readonly cells: readonly string[];
}

function recordsOf(text: string): Record[] {
  try {
    const found = parse(text, {
      info: true,
      delimiter: delimiterOf(text),
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      max_record_size: RECORD_MAX_CHARS,
    }) as unknown as { info: { lines: number }; record: string[] }[];
    return found.map(({ info, record }) => ({ line: info.lines, cells: record }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw apiError('invalid_body', `The file is not CSV: ${error.message}.`, { cause: error });
  }
}

const RECORD_MAX_CHARS = 16_384;

function delimiterOf(text: string): string {
  const first = text.slice(0, RECORD_MAX_CHARS).split(/\r?\n/, 1)[0]!;
  return DELIMITERS.find((each) => first.includes(each)) ?? ',';
}

/** Without a header the first column has the addresses. */
function columnsOf(cells: readonly string[]): { named: boolean; address: number; reason: number } {
  const names = cells.map((cell) => cell.trim().toLowerCase());
  const address = ADDRESS_COLUMNS.map((name) => names.indexOf(name)).find((at) => at >= 0);
  if (address !== undefined) return { named: true, address, reason: names.indexOf(REASON_COLUMN) };
  if (names[0]?.includes('@')) return { named: false, address: 0, reason: -1 };
  throw apiError(
    'invalid_body',
    'The first line names no column "address" or "email": add it, or send one address per line.',
  );
}

/** Undoes our export's apostrophe. */
function plain(cell: string | undefined): string {
  return (cell ?? '').trim().replace(/^'(?=[=+@-])/, '');
}

function reasonOf(cell: string | undefined): string | null {
  const text = plain(cell)
    .replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')
    .trim()
    .slice(0, REASON_MAX_CHARS)
    .toWellFormed();
  return text === '' ? null : text;
}
