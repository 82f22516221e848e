import { Download } from 'lucide-react';
import { useState } from 'react';
import type { ApiClient, Query } from '../api/client.ts';
import { useApi } from '../app/api-context.tsx';
import { toCsv } from '../format/csv.ts';
import { download } from '../format/download.ts';
import { useFormat } from '../format/format.ts';
import { useWords } from '../words/use-words.ts';
import { Button } from './button.tsx';
import { listWords } from './list-words.ts';
import { Refusal, useSubmission } from './refusal.tsx';
import { useToast } from './toast.tsx';

/** More is asked for by program (rows). */
const EXPORT_MAX = 10_000;
/** The API's largest page (rows). */
const PAGE_ROWS = 100;

interface List {
  /** Name of the file, without its extension. */
  readonly name: string;
  readonly path: string;
  /** The filters that the list is shown with. */
  readonly query: Query;
  /** Names of the answer's fields; those of a field within, with a dot. */
  readonly columns: readonly string[];
  /** The whole list is one answer, without parameters of pages; the rows are in this field of it. */
  readonly whole?: string;
}

interface Props extends List {
  readonly unavailable?: string | null;
}

/** The entries that a list shows, and those of its next pages, as a file. */
export function ExportButton({ unavailable, ...list }: Props) {
  const words = useWords(listWords);
  const api = useApi();
  const format = useFormat();
  const toast = useToast();
  const [rows, setRows] = useState(0);
  const { busy, error, run } = useSubmission();
  const start = () =>
    run(async () => {
      setRows(0);
      const done = await exportList(api, list, setRows);
      toast((done.complete ? words.exported : words.exportedFirst)(format.number(done.rows)));
    });
  return (
    <>
      <Button icon={Download} busy={busy} unavailable={unavailable} onClick={start}>
        {busy && rows > 0 ? words.exporting(format.number(rows)) : words.export}
      </Button>
      {error !== null && <Refusal error={error} />}
    </>
  );
}

type Row = Readonly<Record<string, unknown>>;

async function exportList(
  api: ApiClient,
  { name, path, query, columns, whole }: List,
  onProgress: (rows: number) => void,
): Promise<{ rows: number; complete: boolean }> {
  const rows: Cell[][] = [[...columns]];
  let after: string | null = '';
  while (after !== null && rows.length <= EXPORT_MAX) {
    const page: Row = await api.call('GET', path, {
      query: { ...query, ...(whole === undefined && { limit: PAGE_ROWS, after }) },
    });
    for (const row of within(page, whole ?? 'data') as readonly Row[])
      rows.push(columns.map((column) => cellOf(row, column)));
    after = (page['next_cursor'] ?? null) as string | null;
    onProgress(rows.length - 1);
  }
  // The mark tells spreadsheets that it is UTF-8.
  download(`${name}.csv`, new Blob(['\ufeff', toCsv(rows)], { type: 'text/csv;charset=utf-8' }));
  return { rows: rows.length - 1, complete: after === null };
}

type Cell = string | number | boolean | null;

function cellOf(row: Row, column: string): Cell {
  const value = within(row, column);
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : (value as Cell);
}

function within(row: Row, name: string): unknown {
  return name.split('.').reduce<unknown>((value, part) => (value as Row | null | undefined)?.[part], row);
}
