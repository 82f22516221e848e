import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Disclosure, Message, MessagePart, ShareWithUrl } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useShowOnce } from '../../../../shared/app/once.tsx';
import { daysAhead } from '../../../../shared/format/clock.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Dialog } from '../../../../shared/ui/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../../../shared/ui/field.tsx';
import { CodeBlock } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { uiWords } from '../../../../shared/ui/words.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './evidence.module.css';
import { proveWords } from './prove-words.ts';
import { partsQuery } from './queries.ts';

/** How long a link may last (days); the server takes 366 at most. */
const LIVES = ['1', '7', '30', '90', '365'] as const;
/** As the server takes it (characters). */
const NOTE_MAX_CHARS = 200;

interface Props {
  readonly message: Message;
  readonly onClose: () => void;
}

/** Asks what to show, until when and for whom; then shows the link, once. */
export default function ProveDialog({ message, onClose }: Props) {
  const words = useWords(proveWords);
  const ui = useWords(uiWords);
  const api = useApi();
  const format = useFormat();
  const queryClient = useQueryClient();
  const showOnce = useShowOnce();
  const [shown, setShown] = useState<Disclosure>({ message: true, parts: [], delivery: true });
  const [life, setLife] = useState<(typeof LIVES)[number]>('30');
  const [note, setNote] = useState('');
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  const isNothing = !shown.message && !shown.delivery && shown.parts.length === 0;
  const isLong = note.trim().length > NOTE_MAX_CHARS;
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
        {words.create}
      </Button>
    </>
  );
  return (
    <Dialog title={words.title} foot={foot} onSubmit={submit} onClose={onClose}>
      {error !== null && <Refusal error={error} />}
      <p>{words.lead}</p>
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
      <SelectField
        label={words.life}
        hint={words.until(format.dateTime(daysAhead(Number(life))))}
        value={life}
        choices={LIVES.map((value) => ({ value, label: words.lives[value] }))}
        onChange={setLife}
      />
      <TextField
        label={words.note}
        hint={words.noteHint}
        value={note}
        onChange={setNote}
        error={asked && isLong ? words.noteLong(NOTE_MAX_CHARS) : null}
      />
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

function MadeLink({ made, onClose }: { made: ShareWithUrl; onClose: () => void }) {
  const words = useWords(proveWords);
  const format = useFormat();
  const foot = (
    <Button kind="primary" onClick={onClose}>
      {words.done}
    </Button>
  );
  // Without a cross: a slip must not lose it.
  return (
    <Dialog title={words.madeTitle} foot={foot} wide>
      <Notice tone="waiting">{words.once}</Notice>
      <CodeBlock text={made.url} label={words.link} wrap />
      <p>{words.means(format.dateTime(made.expires_at))}</p>
    </Dialog>
  );
}
