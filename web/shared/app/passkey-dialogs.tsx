import { useState } from 'react';
import type { AddedPasskey, Passkey } from '../api/admin-types.ts';
import { Button } from '../ui/button.tsx';
import { Confirm, Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Refusal, useSubmission } from '../ui/refusal.tsx';
import { useToast } from '../ui/toast.tsx';
import { uiWords } from '../ui/words.ts';
import { useWords } from '../words/use-words.ts';
import { useApi } from './api-context.tsx';
import { KeepCodes } from './factor-dialogs.tsx';
import { useShowOnce } from './once.tsx';
import { makePasskey } from './passkey.ts';
import { PasskeyRefusal } from './passkey-button.tsx';
import { ownPasskeyWords } from './passkeys-section-words.ts';

interface AddProps {
  readonly path: string;
  readonly onClose: () => void;
}

/** A name, the browser's own question, and with the first second factor recovery codes, once. */
export function AddPasskey({ path, onClose }: AddProps) {
  const words = useWords(ownPasskeyWords);
  const api = useApi();
  const toast = useToast();
  const showOnce = useShowOnce();
  const save = async (name: string) => {
    const made = await makePasskey(api, path);
    const added = await api.call<AddedPasskey>('POST', path, { body: { ...made, name } });
    toast(words.added);
    onClose();
    const { recovery_codes: codes } = added;
    if (codes !== null) void showOnce((done) => <KeepCodes codes={codes} onDone={done} />);
  };
  return (
    <NameDialog
      title={words.addTitle}
      text={words.addText}
      action={words.addAction}
      initial={words.defaultName}
      onSave={save}
      onClose={onClose}
    />
  );
}

interface ChangeProps extends AddProps {
  readonly passkey: Passkey;
}

export function RenamePasskey({ path, passkey, onClose }: ChangeProps) {
  const words = useWords(ownPasskeyWords);
  const api = useApi();
  const toast = useToast();
  const save = async (name: string) => {
    await api.call('PATCH', `${path}/${passkey.id}`, { body: { name } });
    toast(words.renamed);
    onClose();
  };
  return (
    <NameDialog
      title={words.renameTitle}
      action={words.save}
      initial={passkey.name}
      onSave={save}
      onClose={onClose}
    />
  );
}

export function RemovePasskey({ path, passkey, onClose }: ChangeProps) {
  const words = useWords(ownPasskeyWords);
  const api = useApi();
  const toast = useToast();
  const { busy, error, run } = useSubmission();
  const remove = () =>
    run(async () => {
      await api.call('DELETE', `${path}/${passkey.id}`);
      toast(words.removed);
      onClose();
    });
  return (
    <Confirm
      title={words.removeTitle(passkey.name)}
      action={words.removeAction}
      danger
      busy={busy}
      onConfirm={remove}
      onClose={onClose}
    >
      {error !== null && <Refusal error={error} />}
      <p>{words.removeText}</p>
    </Confirm>
  );
}

interface NameDialogProps {
  readonly title: string;
  readonly text?: string;
  readonly action: string;
  readonly initial: string;
  readonly onSave: (name: string) => Promise<void>;
  readonly onClose: () => void;
}

function NameDialog({ title, text, action, initial, onSave, onClose }: NameDialogProps) {
  const words = useWords(ownPasskeyWords);
  const ui = useWords(uiWords);
  const [name, setName] = useState(initial);
  const { busy, error, run } = useSubmission();
  const isEmpty = name.trim() === '';
  const submit = () => {
    if (!isEmpty) run(() => onSave(name.trim()));
  };
  const foot = (
    <>
      <Button onClick={onClose}>{ui.cancel}</Button>
      <Button kind="primary" type="submit" busy={busy}>
        {action}
      </Button>
    </>
  );
  return (
    <Dialog title={title} foot={foot} onSubmit={submit} onClose={onClose}>
      {text !== undefined && <p>{text}</p>}
      {error !== null && <PasskeyRefusal error={error} />}
      <TextField
        label={words.name}
        hint={words.nameHint}
        value={name}
        onChange={setName}
        error={isEmpty ? words.needsName : null}
      />
    </Dialog>
  );
}
