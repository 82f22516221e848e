import { useMemo } from 'react';
import { usePreferences } from '../app/preferences.tsx';
import { visible } from '../format/foreign-text.ts';
import { useFormat } from '../format/format.ts';
import { mailWords } from '../mail/words.ts';
import { saidWords } from '../words/said-words.ts';
import { useWords } from '../words/use-words.ts';
import { worded } from '../words/worded.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z$/;

/** A text of the server in the reader's words, or null where there are none. */
export function useWorded(): (text: string) => string | null {
  const { language } = usePreferences();
  const format = useFormat();
  const said = useWords(saidWords);
  const mail = useWords(mailWords);
  return useMemo(() => {
    const named: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      field: said.fields,
      status: { ...lowered(mail.statuses), ...said.domainStatuses },
      role: said.roles,
      span: said.spans,
    };
    return (text) =>
      worded(text, language, (name, value) => {
        if (TIME.test(value)) return format.dateTime(value);
        const words = named[name];
        return words !== undefined && Object.hasOwn(words, value) ? words[value]! : visible(value);
      });
  }, [language, format, said, mail]);
}

function lowered(words: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(words).map(([key, word]) => [key, word.toLowerCase()]));
}

/** A text of the server: in the reader's words, or marked as the English that it is. */
export function Said({ text }: { text: string }) {
  const known = useWorded()(text);
  return known === null ? <span lang="en">{visible(text)}</span> : known;
}
