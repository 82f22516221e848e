import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Form } from '../ui/layout.tsx';
import { Refusal, useSubmission } from '../ui/refusal.tsx';
import { useWords } from '../words/use-words.ts';
import { useApi } from './api-context.tsx';
import { appWords } from './words.ts';

/** What signing in came to: done, or a second factor is asked for. */
export interface SignInAnswer {
  readonly state: 'signed_in' | 'second_factor';
}

/** Password, and a second factor where one is asked for. */
export function SignInForm({ email: known, onDone }: { email?: string | undefined; onDone: () => void }) {
  const [state, setState] = useState<SignInAnswer['state'] | 'password'>('password');
  if (state === 'second_factor') return <SecondFactorForm onDone={onDone} />;
  return (
    <PasswordForm
      known={known}
      onAnswer={(answer) => {
        if (answer.state === 'signed_in') onDone();
        else setState('second_factor');
      }}
    />
  );
}

interface PasswordFormProps {
  readonly known: string | undefined;
  readonly onAnswer: (answer: SignInAnswer) => void;
}

function PasswordForm({ known, onAnswer }: PasswordFormProps) {
  const words = useWords(appWords);
  const api = useApi();
  const [email, setEmail] = useState(known ?? '');
  const [password, setPassword] = useState('');
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  const submit = () => {
    setAsked(true);
    if (email.trim() === '' || password === '') return;
    run(async () =>
      onAnswer(
        await api.call<SignInAnswer>('POST', '/session', {
          body: { email: email.trim(), password },
          unchallenged: true,
        }),
      ),
    );
  };
  return (
    <Form onSubmit={submit} label={words.signIn}>
      {error !== null && <Refusal error={error} unauthorized={words.wrongCredentials} />}
      <TextField
        label={words.email}
        inputMode="email"
        name="email"
        autoComplete="username"
        value={email}
        onChange={setEmail}
        error={asked && email.trim() === '' ? words.needsAddress : null}
      />
      <TextField
        label={words.password}
        type="password"
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        error={asked && password === '' ? words.needsPassword : null}
      />
      <Button kind="primary" type="submit" busy={busy} wide>
        {words.signIn}
      </Button>
    </Form>
  );
}

/** A code of the authenticator app, or one of the recovery codes. */
export function SecondFactorForm({ onDone }: { onDone: () => void }) {
  const words = useWords(appWords);
  const api = useApi();
  const [recovery, setRecovery] = useState(false);
  const [code, setCode] = useState('');
  const { busy, error, run } = useSubmission();
  const submit = () =>
    run(async () => {
      const body = recovery ? { recovery_code: code.trim() } : { code: code.replace(/\s/g, '') };
      await api.call('POST', '/session/second-factor', { body, unchallenged: true });
      onDone();
    });
  return (
    <Form onSubmit={submit} label={words.secondFactor}>
      <p>{recovery ? words.recoveryHint : words.secondFactorLead}</p>
      {error !== null && <Refusal error={error} unauthorized={words.wrongCode} />}
      <TextField
        key={String(recovery)}
        label={recovery ? words.recoveryCode : words.code}
        name="code"
        inputMode={recovery ? 'text' : 'numeric'}
        autoComplete={recovery ? 'off' : 'one-time-code'}
        mono
        value={code}
        onChange={setCode}
      />
      <Button kind="primary" type="submit" busy={busy} wide>
        {words.confirm}
      </Button>
      <Button
        kind="quiet"
        onClick={() => {
          setCode('');
          setRecovery(!recovery);
        }}
      >
        {recovery ? words.useCode : words.useRecovery}
      </Button>
    </Form>
  );
}
