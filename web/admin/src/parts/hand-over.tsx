import { Button } from '../../../shared/ui/button.tsx';
import { Dialog } from '../../../shared/ui/dialog.tsx';
import { CodeBlock } from '../../../shared/ui/layout.tsx';
import { Notice } from '../../../shared/ui/notice.tsx';
import { useWords } from '../../../shared/words/use-words.ts';
import { handOverWords } from './hand-over-words.ts';

export interface HandOverProps {
  readonly title: string;
  /** The recipient of the link, and its end. */
  readonly text: string;
  readonly url: string;
  readonly onClose: () => void;
}

/** A link that signs in once, and is shown only now. */
export function HandOver({ title, text, url, onClose }: HandOverProps) {
  const words = useWords(handOverWords);
  const foot = (
    <Button kind="primary" onClick={onClose}>
      {words.done}
    </Button>
  );
  // Without a cross: a slip must not lose it.
  return (
    <Dialog title={title} foot={foot} wide>
      <Notice tone="waiting">{text}</Notice>
      <CodeBlock text={url} label={words.link} />
    </Dialog>
  );
}
