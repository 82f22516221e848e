import { lazy, Suspense, useState } from 'react';
import type { TotpSecret } from '../api/portal-types.ts';
import { Button, type ButtonKind } from '../ui/button.tsx';
import { Refusal, useSubmission } from '../ui/refusal.tsx';
import { useWords } from '../words/use-words.ts';
import { useApi } from './api-context.tsx';
import { factorWords } from './factor-words.ts';

const FactorDialogs = lazy(() => import('./factor-dialogs.tsx'));

interface FactorSetupProps {
  /** `/user/totp`, and `/operator/totp` in the console. */
  readonly path: string;
  readonly kind?: ButtonKind;
  /** Once the second factor is on, and its recovery codes are kept. */
  readonly onDone: () => void;
}

/** The button that sets up an authenticator app: its secret, a first code of it, recovery codes. */
export function FactorSetup({ path, kind = 'plain', onDone }: FactorSetupProps) {
  const words = useWords(factorWords);
  const api = useApi();
  const [secret, setSecret] = useState<TotpSecret | null>(null);
  const { busy, error, run } = useSubmission();
  const begin = () => run(async () => setSecret(await api.call<TotpSecret>('POST', path)));
  const close = () => setSecret(null);
  return (
    <>
      {error !== null && <Refusal error={error} />}
      <Button kind={kind} busy={busy} onClick={begin}>
        {words.setUp}
      </Button>
      <Suspense>
        {secret !== null && <FactorDialogs path={path} secret={secret} onClose={close} onDone={onDone} />}
      </Suspense>
    </>
  );
}
