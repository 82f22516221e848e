/**
 * Chooses a variant: the exact tag, then without its last part, and so on, else the template's own content.
 */

export const LOCALE_PATTERN = '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$';

const LOCALE = new RegExp(LOCALE_PATTERN);

export function isLocale(text: string): boolean {
  return LOCALE.test(text);
}

/** The canonical spelling. */
export function canonicalLocale(tag: string): string {
  return tag
    .split('-')
    .map((part, at) => {
      if (at === 0) return part.toLowerCase();
      if (part.length === 2) return part.toUpperCase();
      return part.length === 4 ? part[0]!.toUpperCase() + part.slice(1).toLowerCase() : part.toLowerCase();
    })
    .join('-');
}

/** Null: the template's own content. */
export function chooseVariant(
  variants: Readonly<Record<string, unknown>>,
  locale: string | null,
): string | null {
  if (locale === null) return null;
  const parts = canonicalLocale(locale).split('-');
  for (; parts.length > 0; parts.pop()) {
    const tag = parts.join('-');
    if (Object.hasOwn(variants, tag)) return tag;
  }
  return null;
}
