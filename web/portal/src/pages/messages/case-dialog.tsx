import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { CaseShare } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useShowOnce } from '../../../../shared/app/once.tsx';
import { daysAhead } from '../../../../shared/format/clock.ts';
import { download } from '../../../../shared/format/download.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Dialog } from '../../../../shared/ui/dialog.tsx';
import { CheckField, TextField } from '../../../../shared/ui/field.tsx';
import { RadioField } from '../../../../shared/ui/radio-field.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { uiWords } from '../../../../shared/ui/words.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { isLongNote, type Life, LinkFields, MadeLink } from '../../parts/share-link.tsx';
import { shareWords } from '../../parts/share-words.ts';
import { caseWords } from './case-words.ts';
import classes from './page.module.css';

/** As the server takes it (characters). */
const NAME_MAX_CHARS = 200;
const WAYS = ['download', 'link'] as const;
type Way = (typeof WAYS)[number];

interface Props {
  readonly ids: readonly string[];
  readonly onClose: () => void;
  /** The case file was made. */
  readonly onDone: () => void;
}

/** Asks for a name and a way to hand it over; then gives a file, or a link that is shown once. */
export default function CaseDialog({ ids, onClose, onDone }: Props) {
  const words = useWords(caseWords);
  const api = useApi();
  const can = useCan();
  const toast = useToast();
  const queryClient = useQueryClient();
  const showOnce = useShowOnce();
  const [name, setName] = useState('');
  const [way, setWay] = useState<Way>('download');
  const [shown, setShown] = useState({ message: true, delivery: true });
  const [life, setLife] = useState<Life>('30');
  const [note, setNote] = useState('');
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  const chosen = { name: name.trim(), message_ids: ids };
  const nameError = chosen.name === '' ? words.noName : chosen.name.length > NAME_MAX_CHARS ? LONG : null;
  const save = () =>
    run(async () => {
      download(`${chosen.name}.zip`, await api.bytes('/case-files', { body: chosen }, 'POST'));
      toast(words.saved);
      onDone();
    });
  const share = () =>
    run(async () => {
      const body = {
        ...chosen,
        expires_at: daysAhead(Number(life)),
        disclose: shown,
        ...(note.trim() !== '' && { note: note.trim() }),
      };
      const made = await api.call<CaseShare>('POST', '/case-files/shares', { body });
      void queryClient.invalidateQueries({ queryKey: ['messages', 'shares'] });
      onDone();
      await showOnce((done) => <MadeLink made={made} onClose={done} />);
    });
  const submit = () => {
    setAsked(true);
    if (nameError !== null) return;
    if (way === 'download') save();
    else if (!isNothing(shown) && !isLongNote(note)) share();
  };
  return (
    <Dialog
      title={words.title(ids.length)}
      foot={<Foot way={way} busy={busy} onClose={onClose} />}
      onSubmit={submit}
      onClose={onClose}
    >
      {error !== null && <Refusal error={error} />}
      <p>{words.lead}</p>
      <TextField
        label={words.name}
        hint={words.nameHint}
        value={name}
        onChange={setName}
        error={
          !asked || nameError === null
            ? null
            : nameError === LONG
              ? words.nameLong(NAME_MAX_CHARS)
              : nameError
        }
      />
      {can.send === null && (
        <RadioField
          label={words.how}
          value={way}
          choices={WAYS.map((value) => ({ value, label: words.ways[value], hint: words.waysMean[value] }))}
          onChange={setWay}
        />
      )}
      {way === 'link' && (
        <>
          <ShownFields shown={shown} onChange={setShown} asked={asked} />
          <LinkFields life={life} onLife={setLife} note={note} onNote={setNote} asked={asked} />
        </>
      )}
    </Dialog>
  );
}

interface FootProps {
  readonly way: Way;
  readonly busy: boolean;
  readonly onClose: () => void;
}

function Foot({ way, busy, onClose }: FootProps) {
  const words = useWords(caseWords);
  const shared = useWords(shareWords);
  const ui = useWords(uiWords);
  return (
    <>
      <Button onClick={onClose}>{ui.cancel}</Button>
      <Button kind="primary" type="submit" busy={busy}>
        {way === 'download' ? words.download : shared.create}
      </Button>
    </>
  );
}

interface Shown {
  readonly message: boolean;
  readonly delivery: boolean;
}

const isNothing = ({ message, delivery }: Shown) => !message && !delivery;

interface ShownFieldsProps {
  readonly shown: Shown;
  readonly onChange: (shown: Shown) => void;
  /** The form was sent once: what is wrong is said. */
  readonly asked: boolean;
}

function ShownFields({ shown, onChange, asked }: ShownFieldsProps) {
  const words = useWords(caseWords);
  return (
    <fieldset className={classes['group']}>
      <legend>{words.show}</legend>
      <CheckField
        label={words.message}
        checked={shown.message}
        onChange={(message) => onChange({ ...shown, message })}
      />
      <CheckField
        label={words.delivery}
        checked={shown.delivery}
        onChange={(delivery) => onChange({ ...shown, delivery })}
      />
      {asked && isNothing(shown) && (
        <p className={classes['error']} role="alert">
          {words.nothing}
        </p>
      )}
    </fieldset>
  );
}

const LONG = 'long';
