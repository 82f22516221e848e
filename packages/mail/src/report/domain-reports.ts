import { type DmarcReport, readDmarcReport } from './dmarc-report.ts';
import { decodedOctets, type MimePart, walk } from './lenient-mime.ts';
import { MAX_REPORT_BYTES } from './limits.ts';
import { readTlsReports, type TlsReport } from './tls-report.ts';
import { unpackReports } from './unpack-report.ts';

export type DomainReport = DmarcReport | TlsReport;

/** Parts of a mail that may be a report; it is one, and a text next to it. */
const MAX_TRIED = 8;

/**
 * The reports about domains that a mail brings: DMARC's as XML and TLS's as JSON, as they are or packed.
 * Never throws on content.
 */
export function readDomainReports(message: MimePart): DomainReport[] {
  const leaves = [...walk(message)].filter((part) => part.parts.length === 0).slice(0, MAX_TRIED);
  return leaves.flatMap((leaf) =>
    unpackReports(Buffer.from(decodedOctets(leaf, MAX_REPORT_BYTES), 'latin1')).flatMap(reportsIn),
  );
}

function reportsIn(bytes: Uint8Array): DomainReport[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    .toString('utf8')
    .replace(/^\ufeff/, '');
  const first = /[^\s]/.exec(text)?.[0];
  if (first === '{') return readTlsReports(text);
  const dmarc = first === '<' ? readDmarcReport(text) : null;
  return dmarc === null ? [] : [dmarc];
}
