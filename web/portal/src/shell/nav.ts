import {
  Activity,
  AtSign,
  Ban,
  ChartColumn,
  FileText,
  Gauge,
  Globe,
  House,
  Inbox,
  KeyRound,
  Mail,
  MailCheck,
  MailQuestion,
  ScanSearch,
  ScrollText,
  Settings,
  ShieldCheck,
  UserRound,
  Users,
  Webhook,
} from 'lucide-react';

import type { NavGroup } from '../../../shared/app/nav.ts';
import type { Translated } from '../../../shared/words/words.ts';
import type { portalWords } from './words.ts';

type PortalWords = Translated<(typeof portalWords)['en']>;

/** The person's own page, which needs no account. */
export const OWN_PAGE = '/you';

/**
 * The navigation: pages in the order of their use. `sandbox`: of the account that has a test mailbox;
 * `waiting`: sends that wait for a person.
 */
export function navOf(
  { pages, groups }: PortalWords,
  sandbox: boolean,
  waiting: number,
): readonly NavGroup[] {
  const mailbox = { to: '/mailbox', label: pages.mailbox, icon: Inbox, key: 'b' };
  return [
    {
      items: [
        { to: '/', label: pages.home, icon: House, key: 'h' },
        { to: '/messages', label: pages.messages, icon: Mail, key: 'm' },
        { to: '/approvals', label: pages.approvals, icon: MailCheck, key: 'y', waiting },
        { to: '/live', label: pages.live, icon: Activity, key: 'e' },
        { to: '/recipient', label: pages.recipient, icon: MailQuestion, key: 'n' },
        { to: '/verify', label: pages.verify, icon: ShieldCheck, key: 'v' },
        { to: '/verify/operator', label: pages.operator, icon: ScanSearch, key: 'o', aside: true },
      ],
    },
    {
      title: groups.sending,
      items: [
        { to: '/domains', label: pages.domains, icon: Globe, key: 'd' },
        { to: '/senders', label: pages.senders, icon: AtSign },
        { to: '/templates', label: pages.templates, icon: FileText, key: 't' },
        { to: '/suppressions', label: pages.suppressions, icon: Ban, key: 's' },
      ],
    },
    {
      title: groups.connecting,
      items: [
        { to: '/webhooks', label: pages.webhooks, icon: Webhook, key: 'w' },
        { to: '/keys', label: pages.keys, icon: KeyRound, key: 'k' },
        ...(sandbox ? [mailbox] : []),
      ],
    },
    {
      title: groups.account,
      items: [
        { to: '/rates', label: pages.rates, icon: ChartColumn, key: 'r' },
        { to: '/usage', label: pages.usage, icon: Gauge, key: 'u' },
        { to: '/people', label: pages.people, icon: Users, key: 'p' },
        { to: '/audit', label: pages.audit, icon: ScrollText, key: 'l' },
        { to: '/account', label: pages.settings, icon: Settings, key: 'a' },
        { to: OWN_PAGE, label: pages.you, icon: UserRound, aside: true },
      ],
    },
  ];
}
