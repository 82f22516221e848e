import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../api/error.ts';
import { Link, useGo } from '../../routing/link.tsx';
import { definePage } from '../../routing/page.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { PageHeading } from '../../ui/heading.tsx';
import { Stack } from '../../ui/layout.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Refusal, useSubmission } from '../../ui/refusal.tsx';
import { useWords } from '../../words/use-words.ts';
import { useApi } from '../api-context.tsx';
import { useLinkSecret } from '../link-secret.ts';
import { readSession, type Session, type SessionUser } from '../session.ts';
import { SecondFactorForm, type SignInAnswer } from '../sign-in-form.tsx';
import { appWords } from '../words.ts';

/** Spends a one-time link by a button: programs that look into mail follow links, but press nothing. */
function LinkPage() {
  const words = useWords(appWords);
  const api = useApi();
  const queryClient = useQueryClient();
  const go = useGo();
  const secret = useLinkSecret();
  const [methods, setMethods] = useState<SignInAnswer['methods'] | null>(null);
  const { busy, error, run } = useSubmission();
  const isSpent = error instanceof ApiError && error.code === 'invalid_link';
  // The refusal names both people; the link was not spent.
  const isAnothers = error instanceof ApiError && error.status === 409;
  const onDone = async () => {
    const { user, accounts } = await readSession(api);
    queryClient.clear();
    go(hasWayBack(user, accounts) ? '/' : '/password', { replace: true });
  };
  const use = () =>
    run(async () => {
      const answer = await api.call<SignInAnswer>('POST', '/session', {
        body: { link: secret, ...(isAnothers && { replace_session: true }) },
        unchallenged: true,
      });
      if (answer.state === 'signed_in') await onDone();
      else setMethods(answer.methods);
    });
  if (methods !== null)
    return (
      <>
        <PageHeading title={words.secondFactor} />
        <SecondFactorForm methods={methods} onDone={() => void onDone()} />
      </>
    );
  return (
    <Stack>
      <PageHeading title={words.linkTitle} lead={isSpent ? undefined : words.linkLead} />
      {secret === '' && <Notice tone="failed">{words.linkMissing}</Notice>}
      {error !== null && <Refusal error={error} />}
      {isSpent ? (
        <ButtonLink kind="primary" wide to="/sign-in">
          {words.toSignIn}
        </ButtonLink>
      ) : (
        <>
          <Button
            kind="primary"
            wide
            busy={busy}
            unavailable={secret === '' ? words.linkMissing : null}
            onClick={use}
          >
            {isAnothers ? words.linkReplace : words.linkUse}
          </Button>
          <p>
            <Link to="/sign-in">{words.backToSignIn}</Link>
          </p>
        </>
      )}
    </Stack>
  );
}

/** Password or passkey; in a sandbox each start prints a link. */
function hasWayBack({ has_password, has_passkeys }: SessionUser, accounts: Session['accounts']): boolean {
  const isOfSandbox = accounts.length > 0 && accounts.every(({ sandbox }) => sandbox);
  return has_password || has_passkeys || isOfSandbox;
}

export const page = definePage({
  path: '/link',
  search: {},
  title: (language) => appWords[language].linkTitle,
  Page: LinkPage,
});
