import { ShieldCheck } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Message } from '../../../../shared/api/portal-types.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { messageWords } from './words.ts';

const ProveDialog = lazy(() => import('./prove-dialog.tsx'));

/** Makes a link by which somebody without an account sees the proof. */
export function ProveIt({ message }: { message: Message }) {
  const words = useWords(messageWords);
  const can = useCan();
  const [open, setOpen] = useState(false);
  const missing = !message.certified
    ? words.notCertified
    : message.sealed_at === null
      ? message.promise === null
        ? words.neverSealed
        : words.notSealed
      : null;
  return (
    <>
      <Button icon={ShieldCheck} unavailable={can.send ?? missing} onClick={() => setOpen(true)}>
        {words.proveIt}
      </Button>
      <Suspense>{open && <ProveDialog message={message} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}
