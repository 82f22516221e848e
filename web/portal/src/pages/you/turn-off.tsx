import { useApi } from '../../../../shared/app/api-context.tsx';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useRefresh } from './queries.ts';
import { youWords } from './words.ts';

/** Asks before the password alone is enough. */
export default function TurnOff({ onClose }: { onClose: () => void }) {
  const words = useWords(youWords);
  const api = useApi();
  const toast = useToast();
  const refresh = useRefresh();
  const { busy, error, run } = useSubmission();
  const turnOff = () =>
    run(async () => {
      await api.call('DELETE', '/user/totp');
      toast(words.turnedOff);
      refresh();
      onClose();
    });
  return (
    <Confirm
      title={words.turnOffTitle}
      action={words.turnOffAction}
      danger
      busy={busy}
      onConfirm={turnOff}
      onClose={onClose}
    >
      {error !== null && <Refusal error={error} />}
      <p>{words.turnOffText}</p>
    </Confirm>
  );
}
