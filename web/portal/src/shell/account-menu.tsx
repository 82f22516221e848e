import { Building2 } from 'lucide-react';
import type { Session } from '../../../shared/app/session.ts';
import { visible } from '../../../shared/format/foreign-text.ts';
import { Menu } from '../../../shared/ui/menu.tsx';
import { useWords } from '../../../shared/words/use-words.ts';
import { useChooseAccount } from '../parts/choose-account.ts';
import { portalWords } from './words.ts';

/** For somebody with several accounts: which one they work for. */
export default function AccountMenu({ session, current }: { session: Session; current: string }) {
  const words = useWords(portalWords);
  const choose = useChooseAccount();
  const account = session.accounts.find(({ id }) => id === current);
  if (account === undefined) return null;
  const roles: Readonly<Record<string, string>> = words.roles;
  const items = session.accounts.map(({ id, name, role }) => ({
    label: `${name} · ${roles[role] ?? role}`,
    checked: id === current,
    onSelect: () => choose(id),
  }));
  return (
    <Menu
      kind="quiet"
      icon={Building2}
      label={visible(account.name)}
      groups={[{ title: words.account, items }]}
    />
  );
}
