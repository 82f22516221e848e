import { isIPv6 } from 'node:net';
import { type ZoneRecord, zoneLine } from '@acuse/mail/zone/line';
import { spfFor } from '../../operate/doctor/dns-of-host.ts';
import { reverseName } from '../../operate/doctor/sending-hosts.ts';

interface ZoneFacts {
  readonly hostname: string;
  readonly addresses: readonly string[];
  readonly domain: string;
  readonly records: readonly ZoneRecord[];
}

/** The DNS of an installation as a zone file, which every provider can import or be read into. Pure. */
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
    ...(host.length > 0 ? [`; The mail server ${hostname}`, ...host.map(zoneLine), ''] : []),
    ...(reverse.length > 0
      ? [
          '; Whoever gave you the address publishes its name, in another zone:',
          ...reverse.map((one) => `; ${zoneLine(one)}`),
          '',
        ]
      : []),
    `; The sending domain ${domain}`,
    ...records.map(zoneLine),
    '',
  ].join('\n');
}
