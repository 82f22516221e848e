/** Records as a zone file has them. RFC 1035 §5.1 */
export interface ZoneRecord {
  readonly type: string;
  readonly name: string;
  readonly value: string;
}

/** How long others may keep a record (s). */
const TTL_SECONDS = 3_600;
/** A string of a TXT record holds this many bytes; records that we ask for are ASCII. RFC 1035 §3.3.14 */
const TXT_STRING_MAX = 255;

/** With the name in full. */
export function zoneLine(record: ZoneRecord): string {
  return `${record.name}. ${TTL_SECONDS} IN ${record.type} ${zoneValue(record)}`;
}

export function zoneValue({ type, value }: Omit<ZoneRecord, 'name'>): string {
  if (type === 'CNAME' || type === 'PTR') return `${value}.`;
  if (type !== 'TXT') return value;
  const strings = value.match(new RegExp(`.{1,${TXT_STRING_MAX}}`, 'gs')) ?? [''];
  return strings.map((each) => `"${each.replace(/["\\]/g, '\\$&')}"`).join(' ');
}
