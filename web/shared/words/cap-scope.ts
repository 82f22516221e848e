import { capScopeWords } from './cap-scope-words.ts';
import type { Language } from './words.ts';

const PART = /^(account|pool|address|receiver) (\S+)$/;

/** As the server writes it: `account …, receiver gmail.com`. What is nothing like it stays as it is. */
export function capScopeText(text: string, language: Language): string {
  const words = capScopeWords[language];
  if (text === 'all mail') return words.all;
  return text
    .split(', ')
    .map((part) => {
      if (part === 'each receiver') return words.each;
      const [, kind, name = ''] = PART.exec(part) ?? [];
      return kind === undefined ? part : words[kind as 'account' | 'pool' | 'address' | 'receiver'](name);
    })
    .join(', ');
}
