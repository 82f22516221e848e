import type { Language, Translated, Words } from './words.ts';

/** The scope of a cap: of whose mail and to where it is the limit. */
const english = {
  all: 'all mail',
  each: 'each receiver by itself',
  account: (id: string) => `account ${id}`,
  pool: (name: string) => `pool ${name}`,
  address: (name: string) => `address ${name}`,
  receiver: (name: string) => `receiver ${name}`,
};

const spanish: Translated<typeof english> = {
  all: 'todo el correo',
  each: 'cada receptor por separado',
  account: (id) => `cuenta ${id}`,
  pool: (name) => `grupo ${name}`,
  address: (name) => `dirección ${name}`,
  receiver: (name) => `receptor ${name}`,
};

export const capScopeWords: Words<typeof english> = { en: english, es: spanish };

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
