import { useState } from 'react';
import { Link } from '../../routing/link.tsx';
import { definePage } from '../../routing/page.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { PageHeading } from '../../ui/heading.tsx';
import { Form, Stack } from '../../ui/layout.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Refusal, useSubmission } from '../../ui/refusal.tsx';
import { useWords } from '../../words/use-words.ts';
import { useApi } from '../api-context.tsx';
import { appWords } from '../words.ts';

/** Asks for a link by mail; says the same whether or not the address is known. */
function ResetPage() {
  const words = useWords(appWords);
  const api = useApi();
  const [email, setEmail] = useState('');
  const [asked, setAsked] = useState(false);
  const [sent, setSent] = useState(false);
  const { busy, error, run } = useSubmission();
  const submit = () => {
    setAsked(true);
    if (email.trim() === '') return;
    run(async () => {
      await api.call('POST', '/password-resets', { body: { email: email.trim() }, unchallenged: true });
      setSent(true);
    });
  };
  return (
    <Stack>
      <PageHeading title={words.resetTitle} lead={words.resetLead} />
      {sent ? (
        <Notice tone="sent" live>
          {words.resetSent}
        </Notice>
      ) : (
        <Form onSubmit={submit} label={words.resetTitle}>
          {error !== null && <Refusal error={error} />}
          <TextField
            label={words.email}
            inputMode="email"
            name="email"
            autoComplete="username"
            value={email}
            onChange={setEmail}
            error={asked && email.trim() === '' ? words.needsAddress : null}
          />
          <Button kind="primary" type="submit" busy={busy} wide>
            {words.resetSend}
          </Button>
        </Form>
      )}
      <p>
        <Link to="/sign-in">{words.backToSignIn}</Link>
      </p>
    </Stack>
  );
}

export const page = definePage({
  path: '/reset',
  search: {},
  title: (language) => appWords[language].resetTitle,
  Page: ResetPage,
});
