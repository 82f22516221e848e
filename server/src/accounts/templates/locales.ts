/**
 * Which of a template's variants a locale means: the one of just that language tag, else of the tag without
 * its last part, and so on; none of them: the template's own content.
 */

/** A language tag as people write it: es, es-MX, zh-Hant-TW. */
export const LOCALE_PATTERN = '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$';

const LOCALE = new RegExp(LOCALE_PATTERN);

export function isLocale(text: string): boolean {
  return LOCALE.test(text);
}

/** `ES-mx` → `es-MX`, `zh-hant` → `zh-Hant`: the spelling that variants are kept in. */
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

/** The key of the variant that is meant; null: the template's own content. */
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
