import { CodeXml } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { ApiCall } from '../api/calls.ts';
import { useWords } from '../words/use-words.ts';
import { Button } from './button.tsx';
import { uiWords } from './words.ts';

const CodeDialog = lazy(() => import('./code-dialog.tsx'));

/** Opens what the page just asked for, as commands. */
export function CodeDrawer({ isShown }: { isShown: (call: ApiCall) => boolean }) {
  const words = useWords(uiWords);
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button kind="icon" icon={CodeXml} label={words.code} onClick={() => setOpen(true)} />
      <Suspense>{open && <CodeDialog isShown={isShown} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}
