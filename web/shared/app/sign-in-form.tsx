import { lazy, Suspense, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Form, Or, Stack } from '../ui/layout.tsx';
import { Refusal, useSubmission } from '../ui/refusal.tsx';
import { useWords } from '../words/use-words.ts';
import { useApi } from './api-context.tsx';
import { PasskeyButton } from './passkey-button.tsx';
import { passkeyLack } from './passkey-lack.ts';
import { passkeyWords } from './passkey-words.ts';
import { appWords } from './words.ts';

const Enrol = lazy(() => import('./enrol.tsx'));

/** The result of signing in: done, or a second factor is asked for. */
export interface SignInAnswer {
  readonly state: 'signed_in' | 'second_factor';
  /** `enrol`: must be set up first. */
  readonly methods: readonly string[];
}

/** Password, and a second factor where one is asked for; or a passkey, which is both. */
export function SignInForm({ email: known, onDone }: { email?: string | undefined; onDone: () => void }) {
  const words = useWords(passkeyWords);
  const api = useApi();
  const [methods, setMethods] = useState<readonly string[] | null>(null);
  if (methods !== null) return <SecondFactorForm methods={methods} onDone={onDone} />;
  return (
    <Stack>
      <PasswordForm
        known={known}
        onAnswer={(answer) => {
          if (answer.state === 'signed_in') onDone();
          else setMethods(answer.methods);
        }}
      />
      <Or>{words.or}</Or>
      <PasskeyButton
        path="/session/passkey-options"
        label={words.use}
        onShown={async (passkey) => {
          await api.call('POST', '/session', { body: { passkey }, unchallenged: true });
          onDone();
        }}
      />
    </Stack>
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

interface SecondFactorProps {
  readonly methods: SignInAnswer['methods'];
  readonly onDone: () => void;
}

/** The second half of a sign-in: a passkey where there is one, or a code. */
export function SecondFactorForm({ methods, onDone }: SecondFactorProps) {
  const words = useWords(passkeyWords);
  const api = useApi();
  const [byCode, setByCode] = useState(!methods.includes('passkey') || passkeyLack() !== null);
  if (methods.includes('enrol'))
    return (
      <Suspense>
        <Enrol onDone={onDone} />
      </Suspense>
    );
  if (byCode) return <CodeForm methods={methods} onDone={onDone} />;
  return (
    <Stack>
      <p>{words.proofLead}</p>
      <PasskeyButton
        kind="primary"
        path="/session/own-passkey-options"
        label={words.use}
        onShown={async (passkey) => {
          await api.call('POST', '/session/second-factor', { body: { passkey }, unchallenged: true });
          onDone();
        }}
      />
      <Button kind="quiet" onClick={() => setByCode(true)}>
        {words.otherWay}
      </Button>
    </Stack>
  );
}

/** A code of the authenticator app, or one of the recovery codes. */
function CodeForm({ methods, onDone }: SecondFactorProps) {
  const words = useWords(appWords);
  const api = useApi();
  const hasApp = methods.includes('totp');
  const [recovery, setRecovery] = useState(!hasApp);
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
      {hasApp && (
        <Button
          kind="quiet"
          onClick={() => {
            setCode('');
            setRecovery(!recovery);
          }}
        >
          {recovery ? words.useCode : words.useRecovery}
        </Button>
      )}
    </Form>
  );
}
