/**
 * A complete SMTP reply: code 200..599, RFC 3463 status if the text starts with one, text lines joined by LF.
 * RFC 5321 §4.2
 */
export interface SmtpReply {
  readonly code: number;
  readonly enhanced: string | null;
  readonly text: string;
}

/** One line of a reply as received, without its line end: `last` is false on a continuation (`250-`). */
export interface ReplyLine {
  readonly code: number;
  readonly last: boolean;
  readonly text: string;
}

const REPLY_LINE = /^([2-5]\d\d)(?:([ -])(.*))?$/s;
// RFC 3463 §2: class "." subject "." detail, each of at most three digits.
const ENHANCED_PREFIX = /^([245]\.\d{1,3}\.\d{1,3})(?:\s+|$)/;

/** Reads one reply line; null when it is not of the form `code [SP|- text]`. RFC 5321 §4.2 */
export function parseReplyLine(line: string): ReplyLine | null {
  const match = REPLY_LINE.exec(line);
  if (match === null) return null;
  return { code: Number(match[1]), last: match[2] !== '-', text: match[3] ?? '' };
}

/**
 * The enhanced status at the start of a reply text, and the rest; `enhanced` is null if there is none. RFC
 * 2034 §4
 */
export function splitEnhanced(text: string): { enhanced: string | null; rest: string } {
  const match = ENHANCED_PREFIX.exec(text);
  if (match === null) return { enhanced: null, rest: text };
  return { enhanced: match[1]!, rest: text.slice(match[0].length) };
}

/**
 * Joins the lines of one reply: the last line's code counts (RFC 5321 §4.2.1), the status is taken off every
 * line that repeats it. A status whose class contradicts the code is kept out of `enhanced` and left in the
 * text.
 */
export function replyFromLines(lines: readonly ReplyLine[]): SmtpReply {
  const code = lines.at(-1)?.code ?? 0;
  const klass = String(Math.trunc(code / 100));
  let enhanced: string | null = null;
  const texts: string[] = [];
  for (const line of lines) {
    const split = splitEnhanced(line.text);
    const fits = split.enhanced?.startsWith(klass) === true;
    if (fits) enhanced = split.enhanced;
    texts.push(fits ? split.rest : line.text);
  }
  return { code, enhanced, text: texts.join('\n') };
}

/**
 * Reads a whole reply from text with CRLF or LF between its lines; null when a line is malformed or the reply
 * is not complete.
 */
export function parseReply(text: string): SmtpReply | null {
  const lines: ReplyLine[] = [];
  for (const raw of text.replace(/\r?\n$/, '').split(/\r?\n/)) {
    if (lines.at(-1)?.last) return null;
    const line = parseReplyLine(raw);
    if (line === null) return null;
    lines.push(line);
  }
  return lines.at(-1)?.last ? replyFromLines(lines) : null;
}

/** The reply as one line, `550 5.1.1 text`, as a Diagnostic-Code carries it. RFC 3464 §2.3.6 */
export function formatReply(reply: SmtpReply): string {
  const text = reply.text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
  return [String(reply.code), reply.enhanced, text].filter((part) => part).join(' ');
}
