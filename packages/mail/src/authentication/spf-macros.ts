import { isIP } from 'node:net';

/**
 * The identity to check by SPF. `sender`: the reverse-path, or postmaster at the HELO name if that is empty.
 * RFC 7208 §2.4
 */
export interface SpfIdentity {
  readonly ip: string;
  readonly sender: string;
  readonly helo: string;
}

/** Characters of a name; longer ones lose labels on the left. RFC 7208 §7.3 */
const MAX_NAME_CHARS = 253;

/** Expands the macros of a domain-spec; null if one is malformed. RFC 7208 §7 */
export function expandMacros(text: string, identity: SpfIdentity, domain: string): string | null {
  let malformed = false;
  const expanded = text.replace(/%(?:\{([a-z])(\d{0,3})(r?)([.+,/_=-]*)\}|([%_-])|)/gi, (macro, ...parts) => {
    const [letter, digits, reverse, delimiters, literal] = parts as (string | undefined)[];
    if (literal !== undefined) return LITERALS[literal]!;
    const value = letter === undefined ? null : macroValue(letter, identity, domain);
    if (value === null || macro === '%') {
      malformed = true;
      return '';
    }
    return transform(value, digits ?? '', reverse !== '', delimiters ?? '');
  });
  if (malformed) return null;
  let name = expanded.replace(/\.$/, '');
  while (name.length > MAX_NAME_CHARS && name.includes('.')) name = name.slice(name.indexOf('.') + 1);
  return name;
}

const LITERALS: Readonly<Record<string, string>> = { '%': '%', _: ' ', '-': '%20' };

function macroValue(letter: string, { ip, sender, helo }: SpfIdentity, domain: string): string | null {
  const at = sender.lastIndexOf('@');
  switch (letter.toLowerCase()) {
    case 's':
      return sender;
    case 'l':
      return at <= 0 ? 'postmaster' : sender.slice(0, at);
    case 'o':
      return sender.slice(at + 1);
    case 'd':
      return domain;
    case 'i':
      return isIP(ip) === 6 ? nibbles(ip) : ip;
    case 'v':
      return isIP(ip) === 6 ? 'ip6' : 'in-addr';
    case 'h':
      return helo;
    case 'p':
      return 'unknown';
    default:
      return null;
  }
}

/** Right-hand parts, reversed if asked. RFC 7208 §7.1 */
function transform(value: string, digits: string, reverse: boolean, delimiters: string): string {
  const signs = delimiters === '' ? '.' : delimiters;
  let parts: string[] = [''];
  for (const char of value) {
    if (signs.includes(char)) parts.push('');
    else parts[parts.length - 1] += char;
  }
  if (reverse) parts = parts.reverse();
  const count = digits === '' ? parts.length : Number(digits);
  return parts.slice(-Math.max(1, count)).join('.');
}

/** `2001:db8::1` as its 32 hexadecimal digits with dots between. RFC 7208 §7.3 */
function nibbles(ip: string): string {
  const [left = '', right] = ip.split('%', 1)[0]!.split('::');
  const groups = (text: string) =>
    text === ''
      ? []
      : text.split(':').flatMap((group) => {
          if (!group.includes('.')) return [group];
          const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
          return [((a << 8) | b).toString(16), ((c << 8) | d).toString(16)];
        });
  const head = groups(left);
  const tail = right === undefined ? [] : groups(right);
  const missing = right === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  const all = [...head, ...Array.from({ length: missing }, () => '0'), ...tail];
  return [...all.map((group) => group.padStart(4, '0')).join('')].join('.');
}
