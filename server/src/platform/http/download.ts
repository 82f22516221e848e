/**
 * Content-Disposition of a file to be saved, never shown: its name for programs of any age. RFC 6266 §4.3
 * `name`: as somebody gave it, or null.
 */
export function attachmentHeader(name: string | null, otherwise: string): string {
  const shown = (name ?? '').replace(UNFIT, '_').slice(0, NAME_MAX_CHARS).toWellFormed();
  const given = /[^_. ]/.test(shown) ? shown : otherwise;
  const ascii = given.replace(/[^A-Za-z0-9 ._-]/g, '_');
  return given === ascii
    ? `attachment; filename="${ascii}"`
    : `attachment; filename="${ascii}"; filename*=UTF-8''${extended(given)}`;
}

/** Characters of a file name; what common file systems hold. */
const NAME_MAX_CHARS = 200;
/** Separators of paths, controls, and what makes a name read as another. */
const UNFIT = /[/\\:\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Percent-encoded UTF-8. */
function extended(text: string): string {
  return encodeURIComponent(text).replace(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
