import { FingerprintPattern } from 'lucide-react';
import { Button, type ButtonKind } from '../ui/button.tsx';
import { Stack } from '../ui/layout.tsx';
import { Notice } from '../ui/notice.tsx';
import { Refusal, useSubmission } from '../ui/refusal.tsx';
import { useWords } from '../words/use-words.ts';
import { useApi } from './api-context.tsx';
import type { Answered, ProofPath } from './passkey.ts';
import { passkeyLack } from './passkey-lack.ts';
import { passkeyWords } from './passkey-words.ts';

interface Props {
  readonly path: ProofPath;
  readonly label: string;
  readonly kind?: ButtonKind;
  /** Sends what was shown; its refusals are shown here. */
  readonly onShown: (passkey: Answered) => Promise<void>;
}

/** Has the browser ask for a passkey. Where there can be none it stays, and says why. */
export function PasskeyButton({ path, label, kind = 'plain', onShown }: Props) {
  const words = useWords(passkeyWords);
  const api = useApi();
  const { busy, error, run } = useSubmission();
  const lack = passkeyLack();
  const show = () =>
    run(async () => {
      const { showPasskey } = await import('./passkey.ts');
      await onShown(await showPasskey(api, path));
    });
  return (
    <Stack>
      {error !== null && <PasskeyRefusal error={error} />}
      <Button
        kind={kind}
        icon={FingerprintPattern}
        wide
        busy={busy}
        unavailable={lack === null ? null : words.lacks[lack]}
        onClick={show}
      >
        {label}
      </Button>
    </Stack>
  );
}

/** The error of the browser, or of the server. */
export function PasskeyRefusal({ error }: { error: unknown }) {
  const words = useWords(passkeyWords);
  const name = error instanceof Error ? error.name : '';
  if (name === 'NoPasskey' || name === 'HasPasskey')
    return (
      <div role="alert">
        <Notice>{name === 'NoPasskey' ? words.none : words.has}</Notice>
      </div>
    );
  return <Refusal error={error} unauthorized={words.wrong} />;
}
