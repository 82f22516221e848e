import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { QueueSelection } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { TextField } from '../../../../shared/ui/field.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { actOnMany, nameOf, pause, selectionQuery, type Target } from './queries.ts';
import { useDone } from './use-done.ts';
import { queueWords } from './words.ts';

export interface DialogProps {
  readonly target: Target;
  readonly onClose: () => void;
}

export function PauseDialog({ target, onClose }: DialogProps) {
  const words = useWords(queueWords);
  const api = useApi();
  const done = useDone(onClose);
  const [reason, setReason] = useState('');
  const { busy, error, run } = useSubmission();
  const submit = () =>
    run(async () => {
      await pause(api, target, reason);
      done(words.pausedNow(nameOf(target)));
    });
  return (
    <Confirm
      title={words.pauseTitle(nameOf(target))}
      action={words.pauseAction}
      busy={busy}
      onConfirm={submit}
      onClose={onClose}
    >
      <p>{words.pauseLead}</p>
      <TextField
        label={words.reason}
        hint={words.reasonHint}
        value={reason}
        onChange={setReason}
        name="reason"
        required
      />
      {error !== null && <Refusal error={error} />}
    </Confirm>
  );
}

export function RetryDialog({ target, onClose }: DialogProps) {
  const words = useWords(queueWords);
  const api = useApi();
  const format = useFormat();
  const done = useDone(onClose);
  const query = useQuery(selectionQuery(api, target));
  const { busy, error, run } = useSubmission();
  const count = query.data?.retryable ?? 0;
  const submit = () =>
    run(async () => {
      const result = await actOnMany(api, 'retry', target, count);
      done(words.retried(format.number(result.done)));
    });
  return (
    <Confirm
      title={words.retryTitle(nameOf(target))}
      action={words.retryAction(format.number(count))}
      busy={busy}
      unavailable={count === 0 ? words.retryNone : null}
      onConfirm={submit}
      onClose={onClose}
    >
      <Loaded query={query} rows={1}>
        {({ retryable }: QueueSelection) => (
          <p>{retryable === 0 ? words.retryNone : words.retryLead(format.number(retryable))}</p>
        )}
      </Loaded>
      {error !== null && <Refusal error={error} />}
    </Confirm>
  );
}

export function CancelDialog({ target, onClose }: DialogProps) {
  const words = useWords(queueWords);
  const api = useApi();
  const format = useFormat();
  const done = useDone(onClose);
  const query = useQuery(selectionQuery(api, target));
  const [typed, setTyped] = useState('');
  const [mismatch, setMismatch] = useState(false);
  const { busy, error, run } = useSubmission();
  const count = query.data?.cancellable ?? 0;
  const submit = () => {
    const fits = typed.replace(/\D/g, '') === String(count);
    setMismatch(!fits);
    if (!fits) return;
    run(async () => {
      const result = await actOnMany(api, 'cancel', target, count);
      done(words.cancelled(format.number(result.done)));
    });
  };
  return (
    <Confirm
      title={words.cancelTitle(nameOf(target))}
      cancels
      action={words.cancelAction(format.number(count))}
      danger
      busy={busy}
      unavailable={count === 0 ? words.cancelNone : null}
      onConfirm={submit}
      onClose={onClose}
    >
      <Loaded query={query} rows={2}>
        {({ cancellable }: QueueSelection) =>
          cancellable === 0 ? (
            <p>{words.cancelNone}</p>
          ) : (
            <>
              <p>{words.cancelLead(format.number(cancellable))}</p>
              <TextField
                label={words.cancelConfirm}
                hint={words.cancelConfirmHint(format.number(cancellable))}
                error={mismatch ? words.cancelMismatch : null}
                value={typed}
                onChange={setTyped}
                inputMode="numeric"
                autoComplete="off"
                required
              />
            </>
          )
        }
      </Loaded>
      {error !== null && <Refusal error={error} />}
    </Confirm>
  );
}
