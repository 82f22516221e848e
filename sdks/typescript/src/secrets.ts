/** Texts that must never be printed: API keys and webhook secrets, wherever they turn up in a text. */

const API_KEY = /\b(acuse_[0-9A-Za-z]{1,64})_[0-9A-Za-z_-]+/g;
const WEBHOOK_SECRET = /\bwhsec_[0-9A-Za-z+/=_-]+/g;

/** `acuse_<key id>_***`; a key of another form becomes `***`. */
export function maskKey(key: string): string {
  const match = /^(acuse_[0-9A-Za-z]{1,64})_/.exec(key);
  return match === null ? '***' : `${match[1]}_***`;
}

/** The text with every API key and webhook secret in it masked. */
export function redact(text: string): string {
  return text.replace(API_KEY, '$1_***').replace(WEBHOOK_SECRET, 'whsec_***');
}

/** Called by Node's util.inspect and console.log. */
export const INSPECT = Symbol.for('nodejs.util.inspect.custom');

const UNSHOWN = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Somebody else's text without what would end a line, colour a terminal or turn it around. */
export function plain(text: string): string {
  return text.replace(UNSHOWN, '\ufffd');
}
