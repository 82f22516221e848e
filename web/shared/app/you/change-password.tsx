import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Refusal, useSubmission } from '../../ui/refusal.tsx';
import { useToast } from '../../ui/toast.tsx';
import { uiWords } from '../../ui/words.ts';
import { useWords } from '../../words/use-words.ts';
import { useApi } from '../api-context.tsx';
import { fitsPassword, NewPasswordField } from '../password-field.tsx';
import { useRefresh } from './queries.ts';
import { youWords } from './words.ts';

interface Props {
  /** True: the current password is asked for first. */
  readonly hasOne: boolean;
  readonly onClose: () => void;
}

export default function ChangePassword({ hasOne, onClose }: Props) {
  const words = useWords(youWords);
  const ui = useWords(uiWords);
  const api = useApi();
  const toast = useToast();
  const refresh = useRefresh();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  const noCurrent = hasOne && current === '';
  const submit = () => {
    setAsked(true);
    if (noCurrent || !fitsPassword(password)) return;
    run(async () => {
      const body = { password, ...(hasOne && { current_password: current }) };
      await api.call('PUT', '/password', { body, proves: true });
      toast(words.passwordChanged);
      refresh();
      onClose();
    });
  };
  const title = hasOne ? words.changePassword : words.setPassword;
  const foot = (
    <>
      <Button onClick={onClose}>{ui.cancel}</Button>
      <Button kind="primary" type="submit" busy={busy}>
        {title}
      </Button>
    </>
  );
  return (
    <Dialog title={title} foot={foot} onSubmit={submit} onClose={onClose}>
      <p>{words.passwordText}</p>
      {error !== null && <Refusal error={error} unauthorized={words.wrongCurrent} />}
      {hasOne && (
        <TextField
          label={words.currentPassword}
          type="password"
          autoComplete="current-password"
          value={current}
          onChange={setCurrent}
          error={asked && noCurrent ? words.needsCurrent : null}
        />
      )}
      <NewPasswordField value={password} onChange={setPassword} asked={asked} />
    </Dialog>
  );
}
