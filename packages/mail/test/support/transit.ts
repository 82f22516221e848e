import { expect } from 'vitest';

/** Fields whose tokens cannot be folded may have longer lines. RFC 5322 §2.1.1 */
const LONG_LINE_FIELDS =
  /^(?:From|To|Reply-To|Message-ID|References|In-Reply-To|X-[^:]*|List-[^:]*|Feedback-ID|Auto-Submitted|Service-Evidence):/i;

/**
 * Everything about the bytes that keeps relays from changing them; less where a message inside goes out as it
 * is.
 */
export function expectTransitProof(
  raw: Uint8Array,
  options: { utf8Header?: boolean; verbatim?: boolean } = {},
): void {
  const message = Buffer.from(raw).toString('latin1');
  const headerEnd = message.indexOf('\r\n\r\n');
  const sevenBit = options.utf8Header === true ? message.slice(headerEnd) : message;
  expect(sevenBit).toMatch(options.verbatim === true ? /^[\x01-\x7e]*$/ : /^[\t\r\n\x20-\x7e]*$/);
  expect(message.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  expect(message.endsWith('\r\n')).toBe(true);
  expect(headerEnd).toBeGreaterThan(0);
  const lines = message.split('\r\n');
  if (options.verbatim === true) {
    // Lines of others in it go out as they are, within what RFC 5322 §2.1.1 allows.
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(998);
    return;
  }
  let inHeader = true;
  let mayBeLong = false;
  for (const line of lines) {
    if (line === '') inHeader = false;
    expect(line).not.toMatch(/[ \t]$/);
    expect(line.startsWith('.')).toBe(false);
    if (!inHeader) expect(line.startsWith('From ')).toBe(false);
    if (!line.startsWith(' ')) mayBeLong = inHeader && LONG_LINE_FIELDS.test(line);
    expect(line.length).toBeLessThanOrEqual(mayBeLong ? 998 : 76);
  }
}
