/** The multipart/report frame that delivery reports and complaints share. RFC 6522 */

const UTF8 = new TextEncoder();
const NOT_ASCII = /[^\x00-\x7f]/;
const BARE_LINE_END = /\r(?!\n)|(?<!\r)\n/;
const CONTROLS = /[\x00-\x1f\x7f]+/g;
/** Octets after which a field is folded; RFC 5322 §2.1.1 asks for 78 at most. */
const FOLD_AT = 76;
/** Characters kept of one value. */
const MAX_FIELD_CHARS = 900;

/** One part of a report: CRLF text, its type with parameters, and a word on what it is. */
export interface ReportPart {
  readonly type: string;
  readonly description: string;
  readonly body: string;
}

/**
 * The outer header of a report. `id` makes boundary and Message-ID unique: letters, digits and hyphens, at
 * most 64.
 */
export interface ReportEnvelope {
  readonly id: string;
  readonly host: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly date: Date;
  readonly reportType: 'delivery-status' | 'feedback-report';
  readonly autoSubmitted: string;
}

/**
 * Puts a report together; a field given as null is left out. Throws TypeError on an id that cannot be used in
 * a boundary.
 */
export function writeReport(envelope: ReportEnvelope, parts: readonly ReportPart[]): Uint8Array {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(envelope.id))
    throw new TypeError('a report id is letters, digits and hyphens');
  const boundary = `=_report_${envelope.id}`;
  const head = [
    field('From', envelope.from),
    field('To', envelope.to),
    field('Subject', envelope.subject),
    field('Date', mailDate(envelope.date)),
    field('Message-ID', `<report-${envelope.id}@${envelope.host}>`),
    field('Auto-Submitted', envelope.autoSubmitted),
    field('MIME-Version', '1.0'),
    `Content-Type: multipart/report; report-type=${envelope.reportType};\r\n boundary="${boundary}"\r\n`,
  ].join('');
  const body = parts.map((part) => {
    const encoding = NOT_ASCII.test(part.body) ? '8bit' : '7bit';
    return `--${boundary}\r\n${field('Content-Type', part.type)}${field('Content-Description', part.description)}${field('Content-Transfer-Encoding', encoding)}\r\n${part.body}\r\n`;
  });
  return UTF8.encode(`${head}\r\n${body.join('')}--${boundary}--\r\n`);
}

/** One field on a line of its own, folded, without controls; empty for null. RFC 5322 §2.2 */
export function field(name: string, value: string | null): string {
  if (value === null) return '';
  const text = value.replace(CONTROLS, ' ').trim().slice(0, MAX_FIELD_CHARS);
  return `${fold(`${name}: ${text}`)}\r\n`;
}

/** As field, in ASCII: a delivery-status part takes nothing else. Other characters become `?`. */
export function asciiField(name: string, value: string | null): string {
  return field(name, value === null ? null : value.replace(/[^\x00-\x7f]/g, '?'));
}

function fold(line: string): string {
  if (line.length <= FOLD_AT) return line;
  const out: string[] = [];
  let rest = line;
  while (rest.length > FOLD_AT) {
    const at = rest.lastIndexOf(' ', FOLD_AT);
    // A break is allowed after the name and its blank, or nowhere.
    const cut = at > rest.indexOf(': ') + 1 || (out.length > 0 && at > 0) ? at : rest.indexOf(' ', FOLD_AT);
    if (cut === -1) break;
    out.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  out.push(rest);
  return out.join('\r\n');
}

/** The time written last: a report says the same one several times, and so does the next report. */
let written = { second: Number.NaN, text: '' };

/** RFC 5322 §3.3, in UTC. */
export function mailDate(date: Date): string {
  const second = Math.floor(date.getTime() / 1000);
  if (second !== written.second) written = { second, text: date.toUTCString().replace('GMT', '+0000') };
  return written.text;
}

/**
 * A header block of a message, CRLF, without the body; 8-bit octets are read as UTF-8. At most `maxBytes`,
 * cut at a line.
 */
export function headerBlockOf(message: Uint8Array, maxBytes: number): string {
  const text = new TextDecoder().decode(message.subarray(0, maxBytes));
  const bodyAt = text.indexOf('\r\n\r\n');
  // As composed here: nothing to repair.
  const composed = bodyAt !== -1 ? text.slice(0, bodyAt + 2) : message.length <= maxBytes ? text : '';
  if (composed.endsWith('\r\n') && !composed.startsWith('\r\n') && !BARE_LINE_END.test(composed))
    return composed;
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const end = lines.indexOf('');
  const whole = end === -1 ? lines.slice(0, message.length > maxBytes ? -1 : undefined) : lines.slice(0, end);
  return whole.map((line) => `${line}\r\n`).join('');
}
