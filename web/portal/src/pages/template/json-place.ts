/**
 * Finds where a text stops being JSON: browsers say that it is not, and most do not say where. RFC 8259 §2
 */
const TOKEN =
  /[{}[\]:,]|"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const SPACE = /[ \t\r\n]*/y;

/** The scanner's next expectation. */
type Expected = 'value' | 'first' | 'name' | 'colon' | 'after';

/** The line of the first token that does not belong there, from 1. */
export function lineOfProblem(text: string): number {
  const open: string[] = [];
  let expected: Expected = 'value';
  let at = skipSpace(text, 0);
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0];
    const next: Expected | null = token === undefined ? null : step(token, expected, open);
    if (next === null) break;
    expected = next;
    at = skipSpace(text, at + token!.length);
  }
  return text.slice(0, at).split('\n').length;
}

function skipSpace(text: string, from: number): number {
  SPACE.lastIndex = from;
  SPACE.exec(text);
  return SPACE.lastIndex;
}

/** Null: the token does not belong there. `open`: the brackets around it. */
function step(token: string, expected: Expected, open: string[]): Expected | null {
  const around = open.at(-1);
  if (token === '}' || token === ']') {
    const closes = around === (token === '}' ? '{' : '[') && (expected === 'after' || expected === 'first');
    if (closes) open.pop();
    return closes ? 'after' : null;
  }
  if (expected === 'after') {
    if (token !== ',' || around === undefined) return null;
    return around === '{' ? 'name' : 'value';
  }
  if (expected === 'colon') return token === ':' ? 'value' : null;
  if (expected === 'name' || (expected === 'first' && around === '{'))
    return token.startsWith('"') ? 'colon' : null;
  if (token === ',' || token === ':') return null;
  if (token !== '{' && token !== '[') return 'after';
  open.push(token);
  return 'first';
}
