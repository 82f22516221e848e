import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { Message } from '../../../../shared/api/portal-types.ts';
import { shownText } from '../../../../shared/format/foreign-text.ts';
import { sealStateOf } from '../../../../shared/mail/status.tsx';
import { Button } from '../../../../shared/ui/button.tsx';
import { uiWords } from '../../../../shared/ui/words.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import { caseWords } from './case-words.ts';
import classes from './page.module.css';
import { messagesWords } from './words.ts';

const CaseDialog = lazy(() => import('./case-dialog.tsx'));

/** As the server takes it (messages). */
const MESSAGES_MAX = 100;

/** Messages that are chosen for a case file, whatever the list shows meanwhile. */
export interface Choice {
  readonly ids: ReadonlySet<string>;
  set(ids: ReadonlySet<string>): void;
}

/** In the place of a row's link. */
export function ChooseCell({ message, choice, children }: ChooseCellProps) {
  const words = useWords(caseWords);
  const { noSubject } = useWords(messagesWords);
  const { id, subject } = message;
  const chosen = choice.ids.has(id);
  const missing = sealStateOf(message) !== 'sealed' ? words.notSealed : null;
  const full = !chosen && choice.ids.size >= MESSAGES_MAX ? words.full(MESSAGES_MAX) : null;
  const change = (checked: boolean) => {
    const ids = new Set(choice.ids);
    if (checked) ids.add(id);
    else ids.delete(id);
    choice.set(ids);
  };
  return (
    <label className={classes['choose']} title={missing ?? full ?? undefined}>
      <input
        type="checkbox"
        checked={chosen}
        disabled={missing !== null || full !== null}
        aria-label={words.choose(shownText(subject, noSubject))}
        onChange={(event) => change(event.target.checked)}
      />
      {children}
    </label>
  );
}

interface ChooseCellProps {
  readonly message: Message;
  readonly choice: Choice;
  readonly children: ReactNode;
}

/** How many are chosen, and what comes next. */
export function ChoiceBar({ choice, shown, onEnd }: ChoiceBarProps) {
  const words = useWords(caseWords);
  const ui = useWords(uiWords);
  const [making, setMaking] = useState(false);
  const count = choice.ids.size;
  const more = shown.filter((message) => sealStateOf(message) === 'sealed' && !choice.ids.has(message.id));
  const room = more.slice(0, MESSAGES_MAX - count).map(({ id }) => id);
  return (
    <section className={classes['bar']} aria-label={words.choosing}>
      <span role="status">{count === 0 ? words.hint : words.chosen(count, MESSAGES_MAX)}</span>
      <div className={classes['barActions']}>
        <Button onClick={onEnd}>{ui.cancel}</Button>
        {room.length > 0 && (
          <Button onClick={() => choice.set(new Set([...choice.ids, ...room]))}>{words.all}</Button>
        )}
        <Button kind="primary" unavailable={count === 0 ? words.hint : null} onClick={() => setMaking(true)}>
          {words.next}
        </Button>
      </div>
      <Suspense>
        {making && <CaseDialog ids={[...choice.ids]} onClose={() => setMaking(false)} onDone={onEnd} />}
      </Suspense>
    </section>
  );
}

interface ChoiceBarProps {
  readonly choice: Choice;
  /** Rows of the list. */
  readonly shown: readonly Message[];
  onEnd(): void;
}
