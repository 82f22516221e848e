import type { RecoveryCodes } from '../../api/portal-types.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { Refusal, useSubmission } from '../../ui/refusal.tsx';
import { useWords } from '../../words/use-words.ts';
import { useApi } from '../api-context.tsx';
import { KeepCodes } from '../factor-dialogs.tsx';
import { useShowOnce } from '../once.tsx';
import { useOwn } from './own.ts';
import { youWords } from './words.ts';

/** Asks before the present codes stop working; then shows the new ones, once. */
export default function RenewCodes({ onClose }: { onClose: () => void }) {
  const words = useWords(youWords);
  const api = useApi();
  const { path } = useOwn();
  const showOnce = useShowOnce();
  const { busy, error, run } = useSubmission();
  const renew = () =>
    run(async () => {
      const made = await api.call<RecoveryCodes>('POST', `${path}/recovery-codes`);
      onClose();
      await showOnce((done) => <KeepCodes codes={made.recovery_codes} onDone={done} />);
    });
  return (
    <Confirm
      title={words.renewCodesTitle}
      action={words.renewCodes}
      busy={busy}
      onConfirm={renew}
      onClose={onClose}
    >
      {error !== null && <Refusal error={error} />}
      <p>{words.renewCodesText}</p>
    </Confirm>
  );
}
