import { Confirm } from '../../ui/dialog.tsx';
import { Refusal, useSubmission } from '../../ui/refusal.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useWords } from '../../words/use-words.ts';
import { useApi } from '../api-context.tsx';
import { useOwn } from './own.ts';
import { useRefresh } from './queries.ts';
import { youWords } from './words.ts';

/** Asks before the password alone is enough. */
export default function TurnOff({ onClose }: { onClose: () => void }) {
  const words = useWords(youWords);
  const api = useApi();
  const { path } = useOwn();
  const toast = useToast();
  const refresh = useRefresh();
  const { busy, error, run } = useSubmission();
  const turnOff = () =>
    run(async () => {
      await api.call('DELETE', `${path}/totp`);
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
      <p>{path === '/user' ? words.turnOffText : words.turnOffOperator}</p>
    </Confirm>
  );
}
