import { fromBase64, toBase64 } from '@acuse/evidence/bytes';
import type { Witnessed } from '@acuse/evidence/witness';
import { readIfThere, replaceDurably } from '../../platform/durable-file.ts';

/** `note`: absent if an earlier version stored it. */
interface KeptCheckpoint extends Witnessed {
  readonly note?: string;
}

/** The last cosigned checkpoint per log, which a witness must never forget. */
export interface WitnessState {
  find(origin: string): KeptCheckpoint | null;
  /** Durable. Throws otherwise: then nothing may be signed. */
  record(origin: string, witnessed: KeptCheckpoint): void;
}

const TYPE = 'acuse/witness-state/v1';

interface KeptInFile {
  readonly size: number;
  readonly root: string;
  readonly note?: string;
}

interface StateFile {
  readonly type: typeof TYPE;
  readonly witness: string;
  readonly logs: Readonly<Record<string, KeptInFile>>;
}

/**
 * Throws an Error that names a damaged or foreign file: without its state a witness would sign a second
 * history.
 */
export function openWitnessState(path: string, vkey: string): WitnessState {
  const logs = new Map<string, KeptCheckpoint>(
    Object.entries(read(path, vkey)?.logs ?? {}).map(([origin, log]) => [origin, toWitnessed(path, log)]),
  );
  return {
    find: (origin) => logs.get(origin) ?? null,
    record(origin, witnessed) {
      const next = new Map(logs).set(origin, witnessed);
      const file: StateFile = {
        type: TYPE,
        witness: vkey,
        logs: Object.fromEntries(
          [...next].map(([name, { size, rootHash, note }]) => [
            name,
            { size, root: toBase64(rootHash), ...(note !== undefined && { note }) },
          ]),
        ),
      };
      replaceDurably(path, `${JSON.stringify(file, null, 1)}\n`);
      logs.set(origin, witnessed);
    },
  };
}

function read(path: string, vkey: string): StateFile | null {
  const text = readIfThere(path);
  if (text === null) return null;
  let file: StateFile;
  try {
    file = JSON.parse(text) as StateFile;
  } catch (cause) {
    throw damaged(path, cause);
  }
  if (file?.type !== TYPE || typeof file.logs !== 'object' || file.logs === null) throw damaged(path);
  if (file.witness !== vkey) throw new Error(`${path} is the state of another witness: ${file.witness}`);
  return file;
}

function toWitnessed(path: string, log: KeptInFile): KeptCheckpoint {
  const rootHash = typeof log?.root === 'string' ? fromBase64(log.root) : undefined;
  if (!Number.isSafeInteger(log?.size) || log.size < 0 || rootHash?.length !== 32) throw damaged(path);
  if (log.note !== undefined && typeof log.note !== 'string') throw damaged(path);
  return { size: log.size, rootHash, ...(log.note !== undefined && { note: log.note }) };
}

function damaged(path: string, cause?: unknown): Error {
  return new Error(
    `${path} is damaged: restore it from a backup; without it, the witness could sign a second history`,
    { cause },
  );
}
