import type { ApiClient } from '../../../../shared/api/client.ts';
import type { MessagePage } from '../../../../shared/api/portal-types.ts';
import { toCsv } from '../../../../shared/format/csv.ts';
import { download } from '../../../../shared/format/download.ts';
import { type Search, toQuery } from './filters.ts';

/** More is asked for by program (messages). */
const EXPORT_MAX = 10_000;
/** The API's largest page (messages). */
const PAGE_ROWS = 100;

const COLUMNS = [
  'id',
  'created_at',
  'status',
  'from',
  'to',
  'subject',
  'certified',
  'sealed_at',
  'sent_at',
  'bounced_at',
  'attempts',
] as const;

export async function exportMessages(
  api: ApiClient,
  search: Search,
  onProgress: (rows: number) => void,
): Promise<{ rows: number; complete: boolean }> {
  const rows: (string | number | boolean | null)[][] = [[...COLUMNS, 'reply']];
  let after: string | null = '';
  while (after !== null && rows.length <= EXPORT_MAX) {
    const page: MessagePage = await api.call('GET', '/messages', {
      query: { ...toQuery(search), limit: PAGE_ROWS, after },
    });
    for (const message of page.data)
      rows.push([...COLUMNS.map((name) => message[name]), message.last_reply?.text ?? null]);
    after = page.next_cursor;
    onProgress(rows.length - 1);
  }
  // The mark tells spreadsheets that it is UTF-8.
  download('messages.csv', new Blob(['\ufeff', toCsv(rows)], { type: 'text/csv;charset=utf-8' }));
  return { rows: rows.length - 1, complete: after === null };
}
