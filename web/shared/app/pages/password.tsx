import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useGo } from '../../routing/link.tsx';
import { definePage } from '../../routing/page.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { PageHeading } from '../../ui/heading.tsx';
import { Form } from '../../ui/layout.tsx';
import { Refusal, useSubmission } from '../../ui/refusal.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useWords } from '../../words/use-words.ts';
import { useApi } from '../api-context.tsx';
import { useLinkSecret } from '../link-secret.ts';
import { appWords } from '../words.ts';

/** As the server demands (characters). */
const PASSWORD_CHARS = { min: 12, max: 256 };

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
  const fits = password.length >= PASSWORD_CHARS.min && password.length <= PASSWORD_CHARS.max;
  const submit = () => {
    setAsked(true);
    if (!fits) return;
    run(async () => {
      const body = { password, ...(link !== '' && { link }) };
      await api.call('PUT', '/password', { body, unchallenged: link !== '' });
      toast(words.passwordDone);
      queryClient.clear();
      go('/', { replace: true });
    });
  };
  return (
    <>
      <PageHeading title={words.passwordTitle} lead={words.passwordLead} />
      <Form onSubmit={submit} label={words.passwordTitle}>
        {error !== null && <Refusal error={error} unauthorized={words.linkSpent} />}
        <TextField
          label={words.passwordNew}
          type="password"
          name="password"
          autoComplete="new-password"
          hint={words.passwordHint}
          value={password}
          onChange={setPassword}
          error={asked && !fits ? words.passwordShort : null}
        />
        <Button kind="primary" type="submit" busy={busy} wide>
          {words.passwordSet}
        </Button>
      </Form>
    </>
  );
}

export const page = definePage({
  path: '/password',
  search: {},
  title: (language) => appWords[language].passwordTitle,
  Page: PasswordPage,
});
