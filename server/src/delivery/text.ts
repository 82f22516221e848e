/**
 * Makes foreign text safe for PostgreSQL and terminals: well-formed, no controls but line feeds, at most
 * `maxChars`.
 */
export function storable(text: string, maxChars: number): string {
  return text
    .slice(0, maxChars)
    .toWellFormed()
    .replace(/[\0-\x09\x0b-\x1f\x7f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
