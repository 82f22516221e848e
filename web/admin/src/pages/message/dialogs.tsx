import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { OpenedContent, OperatorMessage } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { CheckField, TextField } from '../../../../shared/ui/field.tsx';
import { Hash } from '../../../../shared/ui/hash.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { cancel, erase, openContent } from './queries.ts';
import { messageWords } from './words.ts';

/** After a change the record is asked for again. */
function useRefresh(id: string): () => void {
  const queryClient = useQueryClient();
  return () => void queryClient.invalidateQueries({ queryKey: ['messages', id] });
}

export function CancelDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const words = useWords(messageWords);
  const api = useApi();
  const toast = useToast();
  const refresh = useRefresh(id);
  const { busy, error, run } = useSubmission();
  const submit = () =>
    run(async () => {
      await cancel(api, id);
      toast(words.cancelled);
      refresh();
      onClose();
    });
  return (
    <Confirm
      title={words.cancelTitle}
      cancels
      action={words.cancel}
      danger
      busy={busy}
      onConfirm={submit}
      onClose={onClose}
    >
      <p>{words.cancelText}</p>
      {error !== null && <Refusal error={error} />}
    </Confirm>
  );
}

interface OpenProps {
  readonly id: string;
  readonly onOpened: (opened: OpenedContent) => void;
  readonly onClose: () => void;
}

export function OpenDialog({ id, onOpened, onClose }: OpenProps) {
  const words = useWords(messageWords);
  const api = useApi();
  const [reason, setReason] = useState('');
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  const submit = () => {
    setAsked(true);
    if (reason.trim() === '') return;
    run(async () => {
      onOpened(await openContent(api, id, reason));
      onClose();
    });
  };
  return (
    <Confirm
      title={words.openTitle}
      action={words.openAction}
      busy={busy}
      onConfirm={submit}
      onClose={onClose}
    >
      <p>{words.openText}</p>
      <TextField
        label={words.reason}
        hint={words.openReasonHint}
        error={asked && reason.trim() === '' ? words.needsReason : null}
        value={reason}
        onChange={setReason}
        name="reason"
        required
      />
      {error !== null && <Refusal error={error} />}
    </Confirm>
  );
}

/** Asks for the id: nobody erases the message above or below the one that they mean. */
export function EraseDialog({ message, onClose }: { message: OperatorMessage; onClose: () => void }) {
  const words = useWords(messageWords);
  const api = useApi();
  const toast = useToast();
  const { message_id: id, certified } = message;
  const refresh = useRefresh(id);
  const [reason, setReason] = useState('');
  const [force, setForce] = useState(false);
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  const hasReason = reason.trim() !== '';
  const isMeant = typed.trim().toLowerCase() === id;
  const submit = () => {
    setAsked(true);
    if (!hasReason || !isMeant) return;
    run(async () => {
      const { already_erased: already } = await erase(api, id, { reason, force });
      toast(already ? words.erasedBefore : words.erased);
      refresh();
      onClose();
    });
  };
  return (
    <Confirm
      title={words.eraseTitle}
      action={words.eraseAction}
      danger
      busy={busy}
      onConfirm={submit}
      onClose={onClose}
    >
      <p>{certified ? words.eraseCertified : words.erasePlain}</p>
      <TextField
        label={words.reason}
        hint={words.eraseReasonHint}
        error={asked && !hasReason ? words.needsReason : null}
        value={reason}
        onChange={setReason}
        name="reason"
        required
      />
      {certified && <CheckField label={words.force} checked={force} onChange={setForce} />}
      <TextField
        label={words.typeId}
        hint={<Hash value={id} what={words.id} />}
        error={asked && !isMeant ? words.wrongId : null}
        value={typed}
        onChange={setTyped}
        autoComplete="off"
        mono
        required
      />
      {error !== null && <Refusal error={error} />}
    </Confirm>
  );
}
