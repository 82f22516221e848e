/** What is kept of an answer whose receiver a tenant chose: enough to see what went wrong there. Pure. */
export interface AnswerExcerpt {
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body's first bytes as text; what is not UTF-8 is replaced. */
  readonly excerpt: string;
}

/** Bytes of the body that are kept. */
export const EXCERPT_MAX_BYTES = 4_096;
/** Header fields that are kept, and characters of their names and values together. */
export const EXCERPT_HEADERS_MAX = 40;
export const EXCERPT_HEADERS_MAX_CHARS = 4_096;
/** They open sessions: of no use to somebody who looks for a fault. */
const HIDDEN = new Set(['set-cookie', 'set-cookie2', 'www-authenticate', 'proxy-authenticate']);

type GivenHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** `start`: of the body, at least as much of it as is kept, if there is so much. */
export function excerptOf(given: GivenHeaders, start: Uint8Array): AnswerExcerpt {
  const headers: Record<string, string> = {};
  let left = EXCERPT_HEADERS_MAX_CHARS;
  for (const [name, value] of Object.entries(given).slice(0, EXCERPT_HEADERS_MAX)) {
    if (value === undefined) continue;
    const text = HIDDEN.has(name)
      ? '(hidden)'
      : storable(typeof value === 'string' ? value : value.join(', '));
    left -= name.length + text.length;
    if (left < 0) break;
    headers[name] = text;
  }
  // Most answers have no body, and a decoder costs as much as the rest.
  if (start.length === 0) return { headers, excerpt: '' };
  // As a stream, so that a character that is cut in the middle is left out.
  const text = new TextDecoder().decode(start.subarray(0, EXCERPT_MAX_BYTES), { stream: true });
  return { headers, excerpt: storable(text) };
}

/** PostgreSQL takes no NUL. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
