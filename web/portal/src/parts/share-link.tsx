import { daysAhead } from '../../../shared/format/clock.ts';
import { useFormat } from '../../../shared/format/format.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Dialog } from '../../../shared/ui/dialog.tsx';
import { SelectField, TextField } from '../../../shared/ui/field.tsx';
import { CodeBlock } from '../../../shared/ui/layout.tsx';
import { Notice } from '../../../shared/ui/notice.tsx';
import { useWords } from '../../../shared/words/use-words.ts';
import { shareWords } from './share-words.ts';

/** How long a link may last (days); the server takes 366 at most. */
const LIVES = ['1', '7', '30', '90', '365'] as const;
export type Life = (typeof LIVES)[number];
/** As the server takes it (characters). */
const NOTE_MAX_CHARS = 200;

export const isLongNote = (note: string) => note.trim().length > NOTE_MAX_CHARS;

interface LinkFieldsProps {
  readonly life: Life;
  readonly onLife: (life: Life) => void;
  readonly note: string;
  readonly onNote: (note: string) => void;
  /** The form was sent once: what is wrong is said. */
  readonly asked: boolean;
}

/** Until when, and for whom. */
export function LinkFields({ life, onLife, note, onNote, asked }: LinkFieldsProps) {
  const words = useWords(shareWords);
  const format = useFormat();
  return (
    <>
      <SelectField
        label={words.life}
        hint={words.until(format.dateTime(daysAhead(Number(life))))}
        value={life}
        choices={LIVES.map((value) => ({ value, label: words.lives[value] }))}
        onChange={onLife}
      />
      <TextField
        label={words.note}
        hint={words.noteHint}
        value={note}
        onChange={onNote}
        error={asked && isLongNote(note) ? words.noteLong(NOTE_MAX_CHARS) : null}
      />
    </>
  );
}

interface Made {
  readonly url: string;
  readonly expires_at: string;
}

/** The link, shown once. */
export function MadeLink({ made, onClose }: { made: Made; onClose: () => void }) {
  const words = useWords(shareWords);
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
