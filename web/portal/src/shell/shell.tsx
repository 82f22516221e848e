import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { UserRoundCog } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo } from 'react';
import type { FoundList } from '../../../shared/api/portal-types.ts';
import { chooseAccount, useChosenAccount } from '../../../shared/app/account.ts';
import { useApi } from '../../../shared/app/api-context.tsx';
import { Changes } from '../../../shared/app/changes.tsx';
import { useKeptPreferences } from '../../../shared/app/kept-preferences.ts';
import { type Me, MeProvider } from '../../../shared/app/me.tsx';
import type { Findings } from '../../../shared/app/nav.ts';
import type { Session, SessionAccount } from '../../../shared/app/session.ts';
import { SessionGate } from '../../../shared/app/session-gate.tsx';
import { AppShell } from '../../../shared/app/shell.tsx';
import { shellWords } from '../../../shared/app/shell-words.ts';
import { visible } from '../../../shared/format/foreign-text.ts';
import { useFormat } from '../../../shared/format/format.ts';
import { useGo } from '../../../shared/routing/link.tsx';
import { searchText } from '../../../shared/routing/search.ts';
import { PageHeading } from '../../../shared/ui/heading.tsx';
import { Notice } from '../../../shared/ui/notice.tsx';
import { useWords } from '../../../shared/words/use-words.ts';
import { approvalsQuery } from '../parts/approval-queries.ts';
import { nothingWords } from '../parts/nothing-words.ts';
import { whyNothing } from '../parts/search-query.ts';
import { addressIn, pathOfFinding } from './find.ts';
import { navOf, OWN_PAGE } from './nav.ts';
import classes from './shell.module.css';
import { portalWords } from './words.ts';

/** How often every page asks for what waits for a person (ms). */
const APPROVALS_AGAIN_MS = 60_000;

const CodeDialog = lazy(() => import('./code-dialog.tsx'));
const AccountMenu = lazy(() => import('./account-menu.tsx'));
const FactorDemanded = lazy(() => import('./factor-demanded.tsx'));

/** Around the portal's pages: the account that somebody works for, navigation, search. */
export default function PortalShell({ children }: { children: ReactNode }) {
  return <SessionGate>{(session) => <SignedIn session={session}>{children}</SignedIn>}</SessionGate>;
}

function SignedIn({ session, children }: { session: Session; children: ReactNode }) {
  const words = useWords(portalWords);
  const api = useApi();
  const go = useGo();
  const chosen = useChosenAccount();
  const account = session.accounts.find(({ id }) => id === chosen) ?? session.accounts[0] ?? null;
  useEffect(() => chooseAccount(account?.id ?? null), [account?.id]);
  useKeptPreferences(session.user);
  const me = useMemo<Me>(() => ({ session, account }), [session, account]);
  const nothing = useWords(nothingWords);
  const format = useFormat();
  const find = useCallback(
    async (q: string, signal: AbortSignal): Promise<Findings> => {
      const answer = await api.call<FoundList>('GET', '/search', { query: { q }, signal });
      const { kinds } = words;
      const found = answer.data.map((each) => ({
        ...each,
        kind: kinds[each.kind] ?? kinds.other,
        to: pathOfFinding(each),
      }));
      const address = addressIn(q);
      if (address !== null)
        found.push({
          id: address,
          kind: nothing.whyNot,
          label: address,
          to: `/recipient${searchText({ address })}`,
        });
      const why = answer.nothing === null ? [] : whyNothing(answer.nothing, nothing, format);
      return { found, note: why.length === 0 ? null : why.join(' ') };
    },
    [api, words, nothing, format],
  );
  const waiting = useWaiting(chosen === account?.id ? account : null);
  // Until the header names it, calls would be for no account.
  if (account !== null && chosen !== account.id) return null;
  return (
    <AppShell
      name={words.name}
      nav={account === null ? [] : navOf(words, account.sandbox, waiting)}
      account={
        account !== null &&
        session.accounts.length > 1 && <AccountMenu session={session} current={account.id} />
      }
      own={[{ items: [{ label: words.ownPage, icon: UserRoundCog, onSelect: () => go(OWN_PAGE) }] }]}
      personName={visible(session.user.name ?? session.user.email)}
      ownPath="/user"
      find={find}
      CodeDialog={CodeDialog}
    >
      <MeProvider key={account?.id ?? ''} me={me}>
        {account !== null && <Changes />}
        <Inside account={account}>{children}</Inside>
      </MeProvider>
    </AppShell>
  );
}

/** How many sends wait for a person; 0 for those who may not see them. */
function useWaiting(account: SessionAccount | null): number {
  const api = useApi();
  const isShown =
    account !== null && !account.second_factor_missing && account.scopes.includes('evidence:read');
  const { data } = useQuery({ ...approvalsQuery(api, APPROVALS_AGAIN_MS), enabled: isShown });
  return isShown ? (data?.data.length ?? 0) : 0;
}

/** The page, or what stands in its way; one's own page is always there. */
function Inside({ account, children }: { account: SessionAccount | null; children: ReactNode }) {
  const around = useWords(shellWords);
  const { pathname } = useLocation();
  if (pathname === OWN_PAGE) return children;
  if (account === null) return <PageHeading title={around.noAccountTitle} lead={around.noAccount} />;
  if (account.second_factor_missing)
    return (
      <Suspense>
        <FactorDemanded />
      </Suspense>
    );
  return (
    <>
      <AccountNotice account={account} />
      {children}
    </>
  );
}

/** Notices that the account does not work as usual. */
function AccountNotice({ account }: { account: SessionAccount }) {
  const words = useWords(portalWords);
  const { status } = account;
  if (status === 'active') return null;
  return (
    <div className={classes['notice']}>
      {status === 'suspended' && <Notice tone="failed">{words.suspended}</Notice>}
      {status === 'deactivated' && <Notice tone="failed">{words.deactivated}</Notice>}
    </div>
  );
}
