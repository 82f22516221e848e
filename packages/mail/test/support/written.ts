import { MailInputError } from '../../src/input-error.ts';
import { type ParsedMessage, parseMessage } from '../../src/parse.ts';

/** Messages written line by line, and what reading them says. */

export const HEADER = ['From: Acme <billing@example.com>', 'To: ana@example.org', 'Subject: Hi'];

export function message(lines: readonly string[], body: string | Uint8Array = 'Hello\r\n'): Uint8Array {
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body as string)]);
}

/** A message with other lines for its From. */
export function withFrom(...lines: string[]): Uint8Array {
  return message([...lines, 'To: ana@example.org', 'Subject: Hi']);
}

/** The refusal and its reason, or `accepted`. */
export function outcome(raw: Uint8Array): string {
  try {
    parseMessage(raw);
  } catch (error) {
    if (error instanceof MailInputError) return `${error.about} ${error.reason}`;
    throw error;
  }
  return 'accepted';
}

export function texts(parsed: ParsedMessage) {
  return { text: parsed.text, html: parsed.html, files: parsed.attachments?.map((it) => it.filename) };
}

export function multipart(type: string, parts: readonly string[], boundary = 'b'): Uint8Array {
  const body = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('');
  return message([...HEADER, `Content-Type: ${type}; boundary="${boundary}"`], `${body}--${boundary}--\r\n`);
}
