import { type DmarcReport, readDmarcReport } from './dmarc-report.ts';
import { decodedOctets, type MimePart, walk } from './lenient-mime.ts';
import { MAX_REPORT_BYTES } from './limits.ts';
import { readTlsReports, type TlsReport } from './tls-report.ts';
import { unpackReport } from './unpack-report.ts';

export type DomainReport = DmarcReport | TlsReport;

/** Parts of a mail that may be the report; it is one, and a text beside it. */
const MAX_TRIED = 8;

/**
 * The reports about domains that a mail brings: DMARC's as XML and TLS's as JSON, as they are or packed.
 * Never throws on content.
 */
export function readDomainReports(message: MimePart): DomainReport[] {
  const leaves = [...walk(message)].filter((part) => part.parts.length === 0).slice(0, MAX_TRIED);
  for (const leaf of leaves) {
    const bytes = unpackReport(Buffer.from(decodedOctets(leaf, MAX_REPORT_BYTES), 'latin1'));
    if (bytes === null) continue;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
      .toString('utf8')
      .replace(/^\ufeff/, '');
    const first = /[^\s]/.exec(text)?.[0];
    const dmarc = first === '<' ? readDmarcReport(text) : null;
    const found = dmarc === null ? (first === '{' ? readTlsReports(text) : []) : [dmarc];
    if (found.length > 0) return found;
  }
  return [];
}
