import { SEALED_DKIM_KEYS } from '../../accounts/domains/sealed-store.ts';
import { SEALED_LOGS } from '../../evidence/log/sealed-store.ts';
import { OPERATORS } from '../../people/operators/operator.ts';
import { USERS } from '../../people/sessions/user.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { SEALED_INSTALLATION_SECRETS } from '../../platform/database/installation-secrets-store.ts';
import type { SealedRow, SealedTable } from '../../platform/database/sealed-table.ts';
import { createSecretBox, SealedSecretError, type SecretBox } from '../../platform/secrets.ts';
import { SEALED_ENDPOINTS } from '../../webhooks/sealed-store.ts';

export const SEALED_TABLES: readonly SealedTable[] = [
  SEALED_LOGS,
  SEALED_INSTALLATION_SECRETS,
  SEALED_DKIM_KEYS,
  SEALED_ENDPOINTS,
  USERS.sealed,
  OPERATORS.sealed,
];

export interface TableSeals {
  readonly table: string;
  /** The first key seals. */
  readonly byKey: number[];
  unopened: number;
  resealed: number;
}

interface ResealOptions {
  readonly masterKeys: readonly Uint8Array[];
  readonly dryRun: boolean;
  onPage?(table: TableSeals): void;
  readonly signal?: AbortSignal;
}

const PAGE_ROWS = 200;

/**
 * Reseals under the first key, page by page in transactions: can be interrupted and repeated. Concurrent
 * changes already use the first key.
 */
export async function reseal(db: Db, options: ResealOptions): Promise<TableSeals[]> {
  const boxes = options.masterKeys.map((key) => createSecretBox([key]));
  const done: TableSeals[] = [];
  for (const table of SEALED_TABLES) done.push(await resealTable(db, table, boxes, options));
  return done;
}

async function resealTable(
  db: Db,
  table: SealedTable,
  boxes: readonly SecretBox[],
  { dryRun, onPage, signal }: ResealOptions,
): Promise<TableSeals> {
  const seals: TableSeals = { table: table.table, byKey: boxes.map(() => 0), unopened: 0, resealed: 0 };
  const inTransaction = table.as === 'sessions' ? db.asSessions : db.transact;
  for (let after: readonly string[] | null = null; ; ) {
    signal?.throwIfAborted();
    const before = after;
    const page = await inTransaction(async (tx) => {
      const rows = await table.read(tx, before, PAGE_ROWS);
      const looked = [];
      for (const row of rows) looked.push(await look(tx, table, row, boxes, dryRun));
      return { last: rows.length < PAGE_ROWS ? null : rows.at(-1)!.ids, looked };
    });
    for (const { keys, replaced } of page.looked) {
      for (const key of keys) {
        if (key === null) seals.unopened++;
        else seals.byKey[replaced ? 0 : key]!++;
      }
      if (replaced) seals.resealed += keys.filter((key) => key !== null && key > 0).length;
    }
    onPage?.(seals);
    if (page.last === null) return seals;
    after = page.last;
  }
}

async function look(
  tx: Tx,
  table: SealedTable,
  row: SealedRow,
  boxes: readonly SecretBox[],
  dryRun: boolean,
): Promise<{ keys: (number | null)[]; replaced: boolean }> {
  const opened = row.sealed.map((sealed) => openWith(boxes, sealed, row.context));
  const keys = opened.flatMap((each) => (each === 'none' ? [] : [each?.key ?? null]));
  const isOld = keys.some((key) => key !== null && key > 0);
  if (!isOld || dryRun) return { keys, replaced: false };
  const sealed = row.sealed.map((bytes, at) => {
    const each = opened[at];
    return each === 'none' || each == null || each.key === 0
      ? bytes
      : boxes[0]!.seal(each.plain, row.context);
  });
  return { keys, replaced: await table.replace(tx, row, sealed) };
}

function openWith(
  boxes: readonly SecretBox[],
  sealed: Uint8Array | null,
  context: string,
): { key: number; plain: Buffer } | 'none' | null {
  if (sealed === null || sealed.length === 0) return 'none';
  for (const [key, box] of boxes.entries()) {
    try {
      return { key, plain: box.open(sealed, context) };
    } catch (error) {
      if (!(error instanceof SealedSecretError)) throw error;
    }
  }
  return null;
}
