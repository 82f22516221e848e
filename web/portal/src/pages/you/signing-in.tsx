import { lazy, type ReactNode, Suspense, useState } from 'react';
import { FactorSetup } from '../../../../shared/app/factor-setup.tsx';
import type { SessionUser } from '../../../../shared/app/session.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Panel } from '../../../../shared/ui/layout.tsx';
import { Status } from '../../../../shared/ui/status.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import type { Translated } from '../../../../shared/words/words.ts';
import classes from './page.module.css';
import { useRefresh } from './queries.ts';
import { youWords } from './words.ts';

const ChangePassword = lazy(() => import('./change-password.tsx'));
const TurnOff = lazy(() => import('./turn-off.tsx'));

/** What somebody signs in with. */
export function SigningIn({ user }: { user: SessionUser }) {
  const words = useWords(youWords);
  const [asked, setAsked] = useState<'password' | 'off' | null>(null);
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
              <Button onClick={() => setAsked('off')}>{words.turnOff}</Button>
            ) : (
              <FactorSetup path="/user/totp" onDone={refresh} />
            )
          }
        />
      </div>
      <Suspense>
        {asked === 'password' && <ChangePassword hasOne={user.has_password} onClose={close} />}
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
