import { compareKey, parseAddress } from '@acuse/mail/mailbox';
import type { Db, Tx } from '../../platform/database/db.ts';
import { firstIdAt, readId, timeOf } from '../../platform/ids.ts';
import {
  batchesById,
  batchesByRoot,
  batchesBySerial,
  copiesByMessageId,
  deliveriesById,
  type FoundDelivery,
  type FoundMessage,
  type FoundThing,
  findSuppressed,
  messagesByEvent,
  messagesByHash,
  messagesById,
  messagesByKey,
  messagesByRecipient,
  messagesBySerial,
  messagesOfBatch,
  type SuppressedAddress,
  thingsById,
  thingsByName,
} from './find-store.ts';
import { findByWords } from './search.ts';
import { patternOf, queryWords } from './words.ts';

/** One search over an account: by exact names, by parts of names, and by words of messages. */
export interface Found {
  readonly kind: 'message' | 'delivery' | FoundThing['kind'];
  readonly id: string;
  readonly label: string;
  readonly webhook_id?: string;
}

/** Why no message was found. */
export interface Nothing {
  /** As it was compared; null: no whole address was given. */
  readonly address: string | null;
  readonly domain: string | null;
  /** Messages to the domain, up to DOMAIN_COUNTED_MAX. */
  readonly domainMessages: number;
  readonly suppressed: SuppressedAddress | null;
  readonly searchedTo: Date | null;
}

export interface Searched {
  readonly found: Found[];
  readonly nothing: Nothing | null;
}

export const FOUND_MAX = 20;
export const QUERY_MAX_CHARS = 320;
export const DOMAIN_COUNTED_MAX = 100;

/** As programs print it, too. */
const HASH = /^(?:sha256:)?([0-9a-f]{64})$/;
/** With or without colons. */
const SERIAL = /^(?:0x)?[0-9a-f]{1,80}$/;
/** RFC 5322 §3.6.4; with an id of ours at its left. */
const MESSAGE_ID = /^<?([0-9a-fA-F-]{36})@[^\s@<>]+>?$/;
/** From the id in a Message-ID to those of its copies (ms). */
const COPIES_WITHIN_MS = 5_000;
/** Needs a dot, so that no single word matches. */
const DOMAIN = /^@?([^\s@]+\.[^\s@.]{2,})$/;

export function search(db: Db, tenantId: string, query: string): Promise<Searched> {
  const name = query.trim();
  return db.asTenant(tenantId, async (tx) => {
    // Matches nothing.
    if (name === '' || name.includes('\0')) return { found: [], nothing: null };
    const { all, searchedTo } = await findAll(tx, tenantId, name);
    const found = new Map<string, Found>();
    for (const each of all) found.set(`${each.kind} ${each.id}`, each);
    const nothing = all.some(({ kind }) => kind === 'message')
      ? null
      : await explain(tx, tenantId, name, searchedTo);
    return { found: [...found.values()].slice(0, FOUND_MAX), nothing };
  });
}

interface FoundAll {
  readonly all: readonly Found[];
  readonly searchedTo: Date | null;
}

async function findAll(tx: Tx, tenantId: string, name: string): Promise<FoundAll> {
  const exact = await findExactly(tx, tenantId, name);
  const things = await thingsNamed(tx, tenantId, name);
  const all = [...exact, ...things];
  if (exact.length > 0 || readId(name) !== null) return { all, searchedTo: null };
  const { rows, end } = await findByWords(tx, tenantId, { text: name }, FOUND_MAX);
  const messages = rows.map((row) =>
    present({ id: row.message_id, subject: row.subject, to: row.header_to }),
  );
  return { all: [...all, ...messages], searchedTo: end?.created_at ?? null };
}

async function findExactly(tx: Tx, tenantId: string, name: string): Promise<Found[]> {
  const named = await findNamed(tx, tenantId, name);
  if (!name.includes('@')) return named;
  const key = addressOf(name) ?? name.toLowerCase();
  return [...named, ...(await messagesByRecipient(tx, tenantId, key, FOUND_MAX)).map(present)];
}

