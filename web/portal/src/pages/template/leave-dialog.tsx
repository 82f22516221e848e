import { Button } from '../../../../shared/ui/button.tsx';
import { Dialog } from '../../../../shared/ui/dialog.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { dialogWords } from './dialog-words.ts';

/** Asks before what was not saved is lost. */
export default function LeaveDialog({ leave, stay }: { leave: () => void; stay: () => void }) {
  const words = useWords(dialogWords);
  const foot = (
    <>
      <Button kind="danger" onClick={leave}>
        {words.leave}
      </Button>
      <Button kind="primary" onClick={stay}>
        {words.stay}
      </Button>
    </>
  );
  return (
    <Dialog title={words.leaveTitle} foot={foot} onClose={stay}>
      <p>{words.leaveText}</p>
    </Dialog>
  );
}
