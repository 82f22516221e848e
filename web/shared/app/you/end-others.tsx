import { Confirm } from '../../ui/dialog.tsx';
import { Refusal } from '../../ui/refusal.tsx';
import { useWords } from '../../words/use-words.ts';
import { useEnding } from './ending.ts';
import { useOwn } from './own.ts';
import { youWords } from './words.ts';

/** Asks before every other browser has to sign in again. */
export default function EndOthers({ onClose }: { onClose: () => void }) {
  const words = useWords(youWords);
  const { path } = useOwn();
  const { busy, error, end } = useEnding(onClose);
  return (
    <Confirm
      title={words.endOthersTitle}
      action={words.endOthers}
      danger
      busy={busy}
      onConfirm={() => end(`${path}/sessions`, words.endedOthers)}
      onClose={onClose}
    >
      {error !== null && <Refusal error={error} />}
      <p>{words.endOthersText}</p>
    </Confirm>
  );
}
