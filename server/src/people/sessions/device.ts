import type { SessionRow } from './person.ts';

/** A browser as people know it, from its User-Agent: `Firefox on Linux`. For the eye: it decides nothing. */
const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['curl/', 'curl'],
] as const;
const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const;

export function deviceOf(userAgent: string): string {
  const browser = BROWSERS.find(([mark]) => userAgent.includes(mark))?.[1];
  const system = SYSTEMS.find(([mark]) => userAgent.includes(mark))?.[1];
  if (browser === undefined) return system ?? 'Unknown';
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** An open session as its person sees it. */
export function presentSession(row: SessionRow, currentId: string) {
  return {
    id: row.sessionId,
    current: row.sessionId === currentId,
    device: deviceOf(row.userAgent),
    client_address: row.clientAddress,
    created_at: row.createdAt.toISOString(),
    last_seen_at: row.lastSeenAt.toISOString(),
  };
}
