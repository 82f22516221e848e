/** Strangers' text on a terminal: anything that moves the cursor, hides or reorders is escaped. Pure. */

/**
 * C0, DEL and C1; line and paragraph separators; invisible and joining characters (bidirectional controls,
 * zero width, soft hyphen, byte order mark, tags, variation selectors, interlinear marks, invisible
 * operators); lone surrogates.
 */
const UNSHOWN =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each stands for itself
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** One line, whatever the text holds: `\n`, `\x1b`, `\u202e`. */
export function lineForTerminal(text: string): string {
  return text.replace(UNSHOWN, escaped);
}

/** One JSON document on one line, with terminal controls escaped. */
export function jsonForTerminal(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replace(UNSHOWN, (one) =>
    Array.from({ length: one.length }, (_, at) => unit(one.charCodeAt(at))).join(''),
  );
}

/** In characters, not UTF-16 units. */
export function widthOf(text: string): number {
  return [...text].length;
}

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(one: string): string {
  const named = NAMED[one];
  if (named !== undefined) return named;
  const code = one.codePointAt(0)!;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code <= 0xffff ? unit(code) : `\\u{${code.toString(16)}}`;
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}
