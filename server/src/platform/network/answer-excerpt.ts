/** The part of a tenant's endpoint's answer that is kept, for debugging. Pure. */
export interface AnswerExcerpt {
  readonly headers: Readonly<Record<string, string>>;
  /** The first bytes as text; invalid UTF-8 is replaced. */
  readonly excerpt: string;
}

export const EXCERPT_MAX_BYTES = 4_096;
/** Header fields kept, and their characters in all. */
export const EXCERPT_HEADERS_MAX = 40;
export const EXCERPT_HEADERS_MAX_CHARS = 4_096;
/** They open sessions, and do not help debugging. */
const HIDDEN = new Set(['set-cookie', 'set-cookie2', 'www-authenticate', 'proxy-authenticate']);

type GivenHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** `start`: at least the kept part of the body. */
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
  // Most answers have no body, and a decoder is expensive.
  if (start.length === 0) return { headers, excerpt: '' };
  // As a stream, to drop a character that is cut.
  const text = new TextDecoder().decode(start.subarray(0, EXCERPT_MAX_BYTES), { stream: true });
  return { headers, excerpt: storable(text) };
}

/** PostgreSQL takes no NUL. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
