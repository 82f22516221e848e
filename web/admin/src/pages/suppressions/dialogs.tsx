import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { GlobalSuppression, SuppressionImport } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Confirm, Dialog } from '../../../../shared/ui/dialog.tsx';
import { TextField } from '../../../../shared/ui/field.tsx';
import { FileDrop } from '../../../../shared/ui/file-drop.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { Said } from '../../../../shared/ui/said.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { uiWords } from '../../../../shared/ui/words.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './page.module.css';
import { add, importFile, remove } from './queries.ts';
import { suppressionsWords } from './words.ts';

/** After a change the list is asked for again. */
function useRefresh(): () => void {
  const queryClient = useQueryClient();
  return () => void queryClient.invalidateQueries({ queryKey: ['suppressions'] });
}

export function AddDialog({ onClose }: { onClose: () => void }) {
  const words = useWords(suppressionsWords);
  const api = useApi();
  const toast = useToast();
  const refresh = useRefresh();
  const [address, setAddress] = useState('');
  const [reason, setReason] = useState('');
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  const isMissing = address.trim() === '';
  const submit = () => {
    setAsked(true);
    if (isMissing) return;
    run(async () => {
      const { created } = await add(api, address.trim(), reason.trim());
      toast(created ? words.addedNow(address.trim()) : words.known(address.trim()));
      refresh();
      onClose();
    });
  };
  return (
    <Confirm title={words.addTitle} action={words.add} busy={busy} onConfirm={submit} onClose={onClose}>
      <p>{words.addText}</p>
      <TextField
        label={words.address}
        inputMode="email"
        name="address"
        autoComplete="off"
        value={address}
        onChange={setAddress}
        error={asked && isMissing ? words.needsAddress : null}
        required
      />
      <TextField
        label={words.reason}
        hint={words.reasonHint}
        name="reason"
        value={reason}
        onChange={setReason}
      />
      {error !== null && <Refusal error={error} />}
    </Confirm>
  );
}

export function RemoveDialog({ entry, onClose }: { entry: GlobalSuppression; onClose: () => void }) {
  const words = useWords(suppressionsWords);
  const api = useApi();
  const toast = useToast();
  const refresh = useRefresh();
  const { address, reason } = entry;
  const { busy, error, run } = useSubmission();
  const submit = () =>
    run(async () => {
      try {
        await remove(api, address);
        toast(words.removed(address));
        onClose();
      } finally {
        refresh();
      }
    });
  return (
    <Confirm
      title={words.removeTitle(address)}
      action={words.remove}
      danger
      busy={busy}
      onConfirm={submit}
      onClose={onClose}
    >
      <p>{words.removeText}</p>
      <p>{words.why(reason)}</p>
      {error !== null && <Refusal error={error} />}
    </Confirm>
  );
}

/** A file of addresses; what was refused of it is listed by its line. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const words = useWords(suppressionsWords);
  const ui = useWords(uiWords);
  const api = useApi();
  const refresh = useRefresh();
  const [file, setFile] = useState<File | null>(null);
  const [asked, setAsked] = useState(false);
  const [done, setDone] = useState<SuppressionImport | null>(null);
  const { busy, error, run } = useSubmission();
  const submit = () => {
    setAsked(true);
    if (file === null) return;
    run(async () => {
      setDone(null);
      setDone(await importFile(api, file));
      refresh();
    });
  };
  const foot = (
    <>
      <Button onClick={onClose}>{done === null ? ui.cancel : ui.close}</Button>
      <Button kind="primary" type="submit" busy={busy}>
        {words.importAction}
      </Button>
    </>
  );
  return (
    <Dialog title={words.importTitle} foot={foot} onSubmit={submit} onClose={onClose}>
      <p>{words.importText}</p>
      <FileDrop
        label={words.file}
        accept=".csv,.txt,text/csv"
        chosen={file?.name}
        onFile={(chosen) => {
          setFile(chosen);
          setDone(null);
        }}
      />
      {asked && file === null && <Notice tone="failed">{words.needsFile}</Notice>}
      {error !== null && <Refusal error={error} />}
      {done !== null && <Imported result={done} />}
    </Dialog>
  );
}

function Imported({ result: { created, known, failed, failures } }: { result: SuppressionImport }) {
  const words = useWords(suppressionsWords);
  const format = useFormat();
  const [createdText, knownText, failedText] = [created, known, failed].map(format.number);
  return (
    <Notice tone={failed === 0 ? 'sent' : 'waiting'} live>
      {words.imported(createdText!, knownText!, failedText!)}
      {failures.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keys
        <ul className={classes['failures']} tabIndex={0} aria-label={words.refused}>
          {failures.map(({ line, error }) => (
            <li key={line}>
              {words.line(format.number(line))} <Said text={error.message} />
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}
