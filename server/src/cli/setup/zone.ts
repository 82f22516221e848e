import { isIPv6 } from 'node:net';
import { spfFor } from '../../operate/doctor/dns-of-host.ts';
import { reverseName } from '../../operate/doctor/sources.ts';

/** The DNS of an installation as a zone file, which every provider can import or be read into. Pure. */
export interface ZoneRecord {
  readonly type: string;
  readonly name: string;
  readonly value: string;
}

export interface ZoneFacts {
  readonly hostname: string;
  /** Those that mail leaves from; none: a relay sends. */
  readonly addresses: readonly string[];
  readonly domain: string;
  readonly records: readonly ZoneRecord[];
}

const TTL_SECONDS = 3_600;
/** A string of a TXT record holds this many bytes. RFC 1035 §3.3.14 */
const TXT_STRING_MAX = 255;

export function zoneFile({ hostname, addresses, domain, records }: ZoneFacts): string {
  const host: ZoneRecord[] = [
    ...addresses.map((address) => ({
      type: isIPv6(address) ? 'AAAA' : 'A',
      name: hostname,
      value: address,
    })),
    ...(addresses.length > 0 ? [{ type: 'TXT', name: hostname, value: spfFor(addresses) }] : []),
  ];
  const reverse = addresses.map((address) => ({ type: 'PTR', name: reverseName(address), value: hostname }));
  return [
    ...(host.length > 0 ? [`; The mail server ${hostname}`, ...host.map(lineOf), ''] : []),
    ...(reverse.length > 0
      ? [
          '; Whoever gave you the address publishes its name, in another zone:',
          ...reverse.map((one) => `; ${lineOf(one)}`),
          '',
        ]
      : []),
    `; The sending domain ${domain}`,
    ...records.map(lineOf),
    '',
  ].join('\n');
}

function lineOf({ type, name, value }: ZoneRecord): string {
  return `${name}. ${TTL_SECONDS} IN ${type} ${dataOf(type, value)}`;
}

/** RFC 1035 §5.1 */
function dataOf(type: string, value: string): string {
  if (type === 'CNAME' || type === 'PTR') return `${value}.`;
  if (type !== 'TXT') return value;
  const strings: string[] = [];
  for (let at = 0; at === 0 || at < value.length; at += TXT_STRING_MAX)
    strings.push(value.slice(at, at + TXT_STRING_MAX));
  return strings.map((each) => `"${each.replace(/["\\]/g, '\\$&')}"`).join(' ');
}
