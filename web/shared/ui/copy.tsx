import { Check, Copy as CopyIcon } from 'lucide-react';
import { useState } from 'react';
import { useWords } from '../words/use-words.ts';
import { Button, type Icon } from './button.tsx';
import { useToast } from './toast.tsx';
import { uiWords } from './words.ts';

/** How long the check mark stays (ms). */
const SHOWN_MS = 2_000;

interface Props {
  readonly text: string | (() => string);
  /** For those who listen: "the id". */
  readonly what?: string;
  readonly icon?: Icon;
}

/** Puts a text on the clipboard. */
export function CopyButton({ text, what, icon = CopyIcon }: Props) {
  const words = useWords(uiWords);
  const toast = useToast();
  const [done, setDone] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
    setDone(true);
    toast(words.copied);
    setTimeout(() => setDone(false), SHOWN_MS);
  }
  return (
    <Button
      kind="icon"
      icon={done ? Check : icon}
      label={what === undefined ? words.copy : words.copyNamed(what)}
      onClick={() => void copy()}
    />
  );
}
