import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useGo } from '../../routing/link.tsx';
import { definePage } from '../../routing/page.ts';
import { Button } from '../../ui/button.tsx';
import { PageHeading } from '../../ui/heading.tsx';
import { Form, Stack } from '../../ui/layout.tsx';
import { Refusal, useSubmission } from '../../ui/refusal.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useWords } from '../../words/use-words.ts';
import { useApi } from '../api-context.tsx';
import { useLinkSecret } from '../link-secret.ts';
import { fitsPassword, NewPasswordField } from '../password-field.tsx';
import { appWords } from '../words.ts';

/** Sets a password: with the secret of a link that came by mail, or within a session that has none. */
function PasswordPage() {
  const words = useWords(appWords);
  const api = useApi();
  const queryClient = useQueryClient();
  const go = useGo();
  const toast = useToast();
  const link = useLinkSecret();
  const [password, setPassword] = useState('');
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  const submit = () => {
    setAsked(true);
    if (!fitsPassword(password)) return;
    run(async () => {
      const body = { password, ...(link !== '' && { link }) };
      await api.call('PUT', '/password', { body, unchallenged: link !== '' });
      toast(words.passwordDone);
      queryClient.clear();
      go('/', { replace: true });
    });
  };
  return (
    <Stack>
      <PageHeading
        title={words.passwordTitle}
        lead={link === '' ? words.passwordFirst : words.passwordLead}
      />
      <Form onSubmit={submit} label={words.passwordTitle}>
        {error !== null && <Refusal error={error} />}
        <NewPasswordField value={password} onChange={setPassword} asked={asked} />
        <Button kind="primary" type="submit" busy={busy} wide>
          {words.passwordSet}
        </Button>
      </Form>
      <p>
        {link === '' ? (
          <Link to="/">{words.passwordLater}</Link>
        ) : (
          <Link to="/sign-in">{words.backToSignIn}</Link>
        )}
      </p>
    </Stack>
  );
}

export const page = definePage({
  path: '/password',
  search: {},
  title: (language) => appWords[language].passwordTitle,
  Page: PasswordPage,
});
