import type { Domain, DomainRecord } from '../../../../shared/api/portal-types.ts';

/** A string of a TXT record (bytes). RFC 1035 §3.3.14 */
const STRING_MAX_CHARS = 255;
/** How long others may keep a record (s). */
const TTL_SECONDS = 3_600;
/** Second labels under which countries register names: example.com.mx. */
const SECOND_LABEL = /^(?:ac|co|com|edu|gob|gov|mil|ne|net|or|org)$/;

/** How names of records are written: providers' forms differ. */
export const NAMINGS = ['zone', 'domain', 'full'] as const;
export type Naming = (typeof NAMINGS)[number];

/** The registered name that a domain lies under, as far as its labels tell: its zone is most likely there. */
export function likelyZone(domain: string): string {
  const labels = domain.split('.');
  const [second = '', top = ''] = labels.slice(-2);
  const depth = top.length === 2 && SECOND_LABEL.test(second) ? 3 : 2;
  return labels.slice(-depth).join('.');
}

/** As it is entered at a provider that adds `zone` itself; null: in full. */
export function shownName(name: string, zone: string | null): string {
  return zone !== null && name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name;
}

/** The records as a zone file, with names in full. RFC 1035 §5.1 */
export function zoneFile({ name, records }: Domain): string {
  const lines = records.map(
    (record) => `${record.name}.\t${TTL_SECONDS}\tIN\t${record.type}\t${dataOf(record)}`,
  );
  return `; ${name}\n${lines.join('\n')}\n`;
}

function dataOf({ type, value }: DomainRecord): string {
  if (type === 'CNAME') return `${value}.`;
  const strings = value.match(new RegExp(`.{1,${STRING_MAX_CHARS}}`, 'g')) ?? [''];
  return strings.map((each) => `"${each.replace(/["\\]/g, '\\$&')}"`).join(' ');
}
