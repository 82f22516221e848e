import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Message } from '../../../shared/api/portal-types.ts';
import { useApi } from '../../../shared/app/api-context.tsx';
import { useGo } from '../../../shared/routing/link.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { Dialog } from '../../../shared/ui/dialog.tsx';
import { CheckField, TextArea, TextField } from '../../../shared/ui/field.tsx';
import { NotLoaded } from '../../../shared/ui/loaded.tsx';
import { Refusal, useSubmission } from '../../../shared/ui/refusal.tsx';
import { useToast } from '../../../shared/ui/toast.tsx';
import { uiWords } from '../../../shared/ui/words.ts';
import { useWords } from '../../../shared/words/use-words.ts';
import { useSendStart } from './send-start.ts';
import { sendTestWords } from './send-test-words.ts';

interface Draft {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly certified: boolean;
}

export default function SendTestDialog({ onClose }: { onClose: () => void }) {
  const words = useWords(sendTestWords);
  const start = useQuery(useSendStart());
  if (start.data === undefined)
    return (
      <Dialog title={words.title} onClose={onClose}>
        <NotLoaded queries={[start]} rows={4} />
      </Dialog>
    );
  const draft = { ...start.data, subject: words.sampleSubject, text: words.sampleText };
  return <DraftForm start={draft} onClose={onClose} />;
}

function DraftForm({ start, onClose }: { start: Draft; onClose: () => void }) {
  const words = useWords(sendTestWords);
  const ui = useWords(uiWords);
  const api = useApi();
  const go = useGo();
  const toast = useToast();
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState(start);
  const [asked, setAsked] = useState(false);
  // One key for one intention: a second press after a lost answer sends nothing twice.
  const key = useRef(crypto.randomUUID());
  const { busy, error, run } = useSubmission();
  const set = (change: Partial<Draft>) => {
    key.current = crypto.randomUUID();
    setDraft({ ...draft, ...change });
  };
  const missing = (address: string) => (asked && address.trim() === '' ? words.needsAddress : null);
  const submit = () => {
    setAsked(true);
    if (draft.from.trim() === '' || draft.to.trim() === '') return;
    run(async () => {
      const message = await api.call<Message>('POST', '/messages', {
        body: draft,
        headers: { 'Idempotency-Key': key.current },
      });
      toast(words.sent);
      void queryClient.invalidateQueries({ queryKey: ['messages'] });
      onClose();
      go(`/messages/${message.id}/timeline`);
    });
  };
  const foot = (
    <>
      <Button onClick={onClose}>{ui.cancel}</Button>
      <Button kind="primary" type="submit" busy={busy}>
        {words.send}
      </Button>
    </>
  );
  return (
    <Dialog title={words.title} foot={foot} onSubmit={submit} onClose={onClose}>
      {error !== null && <Refusal error={error} />}
      <TextField
        label={words.from}
        hint={words.fromHint}
        value={draft.from}
        onChange={(from) => set({ from })}
        error={missing(draft.from)}
      />
      <TextField label={words.to} value={draft.to} onChange={(to) => set({ to })} error={missing(draft.to)} />
      <TextField label={words.subject} value={draft.subject} onChange={(subject) => set({ subject })} />
      <TextArea label={words.text} value={draft.text} onChange={(text) => set({ text })} rows={4} />
      <CheckField
        label={words.certified}
        checked={draft.certified}
        onChange={(certified) => set({ certified })}
      />
    </Dialog>
  );
}
