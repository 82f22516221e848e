import type { Language } from '../words/words.ts';

/** How a document for a court writes: dates in full and in UTC, sizes in bytes. */
export interface FormalFormat {
  /** `4 de marzo de 2026, 05:06:15 UTC`; what is no time as it is. */
  time(iso: string): string;
  bytes(size: number): string;
}

const LOCALES: Readonly<Record<Language, string>> = { es: 'es-MX', en: 'en-US' };

export function createFormalFormat(language: Language): FormalFormat {
  const date = new Intl.DateTimeFormat(LOCALES[language], {
    dateStyle: 'long',
    timeStyle: 'long',
    timeZone: 'UTC',
    hourCycle: 'h23',
  });
  const number = new Intl.NumberFormat(LOCALES[language]);
  return {
    time: (iso) => (Number.isNaN(Date.parse(iso)) ? iso : date.format(new Date(iso))),
    bytes: (size) => `${number.format(size)} bytes`,
  };
}
