import type { Translated, Words } from './words.ts';

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
