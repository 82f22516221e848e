import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useGo } from '../../../../shared/routing/link.tsx';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { complete, draftOf, readDraft, TenantFields } from '../../parts/tenant-form.tsx';
import { createTenant } from './queries.ts';
import { accountsWords } from './words.ts';

/** The server's defaults. */
const DEFAULTS = draftOf({
  name: '',
  default_certified: true,
  quota_messages_month: 10_000,
  quota_plain_messages_month: 100_000,
  price_per_message_cents: 0,
  price_per_plain_message_cents: 0,
});

/** Asks for an account's name and settings; then goes to its people, because somebody has to sign in. */
export function NewAccount({ onClose }: { onClose: () => void }) {
  const words = useWords(accountsWords);
  const api = useApi();
  const go = useGo();
  const toast = useToast();
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState(DEFAULTS);
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  const submit = () => {
    setAsked(true);
    const settings = complete(readDraft(draft));
    if (settings === null) return;
    run(async () => {
      const { id, name } = await createTenant(api, settings);
      toast(words.done(name));
      void queryClient.invalidateQueries({ queryKey: ['tenants', 'list'] });
      onClose();
      go(`/tenants/${id}/people`);
    });
  };
  return (
    <Confirm
      title={words.create}
      action={words.createAction}
      busy={busy}
      onConfirm={submit}
      onClose={onClose}
    >
      <p>{words.createLead}</p>
      <TenantFields draft={draft} onChange={setDraft} asked={asked} />
      {error !== null && <Refusal error={error} />}
    </Confirm>
  );
}
