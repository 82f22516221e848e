import { searchText } from '../../../shared/routing/search.ts';

/** The answer of `GET /search`. */
export interface SearchPage {
  readonly data: readonly Found[];
}

interface Found {
  readonly kind: string;
  readonly id: string;
  readonly label: string;
}

/** Where each kind of thing is shown. */
export function pathOfFinding({ kind, id, label }: Found): string {
  switch (kind) {
    case 'domain':
      return `/domains/${id}`;
    case 'webhook':
      return `/webhooks/${id}`;
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
