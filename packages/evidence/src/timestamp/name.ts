/** Distinguished names as text for people; nothing is decided by this text. */
import { decodeAscii, decodeUtf8, toHex } from '../bytes.ts';
import { children, type DerNode, expectTag, Fields, readOid, TAG } from './der.ts';

/** Short names of RFC 4514 §3 and X.520, and those Mexican authorities use. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.5': 'serialNumber',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'STREET',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '2.5.4.17': 'postalCode',
  '2.5.4.45': 'x500UniqueIdentifier',
  '2.5.4.97': 'organizationIdentifier',
  '0.9.2342.19200300.100.1.25': 'DC',
  '1.2.840.113549.1.9.1': 'emailAddress',
};

const TEXT_TAGS: readonly number[] = [TAG.printableString, TAG.ia5String, TAG.teletexString];

/** RFC 4514 text of a Name, most specific part first. Throws DerError. */
export function distinguishedName(node: DerNode): string {
  const parts: string[] = [];
  for (const relative of children(node, 'name')) {
    const attributes = children(expectTag(relative, TAG.set, 'name'), 'name').map((attribute) => {
      const fields = new Fields(attribute, 'name');
      const oid = readOid(fields.any('type'), 'name');
      const value = fields.any('value');
      fields.end();
      return `${ATTRIBUTES[oid] ?? oid}=${attributeText(value)}`;
    });
    parts.unshift(attributes.join('+'));
  }
  return parts.join(',');
}

/**
 * Each relative name in an order and spelling by which two that mean the same are equal: the case of letters
 * and the number of spaces count for nothing. RFC 5280 §7.1
 */
export function nameKeys(node: DerNode): string[] {
  return children(node, 'name').map((relative) =>
    children(expectTag(relative, TAG.set, 'name'), 'name')
      .map((attribute) => {
        const fields = new Fields(attribute, 'name');
        const oid = readOid(fields.any('type'), 'name');
        const value = fields.any('value');
        fields.end();
        const text = decodeText(value)?.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
        return `${oid}=${text === undefined ? toHex(value.bytes) : JSON.stringify(text)}`;
      })
      .sort()
      .join('+'),
  );
}

function attributeText(value: DerNode): string {
  const text = decodeText(value);
  if (text === undefined) return `#${toHex(value.bytes)}`;
  // Control characters too: this text is printed on terminals.
  const escaped = text
    .replace(/["+,;<>\\]/g, '\\$&')
    .replace(/\p{Cc}|\p{Cf}/gu, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`);
  return escaped.replace(/^[ #]/, '\\$&').replace(/ $/, '\\ ');
}

function decodeText(value: DerNode): string | undefined {
  if (value.tag === TAG.utf8String) return decodeUtf8(value.content);
  if (TEXT_TAGS.includes(value.tag)) return decodeAscii(value.content);
  if (value.tag !== TAG.bmpString || value.content.length % 2 !== 0) return undefined;
  let text = '';
  for (let i = 0; i < value.content.length; i += 2) {
    text += String.fromCharCode(value.content[i]! * 256 + value.content[i + 1]!);
  }
  return text;
}
