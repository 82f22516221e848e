import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Challenge } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Or } from '../ui/layout.tsx';
import { Refusal, useSubmission } from '../ui/refusal.tsx';
import { useWords } from '../words/use-words.ts';
import { useApi } from './api-context.tsx';
import type { Challenges } from './challenge.ts';
import { keepAnswer } from './keep-answer.ts';
import { PasskeyButton } from './passkey-button.tsx';
import { passkeyWords } from './passkey-words.ts';
import { fitsPassword, NewPasswordField } from './password-field.tsx';
import { readSession, SESSION_KEY, type Session } from './session.ts';
import { SignInForm } from './sign-in-form.tsx';
import { appWords } from './words.ts';

interface Props {
  readonly asked: Challenge;
  readonly challenges: Challenges;
}

/** Asks above the page for what a call was refused without; the page and its forms stay as they are. */
export default function ChallengeDialog({ asked, challenges }: Props) {
  const user = useQueryClient().getQueryData<Session>(SESSION_KEY)?.user;
  if (asked === 'session') return <SessionEnded challenges={challenges} />;
  // Somebody who came by a link has nothing to confirm with yet.
  if (user?.has_password === false && !user.has_totp && !user.has_passkeys)
    return <FirstPassword challenges={challenges} />;
  const ways = {
    password: user?.has_password !== false,
    code: user?.has_totp !== false,
    passkey: user?.has_passkeys === true,
  };
  if (!ways.password && !ways.code) return <PasskeyStepUp challenges={challenges} />;
  return <StepUp challenges={challenges} ways={ways} />;
}

function SessionEnded({ challenges }: { challenges: Challenges }) {
  const words = useWords(appWords);
  const api = useApi();
  const queryClient = useQueryClient();
  const before = queryClient.getQueryData<Session>(SESSION_KEY);
  async function onDone() {
    const now = await readSession(api);
    // The screen shows the other person's data.
    if (before !== undefined && now.user.id !== before.user.id) return location.reload();
    keepAnswer(queryClient, SESSION_KEY, now);
    challenges.settle(true);
  }
  return (
    <Dialog title={words.sessionEndedTitle} onClose={() => challenges.settle(false)}>
      <p>{words.sessionEnded}</p>
      <SignInForm email={before?.user.email} onDone={() => void onDone()} />
    </Dialog>
  );
}

function FirstPassword({ challenges }: { challenges: Challenges }) {
  const words = useWords(appWords);
  const api = useApi();
  const queryClient = useQueryClient();
  const [password, setPassword] = useState('');
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  const submit = () => {
    setAsked(true);
    if (!fitsPassword(password)) return;
    run(async () => {
      await api.call('PUT', '/password', { body: { password }, unchallenged: true });
      void queryClient.invalidateQueries({ queryKey: SESSION_KEY });
      challenges.settle(true);
    });
  };
  const foot = (
    <Button kind="primary" type="submit" busy={busy}>
      {words.passwordSet}
    </Button>
  );
  return (
    <Dialog title={words.stepUpTitle} foot={foot} onSubmit={submit} onClose={() => challenges.settle(false)}>
      <p>{words.firstPassword}</p>
      {error !== null && <Refusal error={error} />}
      <NewPasswordField value={password} onChange={setPassword} asked={asked} />
    </Dialog>
  );
}

interface StepUpProps {
  readonly challenges: Challenges;
  /** Factors of this person. */
  readonly ways: { readonly password: boolean; readonly code: boolean; readonly passkey: boolean };
}

function StepUp({ challenges, ways }: StepUpProps) {
  const words = useWords(appWords);
  const api = useApi();
  const [byCode, setByCode] = useState(!ways.password);
  const [value, setValue] = useState('');
  const { busy, error, run } = useSubmission();
  const submit = () =>
    run(async () => {
      const body = byCode ? { code: value.replace(/\s/g, '') } : { password: value };
      await api.call('POST', '/session/reauthenticate', { body, unchallenged: true });
      challenges.settle(true);
    });
  const foot = (
    <>
      {ways.password && ways.code && (
        <Button
          kind="quiet"
          onClick={() => {
            setValue('');
            setByCode(!byCode);
          }}
        >
          {byCode ? words.usePassword : words.useCode}
        </Button>
      )}
      <Button kind="primary" type="submit" busy={busy}>
        {words.confirm}
      </Button>
    </>
  );
  return (
    <Dialog title={words.stepUpTitle} foot={foot} onSubmit={submit} onClose={() => challenges.settle(false)}>
      <p>{words.stepUp}</p>
      {ways.passkey && <ByPasskey challenges={challenges} or />}
      {error !== null && (
        <Refusal error={error} unauthorized={byCode ? words.wrongCode : words.wrongPassword} />
      )}
      <TextField
        key={String(byCode)}
        label={byCode ? words.code : words.password}
        type={byCode ? 'text' : 'password'}
        autoComplete={byCode ? 'one-time-code' : 'current-password'}
        value={value}
        onChange={setValue}
      />
    </Dialog>
  );
}

/** For somebody with a passkey and nothing else. */
function PasskeyStepUp({ challenges }: { challenges: Challenges }) {
  const words = useWords(appWords);
  return (
    <Dialog title={words.stepUpTitle} onClose={() => challenges.settle(false)}>
      <p>{words.stepUp}</p>
      <ByPasskey challenges={challenges} />
    </Dialog>
  );
}

function ByPasskey({ challenges, or = false }: { challenges: Challenges; or?: boolean }) {
  const words = useWords(passkeyWords);
  const api = useApi();
  return (
    <>
      <PasskeyButton
        path="/session/own-passkey-options"
        label={words.use}
        onShown={async (passkey) => {
          await api.call('POST', '/session/reauthenticate', { body: { passkey }, unchallenged: true });
          challenges.settle(true);
        }}
      />
      {or && <Or>{words.or}</Or>}
    </>
  );
}
