import { Check, Copy as CopyIcon } from 'lucide-react';
import { useState } from 'react';
import { useWords } from '../words/use-words.ts';
import { Button } from './button.tsx';
import { useToast } from './toast.tsx';
import { uiWords } from './words.ts';

/** How long the check mark stays (ms). */
const SHOWN_MS = 2_000;

/** Puts a text on the clipboard. `what` it is, for those who listen: "the id". */
export function CopyButton({ text, what }: { text: string; what?: string }) {
  const words = useWords(uiWords);
  const toast = useToast();
  const [done, setDone] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(text);
    setDone(true);
    toast(words.copied);
    setTimeout(() => setDone(false), SHOWN_MS);
  }
  return (
    <Button
      kind="icon"
      icon={done ? Check : CopyIcon}
      label={what === undefined ? words.copy : words.copyNamed(what)}
      onClick={() => void copy()}
    />
  );
}
