import type { TextRule } from './text-rules.ts';

/** Characters of a text that are read; servers say what they mean well before. */
const MAX_TEXT_CHARS = 4_000;

const URL_PATTERN = /\bhttps?:\/\/([a-z0-9.-]{1,253})[^\s<>"]*/g;
const ADDRESS = /[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,128}@[a-z0-9.-]{1,253}/g;
const BRACKETED_ADDRESS = /<?<addr>>?/g;
// `550-5.7.1 ` inside a text is where a line of the reply began.
const LINE_MARK = /(?:^|(?<= ))[245]\d\d[- ](?:#?[245]\.\d{1,3}\.\d{1,3})? ?/g;

/**
 * The form that text rules are matched against: lower case, single spaces, no address or URL path whose words
 * could be taken for the server's.
 */
export function plainText(text: string): string {
  return (
    text
      .slice(0, MAX_TEXT_CHARS)
      .toLowerCase()
      .replace(/\s+/g, ' ')
      .replace(URL_PATTERN, '$1')
      .replace(ADDRESS, '<addr>')
      .replace(BRACKETED_ADDRESS, '<addr>')
      .replace(/[’‘]/g, "'")
      // ADDRESS_NOT_FOUND; a provider's code has digits next to it.
      .replace(/(?<=[a-z])_(?=[a-z])/g, ' ')
      .replace(LINE_MARK, '')
      .trim()
  );
}

/** The first rule that the plain text meets, or null. */
export function matchRules(rules: readonly TextRule[], plain: string): TextRule | null {
  for (const rule of rules) {
    for (const phrase of rule.phrases) {
      if (phrase.test(plain)) return rule;
    }
  }
  return null;
}
