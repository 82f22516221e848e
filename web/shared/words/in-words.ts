import { visible } from '../format/foreign-text.ts';
import type { Format } from '../format/format.ts';
import { mailWords } from '../mail/words.ts';
import { capScopeText } from './cap-scope.ts';
import { saidWords } from './said-words.ts';
import { worded } from './worded.ts';
import type { Language } from './words.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z$/;

/** The server's texts in the reader's language; null: no translation. Loaded when first needed. */
export function createWorder(language: Language, format: Format): (text: string) => string | null {
  const { fields, domainStatuses, roles, spans } = saidWords[language];
  const named: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    field: fields,
    status: { ...lowered(mailWords[language].statuses), ...domainStatuses },
    role: roles,
    span: spans,
  };
  const formed: Readonly<Record<string, (value: string) => string>> = {
    scope: (value) => capScopeText(value, language),
  };
  return (text) =>
    worded(text, language, (name, value) => {
      if (TIME.test(value)) return format.dateTime(value);
      const written = formed[name];
      if (written !== undefined) return visible(written(value));
      const words = named[name];
      return words !== undefined && Object.hasOwn(words, value) ? words[value]! : visible(value);
    });
}

function lowered(words: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(words).map(([key, word]) => [key, word.toLowerCase()]));
}
