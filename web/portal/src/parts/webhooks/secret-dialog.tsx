import { Button } from '../../../../shared/ui/button.tsx';
import { Dialog } from '../../../../shared/ui/dialog.tsx';
import { CodeBlock } from '../../../../shared/ui/layout.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { webhookWords } from './words.ts';

interface Props {
  readonly secret: string;
  readonly onClose: () => void;
}

/** Shows a new secret, once. Without a cross: a slip must not lose it. */
export function SecretDialog({ secret, onClose }: Props) {
  const words = useWords(webhookWords);
  const foot = (
    <Button kind="primary" onClick={onClose}>
      {words.done}
    </Button>
  );
  return (
    <Dialog title={words.secretTitle} foot={foot} wide>
      <Notice tone="waiting">{words.secretText}</Notice>
      <CodeBlock text={secret} label={words.secret} />
      <a href="/docs/webhooks" target="_blank" rel="noreferrer">
        {words.secretGuide}
      </a>
    </Dialog>
  );
}
