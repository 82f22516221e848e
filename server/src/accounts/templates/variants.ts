import { ApiError, apiError } from '../../errors.ts';
import { canonicalLocale, isLocale } from './locales.ts';
import type { TemplateSource } from './render.ts';

export const TEMPLATE_VARIANTS_MAX = 20;

export type Variants = Readonly<Record<string, TemplateSource>>;

interface GivenVariant {
  readonly subject: string;
  readonly text?: string | null | undefined;
  readonly html?: string | null | undefined;
}

/** Null removes a language. */
export type GivenVariants = Readonly<Record<string, GivenVariant | null>>;

/** Merged by canonical tag. Throws invalid_body. */
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
