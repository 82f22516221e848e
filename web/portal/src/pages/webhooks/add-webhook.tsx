import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { WebhookWithSecret } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useShowOnce } from '../../../../shared/app/once.tsx';
import { useGo } from '../../../../shared/routing/link.tsx';
import { Button } from '../../../../shared/ui/button.tsx';
import { Dialog } from '../../../../shared/ui/dialog.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { uiWords } from '../../../../shared/ui/words.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import { isComplete, type WebhookDraft, WebhookFields } from '../../parts/webhooks/fields.tsx';
import { SecretDialog } from '../../parts/webhooks/secret-dialog.tsx';
import { webhooksWords } from './words.ts';

const NOTHING: WebhookDraft = { url: '', description: '', events: ['*'] };

/** Asks for a URL and events; then shows the secret, once, and leads to a test. */
export function AddWebhook({ onClose }: { onClose: () => void }) {
  const words = useWords(webhooksWords);
  const ui = useWords(uiWords);
  const api = useApi();
  const go = useGo();
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState(NOTHING);
  const [asked, setAsked] = useState(false);
  const showOnce = useShowOnce();
  const { busy, error, run } = useSubmission();
  const submit = () => {
    setAsked(true);
    if (!isComplete(draft)) return;
    const { url, description, events } = draft;
    run(async () => {
      const body = { url: url.trim(), events, ...(description.trim() !== '' && { description }) };
      const made = await api.call<WebhookWithSecret>('POST', '/webhooks', { body });
      void queryClient.invalidateQueries({ queryKey: ['webhooks'] });
      onClose();
      await showOnce((done) => <SecretDialog secret={made.secret} onClose={done} />);
      go(`/webhooks/${made.id}/test`);
    });
  };
  const foot = (
    <>
      <Button onClick={onClose}>{ui.cancel}</Button>
      <Button kind="primary" type="submit" busy={busy}>
        {words.create}
      </Button>
    </>
  );
  return (
    <Dialog title={words.create} foot={foot} onSubmit={submit} onClose={onClose}>
      {error !== null && <Refusal error={error} />}
      <WebhookFields draft={draft} asked={asked} onChange={(change) => setDraft({ ...draft, ...change })} />
    </Dialog>
  );
}
