import { StrictMode, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { openMailbox } from '../../shared/api/mailbox.ts';
import { PreferencesProvider } from '../../shared/app/preferences.tsx';
import { Inbox } from './inbox.tsx';
import { forgetKey, KeyForm, keepKey, readKey } from './key.tsx';

/** The page of the test mailbox: the key first, then the mail. */
function App() {
  const [key, setKey] = useState(readKey);
  const [refused, setRefused] = useState(false);
  const mailbox = useMemo(() => (key === null ? null : openMailbox(key)), [key]);
  if (mailbox === null)
    return (
      <KeyForm
        refused={refused}
        onKey={(next) => {
          keepKey(next);
          setKey(next);
        }}
      />
    );
  return (
    <Inbox
      mailbox={mailbox}
      onForget={(wrong) => {
        forgetKey();
        setRefused(wrong);
        setKey(null);
      }}
    />
  );
}

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <PreferencesProvider>
      <App />
    </PreferencesProvider>
  </StrictMode>,
);
