import { ApiError, apiError } from '../../errors.ts';
import type { TemplateSource } from './render.ts';

/** Chooses a variant: the exact tag, then ever shorter ones, else the template's own content. */

export const LOCALE_PATTERN = '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$';

const LOCALE = new RegExp(LOCALE_PATTERN);

export function isLocale(text: string): boolean {
  return LOCALE.test(text);
}

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

export const TEMPLATE_VARIANTS_MAX = 20;

export type Variants = Readonly<Record<string, TemplateSource>>;

interface GivenVariant {
  readonly subject: string;
  readonly text?: string | null | undefined;
  readonly html?: string | null | undefined;
}

/** Null removes a language. */
export type GivenVariants = Readonly<Record<string, GivenVariant | null>>;

export function mergeVariants(now: Variants, given: GivenVariants): Variants {
  const merged = new Map(Object.entries(now));
  const seen = new Set<string>();
  for (const [written, variant] of Object.entries(given)) {
    if (!isLocale(written))
      throw apiError(
        'invalid_body',
        `variants.${written.slice(0, 40)} is not a language tag: use one such as es, es-MX or en.`,
      );
    const tag = canonicalLocale(written);
    if (seen.has(tag)) throw apiError('invalid_body', `variants has ${tag} twice: give each language once.`);
    seen.add(tag);
    if (variant === null) merged.delete(tag);
    else
      merged.set(tag, { subject: variant.subject, text: variant.text ?? null, html: variant.html ?? null });
  }
  if (merged.size > TEMPLATE_VARIANTS_MAX)
    throw apiError('invalid_body', `variants has more than ${TEMPLATE_VARIANTS_MAX} languages.`);
  return Object.fromEntries([...merged].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Its errors name the variant. Null: the template's own content. */
export async function aboutVariant<T>(tag: string | null, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (tag === null || !(error instanceof ApiError) || !VARIANT_CODES.has(error.code)) throw error;
    throw apiError(error.code, `variants.${tag}.${error.message}`, { cause: error });
  }
}

const VARIANT_CODES: ReadonlySet<string> = new Set(['invalid_body', 'template_render_error']);
