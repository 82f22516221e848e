import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Domain, Sender } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { Button } from '../../../../shared/ui/button.tsx';
import { Confirm, Dialog } from '../../../../shared/ui/dialog.tsx';
import { SelectField, TextField } from '../../../../shared/ui/field.tsx';
import { RadioField } from '../../../../shared/ui/radio-field.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { uiWords } from '../../../../shared/ui/words.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import { sendersWords } from './words.ts';

interface Props {
  /** The one to delete; null: one is to be added. */
  readonly sender: Sender | null;
  readonly domains: readonly Domain[];
  /** The selected domain. */
  readonly domainId: string;
  readonly onClose: () => void;
}

/** Loaded when somebody asks for one. */
export default function SenderDialog({ sender, ...props }: Props) {
  return sender === null ? (
    <AddSender {...props} />
  ) : (
    <DeleteSender sender={sender} onClose={props.onClose} />
  );
}

const KINDS = ['one', 'all'] as const;

function AddSender({ domains, domainId, onClose }: Omit<Props, 'sender'>) {
  const words = useWords(sendersWords);
  const ui = useWords(uiWords);
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  const [kind, setKind] = useState<(typeof KINDS)[number]>('one');
  const [typed, setTyped] = useState('');
  const [domain, setDomain] = useState((domains.find(({ id }) => id === domainId) ?? domains[0])?.name ?? '');
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  const address = kind === 'one' ? typed.trim() : `*@${domain}`;
  const lacking = address === '' ? words.needsAddress : null;
  const submit = () => {
    setAsked(true);
    if (lacking !== null) return;
    run(async () => {
      const made = await api.call<Sender>('POST', '/senders', { body: { address } });
      void queryClient.invalidateQueries({ queryKey: ['senders'] });
      toast(words.added(made.address));
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
      <RadioField
        label={words.kind}
        value={kind}
        choices={KINDS.map((value) => ({
          value,
          label: words.kinds[value],
          hint: words.kindHints[value],
        }))}
        onChange={setKind}
      />
      {kind === 'one' ? (
        <TextField
          label={words.address}
          hint={words.addressHint}
          value={typed}
          onChange={setTyped}
          inputMode="email"
          autoComplete="off"
          error={asked ? lacking : null}
        />
      ) : (
        <SelectField
          label={words.domain}
          value={domain}
          choices={domains.map(({ name }) => ({ value: name, label: name }))}
          onChange={setDomain}
        />
      )}
    </Dialog>
  );
}

function DeleteSender({ sender: { id, address }, onClose }: { sender: Sender; onClose: () => void }) {
  const words = useWords(sendersWords);
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  const { busy, error, run } = useSubmission();
  const remove = () =>
    run(async () => {
      await api.call('DELETE', `/senders/${id}`);
      void queryClient.invalidateQueries({ queryKey: ['senders'] });
      toast(words.removed(address));
      onClose();
    });
  return (
    <Confirm
      title={words.removeTitle(address)}
      action={words.remove}
      danger
      busy={busy}
      onConfirm={remove}
      onClose={onClose}
    >
      {error !== null && <Refusal error={error} />}
      <p>{address.startsWith('*@') ? words.removeAllText : words.removeText}</p>
    </Confirm>
  );
}
