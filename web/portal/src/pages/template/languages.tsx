import { Languages as LanguagesIcon, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../../shared/ui/button.tsx';
import { Confirm, Dialog } from '../../../../shared/ui/dialog.tsx';
import { SelectField, TextField } from '../../../../shared/ui/field.tsx';
import { uiWords } from '../../../../shared/ui/words.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { useContentName } from './content-name.ts';
import { NO_CONTENT, OWN, tagsOf } from './draft.ts';
import classes from './editor.module.css';
import { editorWords } from './editor-words.ts';
import type { Editing } from './use-editing.ts';

interface LanguagesProps {
  readonly editing: Editing;
  /** The one on screen. */
  readonly language: string;
  readonly onChoose: (tag: string) => void;
}

/** Chooses the template's language to edit; adds and removes languages. */
export function Languages({ editing, language, onChoose }: LanguagesProps) {
  const words = useWords(editorWords);
  const can = useCan();
  const nameOf = useContentName();
  const [asks, setAsks] = useState<'add' | 'remove' | null>(null);
  const close = () => setAsks(null);
  return (
    <div className={classes['languages']}>
      <SelectField
        label={words.language}
        value={language}
        choices={[OWN, ...tagsOf(editing.draft)].map((tag) => ({ value: tag, label: nameOf(tag) }))}
        onChange={onChoose}
      />
      <Button icon={LanguagesIcon} unavailable={can.send} onClick={() => setAsks('add')}>
        {words.addLanguage}
      </Button>
      {language !== OWN && (
        <Button
          kind="icon"
          icon={Trash2}
          label={words.removeLanguage}
          unavailable={can.send}
          onClick={() => setAsks('remove')}
        />
      )}
      {asks === 'add' && <AddLanguage editing={editing} from={language} onAdded={onChoose} onClose={close} />}
      {asks === 'remove' && (
        <Confirm
          title={words.removeLanguageTitle(nameOf(language))}
          action={words.removeLanguage}
          danger
          onConfirm={() => {
            editing.removeLanguage(language);
            onChoose(OWN);
            close();
          }}
          onClose={close}
        >
          <p>{words.removeLanguageText(nameOf(language))}</p>
        </Confirm>
      )}
    </div>
  );
}

interface AddProps {
  readonly editing: Editing;
  readonly from: string;
  readonly onAdded: (tag: string) => void;
  readonly onClose: () => void;
}

/** As the server takes them. */
const TAG = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;

function AddLanguage({ editing, from, onAdded, onClose }: AddProps) {
  const words = useWords(editorWords);
  const ui = useWords(uiWords);
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState(false);
  const tag = spelled(typed.trim());
  const error =
    tag === null ? words.badTag : editing.draft.contents[tag] === undefined ? null : words.knownTag;
  const submit = () => {
    setAsked(true);
    if (tag === null || error !== null) return;
    editing.addLanguage(tag, editing.draft.contents[from] ?? NO_CONTENT);
    onAdded(tag);
    onClose();
  };
  const foot = (
    <>
      <Button onClick={onClose}>{ui.cancel}</Button>
      <Button kind="primary" type="submit">
        {words.addLanguage}
      </Button>
    </>
  );
  return (
    <Dialog title={words.addLanguageTitle} foot={foot} onSubmit={submit} onClose={onClose}>
      <p>{words.addLanguageText}</p>
      <p>{words.languageHint}</p>
      <TextField
        label={words.tag}
        hint={words.tagHint}
        value={typed}
        onChange={setTyped}
        error={asked ? error : null}
      />
    </Dialog>
  );
}

/** In the server's spelling, `es-MX`; null: not a language tag. */
function spelled(tag: string): string | null {
  if (!TAG.test(tag)) return null;
  return tag
    .split('-')
    .map((part, at) => {
      if (at === 0) return part.toLowerCase();
      if (part.length === 2) return part.toUpperCase();
      return part.length === 4 ? part[0]!.toUpperCase() + part.slice(1).toLowerCase() : part.toLowerCase();
    })
    .join('-');
}
