import type { Held, OwnPromise } from './watched.ts';

/** Remembered between visits, so that a rewritten log contradicts it. */
export interface Kept {
  readonly held: Held;
  /** Open when they were seen: whether they were kept is seen later, whatever the server still tells. */
  readonly promises: readonly KeptPromise[];
}

export interface KeptPromise extends Pick<OwnPromise, 'messageId' | 'note'> {
  /** Id of the account: another one does not know the message. */
  readonly account: string;
}

const KEY = 'acuse.log';
/** Open promises that are kept; an account has few, because they are kept within minutes. */
const PROMISES_MAX = 50;

export function readKept(): Kept | null {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? 'null') as Partial<Kept> | null;
    const { key, note, at } = kept?.held ?? {};
    if (![key, note, at].every((each) => typeof each === 'string')) return null;
    const promises = (Array.isArray(kept?.promises) ? kept.promises : []).filter(isPromise);
    return { held: { key: key!, note: note!, at: at! }, promises };
  } catch {
    return null;
  }
}

function isPromise(value: unknown): value is KeptPromise {
  const { account, messageId, note } = (value ?? {}) as Record<string, unknown>;
  return [account, messageId, note].every((each) => typeof each === 'string');
}

/** Without storage the next visit begins from nothing. */
export function keep(kept: Kept | null): void {
  try {
    if (kept === null) localStorage.removeItem(KEY);
    else
      localStorage.setItem(KEY, JSON.stringify({ ...kept, promises: kept.promises.slice(0, PROMISES_MAX) }));
  } catch {
    // As above.
  }
}
