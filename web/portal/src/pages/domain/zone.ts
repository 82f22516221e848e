import { zoneLine } from '@acuse/mail/zone/line';
import type { Domain } from '../../../../shared/api/portal-types.ts';

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

/** The records as a zone file, with names in full. */
export function zoneFile({ name, records }: Domain): string {
  return `; ${name}\n${records.map(zoneLine).join('\n')}\n`;
}
