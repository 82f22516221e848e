import type { Found } from '../../../shared/api/portal-types.ts';
import { searchText } from '../../../shared/routing/search.ts';

/** Where each kind of thing is shown. */
export function pathOfFinding({ kind, id, label, webhook_id: webhook }: Found): string {
  switch (kind) {
    case 'domain':
      return `/domains/${id}`;
    case 'webhook':
      return `/webhooks/${id}`;
    case 'delivery':
      return `/webhooks/${webhook}/deliveries/${id}`;
    case 'template':
      return `/templates/${id}`;
    case 'sender':
      return '/senders';
    case 'suppression':
      return `/suppressions${searchText({ address: label })}`;
    default:
      return `/messages/${id}/timeline`;
  }
}

/** An address among other words, as one pastes it; null: none. */
export function addressIn(text: string): string | null {
  return /[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>".]+/.exec(text)?.[0] ?? null;
}
