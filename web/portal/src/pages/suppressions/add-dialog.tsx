import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Suppression } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { elapsedMs, nowIso } from '../../../../shared/format/clock.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Dialog } from '../../../../shared/ui/dialog.tsx';
import { TextField } from '../../../../shared/ui/field.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { uiWords } from '../../../../shared/ui/words.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import { suppressionsWords } from './words.ts';

export default function AddSuppression({ onClose }: { onClose: () => void }) {
  const words = useWords(suppressionsWords);
  const ui = useWords(uiWords);
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  const [address, setAddress] = useState('');
  const [reason, setReason] = useState('');
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  const submit = () => {
    setAsked(true);
    if (address.trim() === '') return;
    run(async () => {
      const given = reason.trim();
      const made = await api.call<Suppression>('POST', '/suppressions', {
        body: { address: address.trim(), ...(given !== '' && { reason: given }) },
      });
      void queryClient.resetQueries({ queryKey: ['suppressions'] });
      toast(isOld(made) ? words.known(made.address) : words.added(made.address));
      onClose();
    });
  };
  const foot = (
    <>
      <Button onClick={onClose}>{ui.cancel}</Button>
      <Button kind="primary" type="submit" busy={busy}>
        {words.add}
      </Button>
    </>
  );
  return (
    <Dialog title={words.add} foot={foot} onSubmit={submit} onClose={onClose}>
      {error !== null && <Refusal error={error} />}
      <TextField
        label={words.address}
        value={address}
        onChange={setAddress}
        inputMode="email"
        autoComplete="off"
        error={asked && address.trim() === '' ? words.needsAddress : null}
      />
      <TextField label={words.reason} hint={words.reasonHint} value={reason} onChange={setReason} />
    </Dialog>
  );
}

/** An entry that was there stays as it is: then it is older than this (ms). */
const JUST_MADE_MS = 60_000;

function isOld({ created_at: at }: Suppression): boolean {
  return elapsedMs(at, nowIso()) > JUST_MADE_MS;
}
