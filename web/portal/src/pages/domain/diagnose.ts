import type { DomainRecord } from '../../../../shared/api/portal-types.ts';

/** The most likely fault of a record. */
export type Diagnosis =
  | { readonly kind: 'none' }
  | { readonly kind: 'missing' }
  /** The name servers did not answer: nothing is known of the record. */
  | { readonly kind: 'unanswered'; readonly detail: string }
  /** Quotation marks were published as part of the value. */
  | { readonly kind: 'quoted' }
  | { readonly kind: 'spaces' }
  /** Only its beginning is there: a form that takes 255 characters. */
  | { readonly kind: 'cut'; readonly chars: number }
  /** The provider put the domain behind the target. */
  | { readonly kind: 'appended' }
  | { readonly kind: 'other_key' }
  | { readonly kind: 'not_dmarc' }
  | { readonly kind: 'differs' };

/** Shorter beginnings may be anything. */
const CUT_MIN_CHARS = 32;

export function diagnose({ purpose, status, value, found }: DomainRecord): Diagnosis {
  switch (status) {
    case 'found':
    case 'unchecked':
      return { kind: 'none' };
    case 'missing':
      return { kind: 'missing' };
    case 'error':
      return { kind: 'unanswered', detail: found[0] ?? '' };
    case 'mismatch':
      break;
  }
  if (found.some((each) => unquoted(each) === value && each !== value)) return { kind: 'quoted' };
  if (found.some((each) => solid(each) === solid(value))) return { kind: 'spaces' };
  const beginning = found.find((each) => each.length >= CUT_MIN_CHARS && isBeginning(each, value));
  if (beginning !== undefined) return { kind: 'cut', chars: beginning.length };
  if (purpose === 'return_path')
    return { kind: found.some((each) => hostOf(each).startsWith(`${value}.`)) ? 'appended' : 'differs' };
  if (purpose === 'dmarc') return { kind: 'not_dmarc' };
  return { kind: purpose === 'dkim' && found.some((each) => /\bp=/.test(each)) ? 'other_key' : 'differs' };
}

function unquoted(text: string): string {
  return text
    .trim()
    .replace(/^["'“”«]+/, '')
    .replace(/["'“”»]+$/, '');
}

function solid(text: string): string {
  return text.replace(/\s+/g, '');
}

function isBeginning(text: string, value: string): boolean {
  return text.length < value.length && solid(value).startsWith(solid(text));
}

function hostOf(text: string): string {
  return text
    .replace(/^\d+\s+/, '')
    .replace(/\.$/, '')
    .toLowerCase();
}

/** How many characters of both are the same, from the first on. */
export function sameUntil(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}
