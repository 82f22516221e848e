import { useQuery } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { DestinationNote } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { SelectField, TextField } from '../../../../shared/ui/field.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { Section } from '../../../../shared/ui/section.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './page.module.css';
import { FLAGS, forgetNote, NOTES, type Note, notesQuery, writeNote } from './queries.ts';
import { useDone } from './use-done.ts';
import { queueWords } from './words.ts';

/** How destinations are spoken to, as learned or written. `destination` empty: all of them. */
export function Notes({ destination }: { destination: string }) {
  const words = useWords(queueWords).notes;
  const query = useQuery(notesQuery(useApi(), destination));
  const [isAdding, setAdding] = useState(false);
  const [forgetting, setForgetting] = useState<DestinationNote | null>(null);
  const columns = useColumns(setForgetting);
  const add = (
    <Button icon={Plus} onClick={() => setAdding(true)}>
      {words.add}
    </Button>
  );
  return (
    <Section title={words.title} hint={words.hint} actions={add}>
      <Loaded query={query} rows={3}>
        {({ data }) =>
          data.length === 0 ? (
            <p className={classes['total']}>{words.none}</p>
          ) : (
            <Table
              label={words.title}
              columns={columns}
              rows={data}
              rowKey={(note) => `${note.destination} ${note.note}`}
            />
          )
        }
      </Loaded>
      {isAdding && <AddDialog destination={destination} onClose={() => setAdding(false)} />}
      {forgetting !== null && <ForgetDialog note={forgetting} onClose={() => setForgetting(null)} />}
    </Section>
  );
}

function useColumns(onForget: (note: DestinationNote) => void): readonly Column<DestinationNote>[] {
  const { actions, notes: words } = useWords(queueWords);
  const format = useFormat();
  const valueText = (note: Note, value: number) => {
    if (!FLAGS.has(note)) return format.number(value);
    return value === 1 ? words.yes : words.no;
  };
  return [
    {
      id: 'destination',
      head: words.destination,
      main: true,
      cell: ({ destination, note, value, reason, source, noted_by: by }) => (
        <>
          <span className={classes['name']}>
            <Foreign text={destination} breaks />
          </span>
          <div>
            {words.kinds[note]}: {valueText(note, value)}
          </div>
          <div className={classes['why']}>
            {source === 'learned' ? words.learned : words.written(by)}: <Foreign text={reason} />
          </div>
        </>
      ),
    },
    {
      id: 'ends',
      head: words.ends,
      end: true,
      cell: ({ ends_at: at }) => (at === null ? words.forever : <Time iso={at} form="date" />),
    },
    {
      id: 'forget',
      head: actions,
      end: true,
      cell: (note) => (
        <Button
          kind="icon"
          icon={Trash2}
          label={words.forget(words.kinds[note.note], note.destination)}
          onClick={() => onForget(note)}
        />
      ),
    },
  ];
}

function ForgetDialog({ note, onClose }: { note: DestinationNote; onClose: () => void }) {
  const words = useWords(queueWords).notes;
  const api = useApi();
  const done = useDone(onClose);
  const { busy, error, run } = useSubmission();
  const submit = () =>
    run(async () => {
      await forgetNote(api, note);
      done(words.forgotten);
    });
  return (
    <Confirm
      title={words.forgetTitle(words.kinds[note.note], note.destination)}
      action={words.forgetAction}
      busy={busy}
      onConfirm={submit}
      onClose={onClose}
    >
      <p>{words.forgetLead}</p>
      {error !== null && <Refusal error={error} />}
    </Confirm>
  );
}

function AddDialog({ destination: given, onClose }: { destination: string; onClose: () => void }) {
  const all = useWords(queueWords);
  const words = all.notes;
  const api = useApi();
  const done = useDone(onClose);
  const [destination, setDestination] = useState(given);
  const [note, setNote] = useState<Note>('conversations');
  const [value, setValue] = useState('');
  const [days, setDays] = useState('');
  const [reason, setReason] = useState('');
  const { busy, error, run } = useSubmission();
  const limits: Readonly<Record<string, string>> = words.limits;
  const limit = limits[note];
  const choose = (chosen: Note) => {
    setNote(chosen);
    setValue(FLAGS.has(chosen) ? '1' : '');
  };
  const submit = () =>
    run(async () => {
      await writeNote(api, {
        ...{ destination: destination.trim(), note, reason },
        ...{ value: Number(value), days: days.trim() === '' ? null : Number(days) },
      });
      done(words.added(destination.trim()));
    });
  return (
    <Confirm title={words.addTitle} action={words.addAction} busy={busy} onConfirm={submit} onClose={onClose}>
      <TextField
        label={words.destination}
        placeholder={all.findHint}
        value={destination}
        onChange={setDestination}
        required
      />
      <SelectField
        label={words.note}
        value={note}
        choices={NOTES.map((each) => ({ value: each, label: words.kinds[each] }))}
        onChange={choose}
      />
      {limit === undefined ? (
        <SelectField
          label={words.applies}
          hint={note === 'no_tls' ? words.tlsHint : undefined}
          value={value}
          choices={[
            { value: '1', label: words.yes },
            { value: '0', label: words.no },
          ]}
          onChange={setValue}
        />
      ) : (
        <TextField
          label={limit}
          hint={words.limitHint}
          value={value}
          onChange={setValue}
          inputMode="numeric"
          required
        />
      )}
      <TextField
        label={words.days}
        hint={words.daysHint}
        value={days}
        onChange={setDays}
        inputMode="numeric"
      />
      <TextField label={all.reason} hint={all.reasonHint} value={reason} onChange={setReason} required />
      {error !== null && <Refusal error={error} />}
    </Confirm>
  );
}