/** By what names one thing: an id, a key, a hash, a serial number. */
export async function findNamed(tx: Tx, tenantId: string, name: string): Promise<Found[]> {
  const id = readId(name);
  const [, hash] = HASH.exec(name.toLowerCase()) ?? [];
  const serial = name.toLowerCase().replace(/[\s:]/g, '');
  const found = [
    id === null ? [] : await byId(tx, tenantId, id),
    (await messagesByKey(tx, tenantId, name)).map(present),
    await byMessageId(tx, tenantId, name),
    hash === undefined ? [] : await byHash(tx, tenantId, Buffer.from(hash, 'hex')),
    SERIAL.test(serial) ? await bySerial(tx, tenantId, serial.replace(/^(?:0x)?(?:00)*/, '')) : [],
  ];
  return found.flat();
}

async function thingsNamed(tx: Tx, tenantId: string, name: string): Promise<FoundThing[]> {
  const words = queryWords(name);
  // A letter is in most names.
  if (words.every((word) => word.length < 2)) return [];
  const patterns = words.map((word) => patternOf(word, true));
  return thingsByName(tx, tenantId, { patterns, key: addressOf(name) ?? name.toLowerCase() });
}

async function byId(tx: Tx, tenantId: string, id: string): Promise<Found[]> {
  return [
    ...(await messagesById(tx, tenantId, id)).map(present),
    ...(await thingsById(tx, tenantId, id)),
    ...(await deliveriesById(tx, tenantId, id)).map(presentDelivery),
    ...(await messagesByEvent(tx, tenantId, id)).map(present),
    ...(await ofBatches(tx, tenantId, await batchesById(tx, id))),
  ];
}

/** A pasted header: ours begin with the id of the message, or of all its copies. */
async function byMessageId(tx: Tx, tenantId: string, name: string): Promise<Found[]> {
  const bare = name.replace(/^<|>$/g, '');
  const [, uuid] = MESSAGE_ID.exec(name) ?? [];
  const id = uuid === undefined ? null : readId(uuid);
  // Mail that came by SMTP has its Message-ID for a key.
  const keys = [bare, `<${bare}>`].filter((key) => key !== name);
  const found = id === null ? [] : await messagesById(tx, tenantId, id);
  for (const key of name.includes('@') ? keys : []) found.push(...(await messagesByKey(tx, tenantId, key)));
  if (found.length > 0 || id === null) return found.map(present);
  const ids = { from: id, below: firstIdAt(new Date(timeOf(id).getTime() + COPIES_WITHIN_MS)) };
  return (await copiesByMessageId(tx, tenantId, ids, Buffer.from(`<${bare}>`))).map(present);
}

async function byHash(tx: Tx, tenantId: string, hash: Uint8Array): Promise<Found[]> {
  return [
    ...(await messagesByHash(tx, tenantId, hash)).map(present),
    ...(await ofBatches(tx, tenantId, await batchesByRoot(tx, hash))),
  ];
}

async function bySerial(tx: Tx, tenantId: string, serial: string): Promise<Found[]> {
  return [
    ...(await messagesBySerial(tx, tenantId, serial)).map(present),
    ...(await ofBatches(tx, tenantId, await batchesBySerial(tx, serial))),
  ];
}

async function ofBatches(
  tx: Tx,
  tenantId: string,
  batches: Awaited<ReturnType<typeof batchesById>>,
): Promise<Found[]> {
  const found: Found[] = [];
  for (const batch of batches)
    found.push(...(await messagesOfBatch(tx, tenantId, batch, FOUND_MAX)).map(present));
  return found;
}

async function explain(tx: Tx, tenantId: string, name: string, searchedTo: Date | null): Promise<Nothing> {
  const address = addressOf(name);
  const domain = address?.slice(address.lastIndexOf('@') + 1) ?? DOMAIN.exec(name.toLowerCase())?.[1] ?? null;
  const toDomain =
    domain === null ? null : await findByWords(tx, tenantId, { text: domain, domain }, DOMAIN_COUNTED_MAX);
  return {
    address,
    domain,
    domainMessages: toDomain?.rows.length ?? 0,
    suppressed: address === null ? null : await findSuppressed(tx, tenantId, address),
    searchedTo,
  };
}

/** As it is compared. A display name may be before it. */
export function addressOf(name: string): string | null {
  const [, inside] = /<([^<>]*)>$/.exec(name) ?? [];
  try {
    return compareKey(parseAddress(inside ?? name, 'q'));
  } catch {
    return null;
  }
}

function present({ id, subject, to }: FoundMessage): Found {
  return { kind: 'message', id, label: subject === '' ? to : `${subject} → ${to}` };
}

function presentDelivery({ id, webhookId, type, url }: FoundDelivery): Found {
  return { kind: 'delivery', id, label: url === null ? type : `${type} → ${url}`, webhook_id: webhookId };
}
