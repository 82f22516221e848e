import { CodeXml } from 'lucide-react';
import { type ComponentType, Suspense, useState } from 'react';
import { useWords } from '../words/use-words.ts';
import { Button } from './button.tsx';
import { uiWords } from './words.ts';

/** A dialog that shows what the page did as code. */
export type CodeDialogOf = ComponentType<{ readonly onClose: () => void }>;

/** Opens what the page just asked for, as commands. */
export function CodeDrawer({ Dialog }: { Dialog: CodeDialogOf }) {
  const words = useWords(uiWords);
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button kind="icon" icon={CodeXml} label={words.code} onClick={() => setOpen(true)} />
      <Suspense>{open && <Dialog onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}
