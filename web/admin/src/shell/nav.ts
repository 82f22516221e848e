import {
  Archive,
  Building2,
  Gauge,
  Inbox,
  ListOrdered,
  Mail,
  MailX,
  Receipt,
  ScrollText,
  Settings,
  Stamp,
  UserRound,
  Users,
} from 'lucide-react';
import type { NavGroup } from '../../../shared/app/nav.ts';
import type { Translated } from '../../../shared/words/words.ts';
import type { adminWords } from './words.ts';

export type AdminWords = Translated<(typeof adminWords)['en']>;

/** The operator's own page. */
export const OWN_PAGE = '/you';

/** The navigation: pages in the order of their use. */
export function navOf({ pages, groups }: AdminWords): readonly NavGroup[] {
  return [
    {
      items: [
        { to: '/', label: pages.overview, icon: Gauge, key: 'o' },
        { to: '/queue', label: pages.queue, icon: ListOrdered, key: 'q' },
        { to: '/messages', label: pages.messages, icon: Mail, key: 'e' },
      ],
    },
    {
      title: groups.customers,
      items: [
        { to: '/tenants', label: pages.tenants, icon: Building2, key: 'a' },
        { to: '/billing', label: pages.billing, icon: Receipt, key: 'b' },
      ],
    },
    {
      title: groups.installation,
      items: [
        { to: '/sealing', label: pages.sealing, icon: Stamp, key: 's' },
        { to: '/suppressions', label: pages.suppressions, icon: MailX, key: 'x' },
        { to: '/role-mail', label: pages.roleMail, icon: Inbox, key: 'm' },
        { to: '/retention', label: pages.retention, icon: Archive, key: 'r' },
        { to: '/operators', label: pages.operators, icon: Users, key: 'p' },
        { to: '/audit', label: pages.audit, icon: ScrollText, key: 'l' },
        { to: '/configuration', label: pages.configuration, icon: Settings, key: 'c' },
        { to: OWN_PAGE, label: pages.you, icon: UserRound, aside: true },
      ],
    },
  ];
}
