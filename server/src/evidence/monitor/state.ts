import { fromBase64, toBase64 } from '@acuse/evidence/bytes';
import { readIfThere, replaceDurably } from '../../platform/durable-file.ts';
import { ALERT_CODES, type Alert, type AlertCode } from './alert.ts';
import type { Edge } from './follow.ts';

/** A monitor's state between passes. RFC 3339 times. */
export interface MonitorState {
  /** Last fully rebuilt checkpoint; null before the first. */
  verified: { size: number; root: Uint8Array; note: string; edge: Edge; seenAt: string } | null;
  /** An interrupted pass: entries without a root yet. */
  reading: { size: number; edge: Edge } | null;
  promises: PromiseState[];
  /** Checkpoints over `bottom` up to `top` with unseen constancias. */
  constancias: { top: number; bottom: number; since: string }[];
  sealed: { size: number; genTime: string; authority: string; development: boolean } | null;
  witnesses: { name: string; size: number; witnessedAt: string }[];
  unwitnessedSince: string | null;
  /** Proven incidents, until acknowledged. */
  incidents: (Alert & { at: string })[];
}

export interface PromiseState {
  readonly note: string;
  readonly hash: string;
  readonly deadline: number;
  index: number | null;
  proven: boolean;
  searched: number;
}

const TYPE = 'acuse/monitor-state/v1';

export function emptyState(): MonitorState {
  return {
    verified: null,
    reading: null,
    promises: [],
    constancias: [],
    sealed: null,
    witnesses: [],
    unwitnessedSince: null,
    incidents: [],
  };
}

interface StateFile extends Omit<MonitorState, 'verified' | 'reading'> {
  readonly type: typeof TYPE;
  readonly key: string;
  readonly verified: {
    size: number;
    root: string;
    note: string;
    edge: Record<string, string>;
    seenAt: string;
  } | null;
  readonly reading: { size: number; edge: Record<string, string> } | null;
}

/** A new state without a file. Throws an Error that names a damaged file or another log's. */
export function loadState(path: string, vkey: string): MonitorState {
  const text = readIfThere(path);
  if (text === null) return emptyState();
  try {
    return fromFile(JSON.parse(text) as StateFile, vkey);
  } catch (cause) {
    const problem = cause instanceof SyntaxError ? 'it is not JSON' : (cause as Error).message;
    throw new Error(`${path} is not the state of a monitor of this log: ${problem}`, { cause });
  }
}

export function saveState(path: string, vkey: string, state: MonitorState): void {
  const { verified, reading, ...rest } = state;
  const file: StateFile = {
    type: TYPE,
    key: vkey,
    verified: verified && { ...verified, root: toBase64(verified.root), edge: encodeEdge(verified.edge) },
    reading: reading && { ...reading, edge: encodeEdge(reading.edge) },
    ...rest,
  };
  replaceDurably(path, `${JSON.stringify(file, null, 1)}\n`);
}

function encodeEdge(edge: Edge): Record<string, string> {
  return Object.fromEntries([...edge].map(([tile, hashes]) => [tile, toBase64(hashes)]));
}

function decodeEdge(edge: Record<string, string>): Edge {
  return new Map(Object.entries(edge).map(([tile, text]) => [tile, hashesIn(text)]));
}

export function hashesIn(text: string): Uint8Array {
  const bytes = fromBase64(text);
  if (bytes === undefined || bytes.length % 32 !== 0) throw new Error('a hash is damaged');
  return bytes;
}

function fromFile(file: StateFile, vkey: string): MonitorState {
  if (file?.type !== TYPE) throw new Error('it is of another kind');
  if (file.key !== vkey) throw new Error(`it is that of ${file.key}`);
  const { verified, reading } = file;
  const lists = [file.promises, file.constancias, file.witnesses, file.incidents];
  if (!lists.every(Array.isArray)) throw new Error('a list is missing');
  const codes = new Set<AlertCode>(ALERT_CODES);
  if (!file.incidents.every(({ code }) => codes.has(code))) throw new Error('it has an unknown incident');
  return {
    verified: verified && {
      size: sizeOf(verified.size),
      root: hashesIn(verified.root),
      note: verified.note,
      edge: decodeEdge(verified.edge),
      seenAt: verified.seenAt,
    },
    reading: reading && { size: sizeOf(reading.size), edge: decodeEdge(reading.edge) },
    promises: file.promises,
    constancias: file.constancias,
    sealed: file.sealed,
    witnesses: file.witnesses,
    unwitnessedSince: file.unwitnessedSince,
    incidents: file.incidents,
  };
}

function sizeOf(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new Error('a size is damaged');
  return value;
}
