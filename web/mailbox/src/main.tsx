import { StrictMode, useEffect, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { openMailbox } from '../../shared/api/mailbox.ts';
import { PreferencesProvider } from '../../shared/app/preferences.tsx';
import { Inbox } from './inbox.tsx';
import { forgetKey, KeyForm, keepKey, readKey } from './key.tsx';

/** Access by key, by session, or none; `asking`: unknown. */
type Access = { readonly key: string } | 'session' | 'asking' | 'none';

/** The page of the test mailbox: who may see it first, then the mail. */
function App() {
  const [access, setAccess] = useState<Access>(startingAccess);
  const [refused, setRefused] = useState(false);
  const mailbox = useMemo(
    () => (access === 'none' ? null : openMailbox(typeof access === 'object' ? access.key : null)),
    [access],
  );
  useEffect(() => {
    if (access !== 'asking' || mailbox === null) return;
    mailbox.list(1, null).then(
      () => setAccess('session'),
      () => setAccess('none'),
    );
  }, [access, mailbox]);
  if (access === 'asking') return null;
  if (mailbox === null)
    return (
      <KeyForm
        refused={refused}
        onKey={(next) => {
          keepKey(next);
          setAccess({ key: next });
        }}
      />
    );
  return (
    <Inbox
      mailbox={mailbox}
      fromPortal={access === 'session'}
      onForget={(wrong) => {
        forgetKey();
        setRefused(wrong && access !== 'session');
        setAccess('none');
      }}
    />
  );
}

function startingAccess(): Access {
  const key = readKey();
  return key === null ? 'asking' : { key };
}

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <PreferencesProvider>
      <App />
    </PreferencesProvider>
  </StrictMode>,
);
