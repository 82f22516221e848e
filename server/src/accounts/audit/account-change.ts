import type { Tx } from '../../platform/database/db.ts';
import { type AuditSource, appendAccountEvent } from './append.ts';

/** Source pools are the operator's matter. */
const SHOWN = [
  ...['name', 'status', 'default_certified', 'quota_messages_month', 'quota_plain_messages_month'],
  ...['price_per_message_cents', 'price_per_plain_message_cents', 'require_ready_domains'],
  'plain_record_days',
];

type Presented = Readonly<Record<string, unknown>>;

export async function appendAccountChange(
  tx: Tx,
  tenantId: string,
  source: AuditSource,
  { before, after }: { readonly before: Presented; readonly after: Presented },
  at: Date,
): Promise<void> {
  const changed = SHOWN.filter((name) => before[name] !== after[name]);
  if (changed.length === 0) return;
  const pick = (of: Presented) => Object.fromEntries(changed.map((name) => [name, of[name]]));
  const entry = { action: 'update_account', before: pick(before), after: pick(after) };
  await appendAccountEvent(tx, tenantId, source, entry, at);
}
