import { type ReactNode, useMemo } from 'react';
import { useKeptPreferences } from '../../../shared/app/kept-preferences.ts';
import { type Me, MeProvider } from '../../../shared/app/me.tsx';
import type { Finding } from '../../../shared/app/nav.ts';
import type { Session } from '../../../shared/app/session.ts';
import { SessionGate } from '../../../shared/app/session-gate.tsx';
import { AppShell } from '../../../shared/app/shell.tsx';
import { useWords } from '../../../shared/words/use-words.ts';
import { navOf } from './nav.ts';
import { adminWords } from './words.ts';

/** Around the console's pages: navigation, and search over ids. */
export default function AdminShell({ children }: { children: ReactNode }) {
  return <SessionGate>{(session) => <SignedIn session={session}>{children}</SignedIn>}</SessionGate>;
}

function SignedIn({ session, children }: { session: Session; children: ReactNode }) {
  const words = useWords(adminWords);
  useKeptPreferences(session.user);
  const me = useMemo<Me>(() => ({ session, account: null }), [session]);
  return (
    <AppShell
      name={words.name}
      nav={navOf(words)}
      personName={session.user.name ?? session.user.email}
      ownPath="/operator"
      find={findById}
      // The console's calls have commands of their own, which its pages name.
      isPublic={() => false}
    >
      <MeProvider me={me}>{children}</MeProvider>
    </AppShell>
  );
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The console is asked for messages by their id, as customers name them. */
async function findById(text: string): Promise<readonly Finding[]> {
  const id = text.toLowerCase();
  return UUID.test(id) ? [{ id, kind: 'id', label: id, to: `/messages/${id}` }] : [];
}
