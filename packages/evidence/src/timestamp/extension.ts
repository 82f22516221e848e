/** Extensions of certificates, revocation lists and OCSP answers. RFC 5280 §4.2, §5.2, §5.3; RFC 6960 §4.4 */
import {
  type Bytes,
  children,
  DerError,
  type DerNode,
  expectTag,
  Fields,
  readBoolean,
  readOid,
  readTime,
  readWhole,
  TAG,
} from './der.ts';
import { OID } from './oids.ts';
import { type RevocationReason, reasonByCode } from './reasons.ts';

/** `content`: of extnValue. */
export type Extension = { oid: string; critical: boolean; content: Bytes };

/** A SEQUENCE OF Extension, in which none stands twice. Throws DerError. */
export function readExtensions(node: DerNode, what: string): Extension[] {
  const out: Extension[] = [];
  for (const extension of children(expectTag(node, TAG.sequence, what), what)) {
    const fields = new Fields(extension, 'extension');
    const oid = readOid(fields.any('extnID'), 'extnID');
    const flag = fields.optional(TAG.boolean);
    const critical = flag !== undefined && readBoolean(flag, 'critical');
    const { content } = fields.next(TAG.octetString, 'extnValue');
    fields.end();
    if (out.some((known) => known.oid === oid)) throw new DerError(`extension ${oid} appears twice`);
    out.push({ oid, critical, content });
  }
  return out;
}

const ENUMERATED = 0x0a;
const ENTRY_EXTENSIONS: readonly string[] = [OID.reasonCode, OID.invalidityDate];

/** Extensions of one revocation. `unknownCritical`: OID of a critical one that is not understood. */
export type EntryExtensions = {
  reason: RevocationReason | null;
  invalidSince: Date | null;
  unknownCritical: string | undefined;
};

/** crlEntryExtensions, and the singleExtensions of OCSP. RFC 5280 §5.3, RFC 6960 §4.4.5 */
export function readEntryExtensions(extensions: readonly Extension[]): EntryExtensions {
  const contentOf = (oid: string): DerNode | undefined => {
    const found = extensions.find((extension) => extension.oid === oid);
    return found && readWhole(found.content, oid);
  };
  const reason = contentOf(OID.reasonCode);
  const invalid = contentOf(OID.invalidityDate);
  return {
    reason: reason === undefined ? null : readReason(reason),
    invalidSince:
      invalid === undefined
        ? null
        : readTime(expectTag(invalid, TAG.generalizedTime, 'invalidityDate'), 'invalidityDate'),
    unknownCritical: extensions.find(({ oid, critical }) => critical && !ENTRY_EXTENSIONS.includes(oid))?.oid,
  };
}

/** Null: unknown. */
export function readReason(node: DerNode): RevocationReason | null {
  const { content } = expectTag(node, ENUMERATED, 'reasonCode');
  return content.length === 1 ? reasonByCode(content[0]!) : null;
}
