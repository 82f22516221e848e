import { Confirm } from '../../ui/dialog.tsx';
import { useWords } from '../../words/use-words.ts';
import { youWords } from './words.ts';

/** Asks before what was typed is lost. */
export default function Leave({ onLeave, onStay }: { onLeave: () => void; onStay: () => void }) {
  const words = useWords(youWords);
  return (
    <Confirm title={words.unsavedTitle} action={words.leave} onConfirm={onLeave} onClose={onStay}>
      <p>{words.unsaved}</p>
    </Confirm>
  );
}
