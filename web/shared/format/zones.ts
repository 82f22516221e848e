/** Zones of Mexico, from the one where most people live. */
const MEXICO = [
  'America/Mexico_City',
  'America/Monterrey',
  'America/Cancun',
  'America/Merida',
  'America/Chihuahua',
  'America/Mazatlan',
  'America/Hermosillo',
  'America/Tijuana',
];

/** Every time zone that this browser knows: those of Mexico, UTC, then by name. `chosen` is among them. */
export function timeZones(chosen: string): readonly string[] {
  const all = new Set([...MEXICO, 'UTC', ...Intl.supportedValuesOf('timeZone'), chosen]);
  return [...all];
}
