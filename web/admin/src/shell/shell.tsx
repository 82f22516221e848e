import { UserRoundCog } from 'lucide-react';
import { lazy, type ReactNode, useCallback, useMemo } from 'react';
import type { TenantPage } from '../../../shared/api/admin-types.ts';
import type { ApiClient } from '../../../shared/api/client.ts';
import { useApi } from '../../../shared/app/api-context.tsx';
import { Changes } from '../../../shared/app/changes.tsx';
import { useKeptPreferences } from '../../../shared/app/kept-preferences.ts';
import { type Me, MeProvider } from '../../../shared/app/me.tsx';
import type { Findings } from '../../../shared/app/nav.ts';
import type { Session } from '../../../shared/app/session.ts';
import { SessionGate } from '../../../shared/app/session-gate.tsx';
import { AppShell } from '../../../shared/app/shell.tsx';
import { useGo } from '../../../shared/routing/link.tsx';
import { searchText } from '../../../shared/routing/search.ts';
import { useWords } from '../../../shared/words/use-words.ts';
import { type AdminWords, navOf, OWN_PAGE } from './nav.ts';
import { adminWords } from './words.ts';

const CodeDialog = lazy(() => import('./code-dialog.tsx'));

/** Around the console's pages: navigation, and search over ids. */
export default function AdminShell({ children }: { children: ReactNode }) {
  return <SessionGate>{(session) => <SignedIn session={session}>{children}</SignedIn>}</SessionGate>;
}

function SignedIn({ session, children }: { session: Session; children: ReactNode }) {
  const words = useWords(adminWords);
  const api = useApi();
  const go = useGo();
  const find = useCallback(
    (text: string, signal: AbortSignal) => findAnything(api, words, text, signal),
    [api, words],
  );
  useKeptPreferences(session.user);
  const me = useMemo<Me>(() => ({ session, account: null }), [session]);
  return (
    <AppShell
      name={words.name}
      nav={navOf(words)}
      personName={session.user.name ?? session.user.email}
      ownPath="/operator"
      own={[{ items: [{ label: words.ownPage, icon: UserRoundCog, onSelect: () => go(OWN_PAGE) }] }]}
      find={find}
      CodeDialog={CodeDialog}
    >
      <MeProvider me={me}>
        <Changes />
        {children}
      </MeProvider>
    </AppShell>
  );
}

/** Alone, or as a Message-ID begins. */
const MESSAGE = /^<?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:@\S+)?$/i;
/** Accounts that the search lists. */
const FOUND_MAX = 8;

/** Accounts by name, and messages: one by its id, others on their page. */
async function findAnything(
  api: ApiClient,
  { kinds }: AdminWords,
  text: string,
  signal: AbortSignal,
): Promise<Findings> {
  const q = text.trim();
  if (q === '') return { found: [], note: null };
  const query = { q, limit: FOUND_MAX };
  const { data } = await api.call<TenantPage>('GET', '/tenants', { query, signal });
  const accounts = data.map(({ id, name }) => ({
    id,
    kind: kinds.account,
    label: name,
    to: `/tenants/${id}`,
  }));
  const id = MESSAGE.exec(q)?.[1]?.toLowerCase();
  // Searches in messages are recorded, so none is made while somebody types.
  const messages =
    id === undefined
      ? { id: q, kind: kinds.messages, label: q, to: `/messages${searchText({ q })}` }
      : { id, kind: kinds.message, label: id, to: `/messages/${id}` };
  return { found: [...accounts, messages], note: null };
}
