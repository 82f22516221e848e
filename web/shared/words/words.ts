/**
 * Texts in the reader's language. Every screen has a `words.ts` of its own: an English catalogue, and a
 * Spanish one of the same shape, so that a missing text is a type error. Texts that hold a value are
 * functions.
 */
export type Language = 'es' | 'en';
export const LANGUAGES: readonly Language[] = ['es', 'en'];

/** The content of a catalogue. */
// biome-ignore lint/suspicious/noExplicitAny: a text may take values of any kind
type Text = string | ((...values: any[]) => string);
export interface Catalogue {
  readonly [name: string]: Text | Catalogue;
}

/** The shape of the English catalogue, with any texts: what the Spanish one must be. */
export type Translated<C> = {
  readonly [K in keyof C]: C[K] extends string
    ? string
    : // biome-ignore lint/suspicious/noExplicitAny: as above
      C[K] extends (...values: any[]) => string
      ? C[K]
      : Translated<C[K]>;
};

/** Both catalogues of a screen. */
export interface Words<C> {
  readonly en: C;
  readonly es: Translated<C>;
}

/** The first of the browser's languages that we speak; Spanish where it speaks neither. */
export function languageOf(preferred: readonly string[]): Language {
  for (const tag of preferred) {
    const language = tag.slice(0, 2).toLowerCase();
    if (language === 'es' || language === 'en') return language;
  }
  return 'es';
}
