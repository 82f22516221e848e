import type { Db, Queryable } from '../../platform/database/db.ts';
import { readId } from '../../platform/ids.ts';
import {
  batchesById,
  batchesByRoot,
  batchesBySerial,
  type FoundMessage,
  type FoundThing,
  messagesByHash,
  messagesById,
  messagesByKey,
  messagesByRecipient,
  messagesBySerial,
  messagesOfBatch,
  thingsById,
  thingsByName,
} from './search-store.ts';

/** Search by exact identifiers. */
export interface Found {
  readonly kind: 'message' | FoundThing['kind'];
  readonly id: string;
  readonly label: string;
}

export const FOUND_MAX = 20;
export const QUERY_MAX_CHARS = 320;

const HASH = /^[0-9a-f]{64}$/;
/** With or without colons. */
const SERIAL = /^(?:0x)?[0-9a-f]{1,80}$/;

export function search(db: Db, tenantId: string, query: string): Promise<Found[]> {
  const name = query.trim();
  return db.asTenant(tenantId, async (tx) => {
    const found = new Map<string, Found>();
    for (const each of await findAll(tx, tenantId, name)) found.set(`${each.kind} ${each.id}`, each);
    return [...found.values()].slice(0, FOUND_MAX);
  });
}

/** Most exact first. */
async function findAll(q: Queryable, tenantId: string, name: string): Promise<Found[]> {
  // Matches nothing.
  if (name === '' || name.includes('\0')) return [];
  const key = name.toLowerCase();
  const id = readId(name);
  const hash = HASH.test(key) ? Buffer.from(key, 'hex') : null;
  const serial = key.replace(/[\s:]/g, '');
  const found = [
    id === null ? [] : await byId(q, tenantId, id),
    (await messagesByKey(q, tenantId, name)).map(present),
    await thingsByName(q, tenantId, { name, key }),
    name.includes('@') ? (await messagesByRecipient(q, tenantId, key, FOUND_MAX)).map(present) : [],
    hash === null ? [] : await byHash(q, tenantId, hash),
    SERIAL.test(serial) ? await bySerial(q, tenantId, serial.replace(/^(?:0x)?(?:00)*/, '')) : [],
  ];
  return found.flat();
}

async function byId(q: Queryable, tenantId: string, id: string): Promise<Found[]> {
  return [
    ...(await messagesById(q, tenantId, id)).map(present),
    ...(await thingsById(q, tenantId, id)),
    ...(await ofBatches(q, tenantId, await batchesById(q, id))),
  ];
}

async function byHash(q: Queryable, tenantId: string, hash: Uint8Array): Promise<Found[]> {
  return [
    ...(await messagesByHash(q, tenantId, hash)).map(present),
    ...(await ofBatches(q, tenantId, await batchesByRoot(q, hash))),
  ];
}

async function bySerial(q: Queryable, tenantId: string, serial: string): Promise<Found[]> {
  return [
    ...(await messagesBySerial(q, tenantId, serial)).map(present),
    ...(await ofBatches(q, tenantId, await batchesBySerial(q, serial))),
  ];
}

async function ofBatches(
  q: Queryable,
  tenantId: string,
  batches: Awaited<ReturnType<typeof batchesById>>,
): Promise<Found[]> {
  const found: Found[] = [];
  for (const batch of batches)
    found.push(...(await messagesOfBatch(q, tenantId, batch, FOUND_MAX)).map(present));
  return found;
}

function present({ id, subject, to }: FoundMessage): Found {
  return { kind: 'message', id, label: subject === '' ? to : `${subject} → ${to}` };
}
