/** Texts of strangers, as a terminal may show it: nothing in it moves the cursor, hides or reorders. */

/** Controls, bidirectional and zero-width marks, line separators, tags; halves of a surrogate pair. */
const UNSHOWN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\u{e0000}-\u{e0fff}]|\p{Cs}/gu;

const unit = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`;

/** JSON in which these characters are escapes, so that it means the same; `indent` 2: over several lines. */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent) ?? 'null';
  return text.replace(UNSHOWN, (one) =>
    // Only what JSON.stringify itself lays out can be a line break here.
    one === '\n' ? one : Array.from({ length: one.length }, (_, at) => unit(one.charCodeAt(at))).join(''),
  );
}

/** Text for a terminal: its lines stay, everything else of these is an escape. */
export function textForTerminal(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(UNSHOWN, (one) => {
    if (one === '\n' || one === '\t') return one;
    const code = one.codePointAt(0)!;
    return code <= 0xffff ? unit(code) : `\\u{${code.toString(16)}}`;
  });
}
