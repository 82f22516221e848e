import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../../../shared/api/error.ts';
import type { Suppression } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Dialog } from '../../../../shared/ui/dialog.tsx';
import { CheckField } from '../../../../shared/ui/field.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { uiWords } from '../../../../shared/ui/words.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './page.module.css';
import { suppressionsWords } from './words.ts';

/** Addresses that are named one by one. */
const NAMED_MAX = 5;

interface Props {
  readonly entries: readonly Suppression[];
  /** Told of those that are gone, also when some are left. */
  readonly onRemoved: (ids: readonly string[]) => void;
  readonly onClose: () => void;
}

/** Takes addresses off the list, after a warning where people had complained. */
export default function RemoveSuppressions({ entries, onRemoved, onClose }: Props) {
  const words = useWords(suppressionsWords);
  const ui = useWords(uiWords);
  const format = useFormat();
  const toast = useToast();
  const { busy, done, error, remove } = useRemoval(entries, onRemoved);
  const [consented, setConsented] = useState(false);
  const [asked, setAsked] = useState(false);
  const complaints = entries.filter(({ source }) => source === 'complaint').length;
  const submit = () => {
    setAsked(true);
    if (complaints > 0 && !consented) return;
    remove((count) => {
      toast(words.removed(format.number(count)));
      onClose();
    });
  };
  const count = format.number(entries.length);
  const foot = (
    <>
      <Button onClick={onClose}>{ui.cancel}</Button>
      <Button kind="danger" type="submit" busy={busy}>
        {words.removeCount(count)}
      </Button>
    </>
  );
  return (
    <Dialog title={words.removeTitle(entries.length, count)} foot={foot} onSubmit={submit} onClose={onClose}>
      {error !== null && <Refusal error={error} />}
      <ul className={classes['named']}>
        {entries.slice(0, NAMED_MAX).map(({ id, address, source }) => (
          <li key={id}>
            <strong>
              <Foreign text={address} />
            </strong>{' '}
            <span className={classes['quiet']}>{words.sources[source]}</span>
          </li>
        ))}
        {entries.length > NAMED_MAX && (
          <li className={classes['quiet']}>{words.more(format.number(entries.length - NAMED_MAX))}</li>
        )}
      </ul>
      <p>{words.removeText}</p>
      {complaints > 0 && (
        <>
          <Notice tone="failed">{words.complaints(complaints, format.number(complaints))}</Notice>
          <CheckField label={words.consent} checked={consented} onChange={setConsented} />
          {asked && !consented && (
            <p className={classes['error']} role="alert">
              {words.needsConsent}
            </p>
          )}
        </>
      )}
      {busy && entries.length > 1 && <p role="status">{words.removing(format.number(done), count)}</p>}
    </Dialog>
  );
}

/** One after the other: removals before a refusal stay. */
function useRemoval(entries: readonly Suppression[], onRemoved: Props['onRemoved']) {
  const api = useApi();
  const queryClient = useQueryClient();
  const [done, setDone] = useState(0);
  const { busy, error, run } = useSubmission();
  const remove = (onDone: (count: number) => void) =>
    run(async () => {
      const gone: string[] = [];
      try {
        for (const { id } of entries) {
          await api.call('DELETE', `/suppressions/${id}`).catch(ignoreMissing);
          gone.push(id);
          setDone(gone.length);
        }
      } finally {
        onRemoved(gone);
        void queryClient.invalidateQueries({ queryKey: ['suppressions'] });
      }
      onDone(gone.length);
    });
  return { busy, done, error, remove };
}

/** Somebody else removed it meanwhile. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
}
