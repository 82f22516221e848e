import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { SESSION_KEY } from '../../../../shared/app/session.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { TextField } from '../../../../shared/ui/field.tsx';
import { Form } from '../../../../shared/ui/layout.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { accountWords } from './words.ts';

/** The account's name: what was typed stays while others rename it. */
export function NameForm({ name: kept }: { name: string }) {
  const words = useWords(accountWords);
  const can = useCan();
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  const [typed, setTyped] = useState<string | null>(null);
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  const name = typed ?? kept;
  const isMissing = name.trim() === '';
  const submit = () => {
    setAsked(true);
    if (isMissing || can.manageAccount !== null) return;
    run(async () => {
      await api.call('PATCH', '/settings', { body: { name: name.trim() } });
      toast(words.nameSaved);
      await queryClient.invalidateQueries({ queryKey: ['account'] });
      void queryClient.invalidateQueries({ queryKey: SESSION_KEY });
      setTyped(null);
    });
  };
  return (
    <Form onSubmit={submit} label={words.general}>
      {error !== null && <Refusal error={error} />}
      <TextField
        label={words.name}
        hint={words.nameHint}
        autoComplete="organization"
        readOnly={can.manageAccount !== null}
        value={name}
        onChange={setTyped}
        error={asked && isMissing ? words.needsName : null}
      />
      <div>
        <Button type="submit" busy={busy} unavailable={can.manageAccount}>
          {words.saveName}
        </Button>
      </div>
    </Form>
  );
}
