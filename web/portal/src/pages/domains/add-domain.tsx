import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Domain } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useGo } from '../../../../shared/routing/link.tsx';
import { Button } from '../../../../shared/ui/button.tsx';
import { Dialog } from '../../../../shared/ui/dialog.tsx';
import { TextField } from '../../../../shared/ui/field.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { uiWords } from '../../../../shared/ui/words.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import { hostOf } from './host.ts';
import { domainsWords } from './words.ts';

/** Asks for a name, and leads to the records that the domain is to publish. */
export function AddDomain({ onClose }: { onClose: () => void }) {
  const words = useWords(domainsWords);
  const ui = useWords(uiWords);
  const api = useApi();
  const go = useGo();
  const queryClient = useQueryClient();
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  const name = hostOf(typed.trim());
  const lacking = name === '' ? words.needsName : name.includes('@') ? words.looksLikeAddress : null;
  const submit = () => {
    setAsked(true);
    if (lacking !== null) return;
    run(async () => {
      const { id } = await api.call<Domain>('POST', '/domains', { body: { name } });
      void queryClient.invalidateQueries({ queryKey: ['domains'] });
      void queryClient.invalidateQueries({ queryKey: ['onboarding'] });
      go(`/domains/${id}`);
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
        label={words.name}
        hint={name === typed.trim() ? words.addHint : words.takesHost(name)}
        value={typed}
        onChange={setTyped}
        inputMode="url"
        autoComplete="off"
        error={asked ? lacking : null}
      />
      <p>{words.addNext}</p>
    </Dialog>
  );
}
