// The rooms of server/src and the domains in them, as a ladder: ARCHITECTURE.md has the picture.
import { relative } from 'node:path';

/** From the ground up; a room imports from lower rungs, and from itself. */
const ROOMS = [
  ['platform'],
  ['config'],
  ['accounts', 'webhooks'],
  ['messages'],
  ['people', 'delivery', 'evidence'],
  ['sandbox', 'operate'],
  ['surfaces'],
  ['app'],
];

/** In a room with several domains, the same ladder once more. `ITSELF`: what is in no folder of the list. */
const ITSELF = '';
const DOMAINS = {
  accounts: [
    ['tenants', 'audit'],
    ['api-keys', 'domains', 'senders', 'suppressions', 'templates', 'quota', 'rates'],
  ],
  messages: [['leaves'], [ITSELF], ['submission']],
  people: [['sessions'], ['operators', 'grants'], ['system-mail']],
  evidence: [['witness', 'monitor'], [ITSELF]],
  operate: [['attack', 'chaos', 'retention'], ['restore', 'master-keys'], ['backup'], ['doctor']],
  surfaces: [['portal'], ['reference', 'verify-page', 'web-files', 'admin', 'acknowledge']],
};

/** The table of errors, their words, and what makes errors of the packages' refusals: for every domain. */
const FOR_EVERYONE = ['errors.ts', 'input-errors.ts', 'wording.ts'];

/** `accounts/tenants`, `messages`; 'app' for what puts the parts together, null for what everyone may use. */
export function domainOf(path) {
  const [room, folder, file] = relative('server/src', path).split('/');
  if (FOR_EVERYONE.includes(room)) return null;
  if (folder === undefined || room === 'cli') return 'app';
  const inside = DOMAINS[room];
  if (inside === undefined) return room;
  const own = inside.flat();
  if (file !== undefined && own.includes(folder)) return `${room}/${folder}`;
  return own.includes(ITSELF) ? room : `${room}/${folder}`;
}

/** False: `domain` is on no rung. */
export function hasPlace(domain) {
  return domain === null || placeOf(domain).every((rung) => rung !== -1);
}

/** True if a file of the domain `from` may import one of `to`. */
export function mayImport(from, to) {
  if (to === null || from === to) return true;
  const [[room, inside], [toRoom, toInside]] = [from === null ? [0.5, 0] : placeOf(from), placeOf(to)];
  if (roomOf(from) === roomOf(to)) return inside > toInside;
  return room > toRoom;
}

function roomOf(domain) {
  return domain?.split('/')[0];
}

function placeOf(domain) {
  const [room, folder = ITSELF] = domain.split('/');
  const inside = DOMAINS[room];
  return [
    ROOMS.findIndex((rooms) => rooms.includes(room)),
    inside === undefined ? 0 : inside.findIndex((domains) => domains.includes(folder)),
  ];
}
