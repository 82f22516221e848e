/** A server's extensions, from its EHLO answer. RFC 5321 §4.1.1.1 */
export interface Extensions {
  readonly pipelining: boolean;
  readonly chunking: boolean;
  readonly eightBitMime: boolean;
  readonly smtpUtf8: boolean;
  readonly dsn: boolean;
  readonly startTls: boolean;
  /** Null: SIZE not offered. Zero: offered without a limit (RFC 1870 §3). */
  readonly sizeLimit: number | null;
  readonly auth: readonly string[];
}

/** A server that knows HELO only. */
export const NO_EXTENSIONS: Extensions = Object.freeze({
  pipelining: false,
  chunking: false,
  eightBitMime: false,
  smtpUtf8: false,
  dsn: false,
  startTls: false,
  sizeLimit: null,
  auth: [],
});

/** Reads the reply text (LF between lines); ignores the first line, the server's greeting. */
export function parseExtensions(replyText: string): Extensions {
  const offered = new Map<string, string>();
  for (const line of replyText.split('\n').slice(1)) {
    // `AUTH=LOGIN` is how servers before RFC 4954 §3 wrote it.
    const text = line.trim();
    // Looked for by its end: a repetition would note the way back from each character.
    const end = text.search(/[^A-Za-z0-9-]/);
    const keyword = end === -1 ? text : text.slice(0, end);
    if (keyword === '') continue;
    const parameters = text.slice(keyword.length).replace(/^[ =]/, '');
    const name = keyword.toUpperCase();
    offered.set(name, [offered.get(name), parameters].filter(Boolean).join(' '));
  }
  const size = offered.get('SIZE');
  return {
    pipelining: offered.has('PIPELINING'),
    chunking: offered.has('CHUNKING'),
    eightBitMime: offered.has('8BITMIME'),
    smtpUtf8: offered.has('SMTPUTF8'),
    dsn: offered.has('DSN'),
    startTls: offered.has('STARTTLS'),
    sizeLimit: size === undefined ? null : sizeLimit(size),
    auth: (offered.get('AUTH') ?? '').toUpperCase().split(/\s+/).filter(Boolean),
  };
}

function sizeLimit(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}
