import { useFormat } from '../../../../shared/format/format.ts';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { dialogWords } from './dialog-words.ts';
import type { Editing } from './use-editing.ts';

/** Asks before what was changed is taken back. */
export default function Discard({ editing, onClose }: { editing: Editing; onClose: () => void }) {
  const words = useWords(dialogWords);
  const format = useFormat();
  const { base } = editing;
  if (base === null) return null;
  return (
    <Confirm
      title={words.discardTitle}
      action={words.discard}
      danger
      onConfirm={() => {
        editing.take(base);
        onClose();
      }}
      onClose={onClose}
    >
      <p>{words.discardText(format.number(base.version))}</p>
    </Confirm>
  );
}
