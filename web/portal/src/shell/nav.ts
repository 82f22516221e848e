import { House, Mail } from 'lucide-react';
import type { NavGroup } from '../../../shared/app/nav.ts';
import type { Translated } from '../../../shared/words/words.ts';
import type { portalWords } from './words.ts';

type PortalWords = Translated<(typeof portalWords)['en']>;

/** The navigation: pages in the order of their use. */
export function navOf({ pages }: PortalWords): readonly NavGroup[] {
  return [
    {
      items: [
        { to: '/', label: pages.home, icon: House, key: 'h' },
        { to: '/messages', label: pages.messages, icon: Mail, key: 'm' },
      ],
    },
  ];
}
