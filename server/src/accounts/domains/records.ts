import { dkimRecord } from '@acuse/mail/dkim-keys';

/**
 * The DNS records that a domain is asked to publish, and the verdict on what a look-up found for each. All
 * pure.
 */

export type RecordPurpose = 'ownership' | 'dkim' | 'return_path' | 'dmarc';

/**
 * unchecked: not looked up since it was asked for; error: the look-up failed, which says nothing about the
 * record.
 */
export type RecordStatus = 'unchecked' | 'found' | 'missing' | 'mismatch' | 'error';

export interface WantedRecord {
  purpose: RecordPurpose;
  type: 'TXT' | 'CNAME';
  name: string;
  value: string;
  /** Without it the domain is not verified. */
  required: boolean;
}

export interface CheckedRecord extends WantedRecord {
  status: RecordStatus;
  /** What is in the DNS under that name, or why the look-up failed. */
  found: string[];
}

export interface DkimKeyFacts {
  dkimKeyId: string;
  selector: string;
  algorithm: 'rsa-sha256' | 'ed25519-sha256';
  publicKey: string;
  status: 'pending' | 'active' | 'retired';
}

/** Answer to one question: `none` is certain (NXDOMAIN or no such type), `failed` is not. */
export type DnsAnswer =
  | { kind: 'found'; values: string[] }
  | { kind: 'none' }
  | { kind: 'failed'; error: string };

/**
 * The records of a domain. `returnPathHost`: where this installation takes bounces, or null when it does not.
 */
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

/** The host that bounces of a domain's mail come back to. */
export function returnPathName(domainName: string): string {
  return `bounce.${domainName}`;
}

/** Compares what the last look-up found with the records that are wanted now. */
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

/** Compares an answer with what is wanted. */
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
      // Any policy will do: it is the domain owner's to choose. RFC 7489 §6.3
      return /^v\s*=\s*DMARC1\s*(;|$)/.test(value);
  }
}

/**
 * The p= of a DKIM record with its white space removed; null when there is none, or another version. RFC 6376
 * §3.6.1
 */
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

/** A host as compared; of an MX answer (`10 host`), its host. */
function hostOf(value: string): string {
  return value
    .replace(/^\d+\s+/, '')
    .replace(/\.$/, '')
    .toLowerCase();
}
