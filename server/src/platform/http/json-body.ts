/**
 * Strict JSON: valid UTF-8 and unambiguous. Readers disagree about repeated keys, and sealed data must not
 * depend on the reader. RFC 8259 §4
 */

/** Deepest nesting; evidence takes less (MAX_JSON_DEPTH of packages/evidence). */
export const JSON_DEPTH_MAX = 64;
/** Values in a body: in memory the smallest takes many times its text. */
export const JSON_VALUES_MAX = 200_000;
/** Fields of one object, many times the largest that a route takes. */
export const JSON_FIELDS_MAX = 10_000;

const SHOWN_KEY_CHARS = 100;

const utf8 = new TextDecoder('utf-8', { fatal: true });

type ParsedJson = { ok: true; value: unknown } | { ok: false; problem: string };

export function parseJson(body: Uint8Array): ParsedJson {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    return { ok: false, problem: 'The body is not valid UTF-8.' };
  }
  const problem = findAmbiguity(text);
  if (problem !== null) return { ok: false, problem: `The body is not valid: ${problem}.` };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return {
      ok: false,
      problem: `The body is not valid JSON: ${error instanceof Error ? error.message.slice(0, 200) : 'it does not parse'}.`,
    };
  }
}

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Scans the text before anything is built, for repeated keys (however escaped) and for too many levels or
 * values. Null: fine. Text that is not JSON is left to the parser.
 */
function findAmbiguity(text: string): string | null {
  const open: (Set<string> | null)[] = [];
  let keys: Set<string> | null = null;
  let keyIsNext = false;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // White space alone may be megabytes.
    if (code <= SPACE) continue;
    switch (code) {
      case QUOTE: {
        const end = endOfString(text, at + 1);
        if (end < 0) return null;
        if (keyIsNext) {
          const problem = addKey(keys!, text, at, end);
          if (problem !== null) return problem;
        }
        keyIsNext = false;
        at = end;
        break;
      }
      case COMMA:
        if (++values > JSON_VALUES_MAX) return `it has more than ${JSON_VALUES_MAX} values`;
        keyIsNext = keys !== null;
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (++values > JSON_VALUES_MAX) return `it has more than ${JSON_VALUES_MAX} values`;
        if (open.length === JSON_DEPTH_MAX) return `it is nested more than ${JSON_DEPTH_MAX} levels deep`;
        keyIsNext = code === OPEN_OBJECT;
        keys = keyIsNext ? new Set() : null;
        open.push(keys);
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        open.pop();
        keys = open.at(-1) ?? null;
        keyIsNext = false;
        break;
    }
  }
  return null;
}

function addKey(keys: Set<string>, text: string, at: number, end: number): string | null {
  const key = readKey(text, at, end);
  const before = keys.size;
  if (keys.add(key).size === before)
    return `${JSON.stringify(key.slice(0, SHOWN_KEY_CHARS))} is given twice in one object`;
  return before >= JSON_FIELDS_MAX ? `an object has more than ${JSON_FIELDS_MAX} fields` : null;
}

function readKey(text: string, at: number, end: number): string {
  const plain = text.slice(at + 1, end);
  if (!plain.includes('\\')) return plain;
  try {
    return JSON.parse(text.slice(at, end + 1)) as string;
  } catch {
    // Invalid JSON: the parser will say so.
    return plain;
  }
}

function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((end - first) % 2 === 0) return end;
  }
  return -1;
}
