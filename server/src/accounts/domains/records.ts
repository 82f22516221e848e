import { dkimRecord } from '@acuse/mail/dkim-keys';

/** A domain's DNS records, and the verdict on each look-up. Pure. */

type RecordPurpose = 'ownership' | 'dkim' | 'return_path' | 'dmarc';

/** unchecked: never looked up; error: the look-up failed, result unknown. */
type RecordStatus = 'unchecked' | 'found' | 'missing' | 'mismatch' | 'error';

export interface WantedRecord {
  purpose: RecordPurpose;
  type: 'TXT' | 'CNAME';
  name: string;
  value: string;
  required: boolean;
}

export interface CheckedRecord extends WantedRecord {
  status: RecordStatus;
  found: string[];
}

export interface DkimKeyFacts {
  dkimKeyId: string;
  selector: string;
  algorithm: 'rsa-sha256' | 'ed25519-sha256';
  publicKey: string;
  status: 'pending' | 'active' | 'retired';
}

/** `none`: certain absence; `failed`: unknown. */
export type DnsAnswer =
  | { kind: 'found'; values: string[] }
  | { kind: 'none' }
  | { kind: 'failed'; error: string };

export function wantedRecords(
  domain: { name: string; challenge: string },
  keys: readonly DkimKeyFacts[],
  returnPathHost: string | null,
): WantedRecord[] {
  const records: WantedRecord[] = [
    {
      purpose: 'ownership',
      type: 'TXT',
      name: `_acuse-challenge.${domain.name}`,
      value: `acuse-verification=${domain.challenge}`,
      required: true,
    },
  ];
  for (const key of keys) {
    records.push({
      purpose: 'dkim',
      type: 'TXT',
      name: dkimRecordName(key.selector, domain.name),
      value: dkimRecord(key.algorithm, key.publicKey),
      required: false,
    });
  }
  if (returnPathHost !== null) {
    records.push({
      purpose: 'return_path',
      type: 'CNAME',
      name: returnPathName(domain.name),
      value: returnPathHost,
      required: false,
    });
  }
  records.push({
    purpose: 'dmarc',
    type: 'TXT',
    name: `_dmarc.${domain.name}`,
    value: dmarcRecord(domain.name, returnPathHost),
    required: false,
  });
  return records;
}

/** Where receivers report to; below the domain, so that no other need agree to it. RFC 7489 §7.1 */
function dmarcRecord(domainName: string, returnPathHost: string | null): string {
  const record = 'v=DMARC1; p=none';
  return returnPathHost === null ? record : `${record}; rua=mailto:dmarc@${returnPathName(domainName)}`;
}

/** RFC 6376 §3.6.2.1 */
export function dkimRecordName(selector: string, domainName: string): string {
  return `${selector}._domainkey.${domainName}`;
}

const RETURN_PATH_LABEL = 'bounce.';

export function returnPathName(domainName: string): string {
  return RETURN_PATH_LABEL + domainName;
}

/** The domain whose bounces come to this host; null: it is named otherwise. */
export function domainOfReturnPath(host: string): string | null {
  return host.startsWith(RETURN_PATH_LABEL) ? host.slice(RETURN_PATH_LABEL.length) : null;
}

export function withLastStatus(
  wanted: readonly WantedRecord[],
  last: readonly CheckedRecord[],
): CheckedRecord[] {
  return wanted.map((record) => {
    const known = last.find(
      (each) => each.name === record.name && each.type === record.type && each.value === record.value,
    );
    return { ...record, status: known?.status ?? 'unchecked', found: known?.found ?? [] };
  });
}

export function judge(wanted: WantedRecord, answer: DnsAnswer): CheckedRecord {
  if (answer.kind === 'failed') return { ...wanted, status: 'error', found: [answer.error] };
  if (answer.kind === 'none') return { ...wanted, status: 'missing', found: [] };
  return {
    ...wanted,
    status: answer.values.some((value) => matches(wanted, value)) ? 'found' : 'mismatch',
    found: answer.values,
  };
}

function matches(wanted: WantedRecord, value: string): boolean {
  switch (wanted.purpose) {
    case 'ownership':
      return value.trim() === wanted.value;
    case 'dkim':
      return publicKeyOf(value) === publicKeyOf(wanted.value);
    case 'return_path':
      return hostOf(value) === hostOf(wanted.value);
    case 'dmarc':
      // Any policy will do. RFC 7489 §6.3
      return /^v\s*=\s*DMARC1\s*(;|$)/.test(value);
  }
}

/** Null: missing, or another version. RFC 6376 §3.6.1 */
function publicKeyOf(record: string): string | null {
  const tags = new Map(
    record.split(';').map((tag) => {
      const equals = tag.indexOf('=');
      return [tag.slice(0, equals).trim(), tag.slice(equals + 1).replace(/\s+/g, '')] as const;
    }),
  );
  if ((tags.get('v') ?? 'DKIM1') !== 'DKIM1') return null;
  return `${tags.get('k') ?? 'rsa'} ${tags.get('p') ?? ''}`;
}

function hostOf(value: string): string {
  return value
    .replace(/^\d+\s+/, '')
    .replace(/\.$/, '')
    .toLowerCase();
}
