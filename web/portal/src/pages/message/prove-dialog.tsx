import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Disclosure, Message, MessagePart, ShareWithUrl } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useShowOnce } from '../../../../shared/app/once.tsx';
import { daysAhead } from '../../../../shared/format/clock.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { Button } from '../../../../shared/ui/button.tsx';
import { Dialog } from '../../../../shared/ui/dialog.tsx';
import { CheckField } from '../../../../shared/ui/field.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { uiWords } from '../../../../shared/ui/words.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import { isLongNote, type Life, LinkFields, MadeLink } from '../../parts/share-link.tsx';
import { shareWords } from '../../parts/share-words.ts';
import classes from './evidence.module.css';
import { proveWords } from './prove-words.ts';
import { partsQuery } from './queries.ts';

interface Props {
  readonly message: Message;
  readonly onClose: () => void;
}

/** Asks what to show, until when and for whom; then shows the link, once. */
export default function ProveDialog({ message, onClose }: Props) {
  const words = useWords(proveWords);
  const ui = useWords(uiWords);
  const shared = useWords(shareWords);
  const api = useApi();
  const queryClient = useQueryClient();
  const showOnce = useShowOnce();
  const [shown, setShown] = useState<Disclosure>({ message: true, parts: [], delivery: true });
  const [life, setLife] = useState<Life>('30');
  const [note, setNote] = useState('');
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  const isNothing = !shown.message && !shown.delivery && shown.parts.length === 0;
  const isLong = isLongNote(note);
  const submit = () => {
    setAsked(true);
    if (isNothing || isLong) return;
    run(async () => {
      const body = {
        expires_at: daysAhead(Number(life)),
        disclose: { ...shown, parts: shown.message ? [] : shown.parts },
        ...(note.trim() !== '' && { note: note.trim() }),
      };
      const made = await api.call<ShareWithUrl>('POST', `/messages/${message.id}/shares`, { body });
      void queryClient.invalidateQueries({ queryKey: ['messages', 'shares', message.id] });
      onClose();
      await showOnce((done) => <MadeLink made={made} onClose={done} />);
    });
  };
  const foot = (
    <>
      <Button onClick={onClose}>{ui.cancel}</Button>
      <Button kind="primary" type="submit" busy={busy}>
        {shared.create}
      </Button>
    </>
  );
  return (
    <Dialog title={words.title} foot={foot} onSubmit={submit} onClose={onClose}>
      {error !== null && <Refusal error={error} />}
      <p>
        {words.lead} {words.asFile}{' '}
        <Link to={`/messages/${message.id}/evidence`} onClick={onClose}>
          {words.toEvidence}
        </Link>
      </p>
      <fieldset className={classes['group']}>
        <legend>{words.show}</legend>
        <CheckField
          label={words.message}
          checked={shown.message}
          onChange={(whole) => setShown({ ...shown, message: whole })}
        />
        {!shown.message && <PartChoice message={message} shown={shown} onChange={setShown} />}
        <CheckField
          label={words.delivery}
          checked={shown.delivery}
          onChange={(delivery) => setShown({ ...shown, delivery })}
        />
        {!shown.message && !shown.delivery && <p className={classes['quiet']}>{words.closed}</p>}
        {asked && isNothing && (
          <p className={classes['error']} role="alert">
            {words.nothing}
          </p>
        )}
      </fieldset>
      <LinkFields life={life} onLife={setLife} note={note} onNote={setNote} asked={asked} />
    </Dialog>
  );
}

interface PartChoiceProps {
  readonly message: Message;
  readonly shown: Disclosure;
  readonly onChange: (shown: Disclosure) => void;
}

/** Parts alone: the rest stays closed, and the proof holds all the same. */
function PartChoice({ message, shown, onChange }: PartChoiceProps) {
  const words = useWords(proveWords);
  const format = useFormat();
  const api = useApi();
  const isErased = message.content_deleted_at !== null;
  const query = useQuery({ ...partsQuery(api, message.id), enabled: !isErased });
  if (isErased) return null;
  const types: Readonly<Record<string, string>> = words.types;
  const nameOf = ({ filename, media_type: type }: MessagePart) => filename ?? types[type] ?? type;
  const without = (index: number) => shown.parts.filter((each) => each !== index);
  return (
    <div className={classes['parts']}>
      <Loaded query={query} rows={2}>
        {({ parts }) =>
          parts.map((part) => (
            <CheckField
              key={part.index}
              label={`${nameOf(part)} · ${format.bytes(part.size_bytes)}`}
              checked={shown.parts.includes(part.index)}
              onChange={(checked) =>
                onChange({
                  ...shown,
                  parts: checked ? [...without(part.index), part.index] : without(part.index),
                })
              }
            />
          ))
        }
      </Loaded>
    </div>
  );
}
