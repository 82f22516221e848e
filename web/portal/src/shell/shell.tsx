import { useQueryClient } from '@tanstack/react-query';
import { Building2 } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useMemo } from 'react';
import type { ApiCall } from '../../../shared/api/calls.ts';
import { chooseAccount, useChosenAccount } from '../../../shared/app/account.ts';
import { useApi } from '../../../shared/app/api-context.tsx';
import { type Me, MeProvider } from '../../../shared/app/me.tsx';
import type { Finding } from '../../../shared/app/nav.ts';
import { OpenPage } from '../../../shared/app/open-frame.tsx';
import { SESSION_KEY, type Session } from '../../../shared/app/session.ts';
import { SessionGate } from '../../../shared/app/session-gate.tsx';
import { AppShell } from '../../../shared/app/shell.tsx';
import { shellWords } from '../../../shared/app/shell-words.ts';
import { Menu } from '../../../shared/ui/menu.tsx';
import { Empty } from '../../../shared/ui/states.tsx';
import { useWords } from '../../../shared/words/use-words.ts';
import { pathOfFinding, type SearchPage } from './find.ts';
import { navOf } from './nav.ts';
import { portalWords } from './words.ts';

/** Around the portal's pages: the account that somebody works for, navigation, search. */
export function PortalShell({ children }: { children: ReactNode }) {
  return <SessionGate>{(session) => <SignedIn session={session}>{children}</SignedIn>}</SessionGate>;
}

export function PortalOpenFrame({ children }: { children: ReactNode }) {
  const words = useWords(portalWords);
  return <OpenPage name={words.name}>{children}</OpenPage>;
}

function SignedIn({ session, children }: { session: Session; children: ReactNode }) {
  const words = useWords(portalWords);
  const around = useWords(shellWords);
  const api = useApi();
  const chosen = useChosenAccount();
  const account = session.accounts.find(({ id }) => id === chosen) ?? session.accounts[0] ?? null;
  useEffect(() => chooseAccount(account?.id ?? null), [account?.id]);
  const me = useMemo<Me>(() => ({ session, account }), [session, account]);
  const find = useCallback(
    async (q: string, signal: AbortSignal): Promise<readonly Finding[]> => {
      const { data } = await api.call<SearchPage>('GET', '/search', { query: { q }, signal });
      const kinds: Readonly<Record<string, string>> = words.kinds;
      return data.map((each) => ({
        ...each,
        kind: kinds[each.kind] ?? words.kinds.other,
        to: pathOfFinding(each),
      }));
    },
    [api, words],
  );
  // Until the header names it, calls would be for no account.
  if (account !== null && chosen !== account.id) return null;
  return (
    <AppShell
      name={words.name}
      nav={account === null ? [] : navOf(words)}
      account={account !== null && <AccountMenu session={session} current={account.id} />}
      personName={session.user.name ?? session.user.email}
      find={find}
      isPublic={isOfMachineApi}
    >
      {account === null ? (
        <Empty title={around.noAccountTitle}>{around.noAccount}</Empty>
      ) : (
        <MeProvider key={account.id} me={me}>
          {children}
        </MeProvider>
      )}
    </AppShell>
  );
}

function AccountMenu({ session, current }: { session: Session; current: string }) {
  const words = useWords(portalWords);
  const queryClient = useQueryClient();
  const account = session.accounts.find(({ id }) => id === current);
  function choose(id: string) {
    chooseAccount(id);
    // All that was read is the other account's.
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  }
  if (account === undefined || session.accounts.length < 2) return null;
  const roles: Readonly<Record<string, string>> = words.roles;
  const items = session.accounts.map(({ id, name, role }) => ({
    label: `${name} · ${roles[role] ?? role}`,
    checked: id === current,
    onSelect: () => choose(id),
  }));
  return (
    <Menu kind="quiet" icon={Building2} label={account.name} groups={[{ title: words.account, items }]} />
  );
}

/** What a key may call as well: the portal's own routes are for people. */
function isOfMachineApi({ path }: ApiCall): boolean {
  return !/^\/(?:session|user|members|audit|settings|search|changes|onboarding|password)/.test(path);
}
