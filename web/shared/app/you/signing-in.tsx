import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/layout.tsx';
import { Status } from '../../ui/status.tsx';
import { useWords } from '../../words/use-words.ts';
import type { Translated } from '../../words/words.ts';
import { FactorSetup } from '../factor-setup.tsx';
import type { SessionUser } from '../session.ts';
import { useOwn } from './own.ts';
import { useRefresh } from './queries.ts';
import { youWords } from './words.ts';
import classes from './you.module.css';

const ChangePassword = lazy(() => import('./change-password.tsx'));
const TurnOff = lazy(() => import('./turn-off.tsx'));
const RenewCodes = lazy(() => import('./renew-codes.tsx'));

export function SigningIn({ user }: { user: SessionUser }) {
  const words = useWords(youWords);
  const [asked, setAsked] = useState<'password' | 'off' | 'codes' | null>(null);
  const { path, factorNeeded } = useOwn();
  const refresh = useRefresh();
  const close = () => setAsked(null);
  return (
    <Panel title={words.signingIn}>
      <div className={classes['means']}>
        <Means
          name={words.password}
          on={user.has_password}
          text={user.has_password ? words.passwordSet : words.passwordMissing}
          action={
            <Button onClick={() => setAsked('password')}>
              {user.has_password ? words.changePassword : words.setPassword}
            </Button>
          }
        />
        <Means
          name={words.factor}
          on={user.has_totp || user.has_passkeys}
          text={factorText(user, words)}
          action={
            user.has_totp ? (
              <Button unavailable={factorNeeded} onClick={() => setAsked('off')}>
                {words.turnOff}
              </Button>
            ) : (
              <FactorSetup path={`${path}/totp`} onDone={refresh} />
            )
          }
        />
        {(user.has_totp || user.has_passkeys) && (
          <Means
            name={words.codes}
            on
            text={words.codesText}
            action={<Button onClick={() => setAsked('codes')}>{words.renewCodes}</Button>}
          />
        )}
      </div>
      <Suspense>
        {asked === 'password' && <ChangePassword hasOne={user.has_password} onClose={close} />}
        {asked === 'codes' && <RenewCodes onClose={close} />}
        {asked === 'off' && <TurnOff onClose={close} />}
      </Suspense>
    </Panel>
  );
}

function factorText(user: SessionUser, words: Translated<typeof youWords.en>): string {
  if (user.has_totp) return words.factorOn;
  return user.has_passkeys ? words.factorPasskey : words.factorOff;
}

interface MeansProps {
  readonly name: string;
  readonly on: boolean;
  readonly text: string;
  readonly action: ReactNode;
}

function Means({ name, on, text, action }: MeansProps) {
  return (
    <div className={classes['one']}>
      <h3>{name}</h3>
      <Status tone={on ? 'sent' : 'neutral'}>
        <span className={classes['text']}>{text}</span>
      </Status>
      <div>{action}</div>
    </div>
  );
}
