/** Content-Disposition for a download. RFC 6266 §4.3 `name` may be anything. */
export function attachmentHeader(name: string | null, otherwise: string): string {
  const shown = (name ?? '').replace(UNFIT, '_').slice(0, NAME_MAX_CHARS).toWellFormed();
  const given = /[^_. ]/.test(shown) ? shown : otherwise;
  const ascii = given.replace(/[^A-Za-z0-9 ._-]/g, '_');
  return given === ascii
    ? `attachment; filename="${ascii}"`
    : `attachment; filename="${ascii}"; filename*=UTF-8''${extended(given)}`;
}

const NAME_MAX_CHARS = 200;
/** Path separators, controls and direction marks. */
const UNFIT = /[/\\:\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function extended(text: string): string {
  return encodeURIComponent(text).replace(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
