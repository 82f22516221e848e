import type { Db } from '../../platform/database/db.ts';
import { type MonthUsage, readMonth } from './store.ts';

const MICROS_PER_CENT = 1_000_000;

/** Messages × present prices; sandbox accounts are free. */
export interface Bill {
  readonly month: string;
  readonly currency: string;
  readonly data: readonly BillLine[];
  readonly total_cents: number;
}

export type BillLine = ReturnType<typeof toLine>;

export async function readBill(db: Db, month: string, currency: string): Promise<Bill> {
  const rows = await db.transact((tx) => readMonth(tx, `${month}-01`));
  const data = rows.map(toLine);
  return { month, currency, data, total_cents: data.reduce((sum, line) => sum + line.total_cents, 0) };
}

function toLine(row: MonthUsage) {
  const certifiedCents = row.certified * row.pricePerMessageCents;
  const plainCents = row.plain * row.pricePerPlainMessageCents;
  return {
    tenant_id: row.tenantId,
    name: row.name,
    certified: row.certified,
    price_per_message_cents: row.pricePerMessageCents,
    certified_cents: certifiedCents,
    plain: row.plain,
    price_per_plain_message_cents: row.pricePerPlainMessageCents,
    plain_cents: plainCents,
    total_cents: certifiedCents + plainCents,
    /** Not part of the total. */
    sealing_cost_cents: row.costMicros / MICROS_PER_CENT,
  };
}

const COLUMNS = [
  'tenant_id',
  'name',
  'certified',
  'price_per_message_cents',
  'certified_cents',
  'plain',
  'price_per_plain_message_cents',
  'plain_cents',
  'total_cents',
  'sealing_cost_cents',
] as const satisfies readonly (keyof BillLine)[];

export function billCsv({ month, currency, data }: Bill): string {
  const lines = [
    ['month', 'currency', ...COLUMNS],
    ...data.map((line) => [month, currency, ...COLUMNS.map((name) => String(line[name]))]),
  ];
  return lines.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

/** Names must stay text: formula characters get an apostrophe (OWASP, CSV Injection). */
function cell(text: string): string {
  const harmless = /^[\s]*[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
