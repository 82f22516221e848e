/** A page’s questions about the operator’s log, and their answers. */

/** The last good checkpoint that this browser saw, which the operator's log must continue. */
export interface Held {
  /** The verifier key of the log. */
  readonly key: string;
  /** The signed checkpoint. */
  readonly note: string;
  /** When it was seen, ISO 8601. */
  readonly at: string;
}

/** An entry of the reader's own, and where the operator says that it is. */
export interface OwnEntry {
  readonly messageId: string;
  /** 64 hex characters. */
  readonly canonicalHash: string;
  readonly index: number;
}

/** A promise that the log signed; `index`: where the operator says that it was kept, null: not yet. */
export interface OwnPromise {
  readonly messageId: string;
  readonly note: string;
  readonly index: number | null;
}

export interface WatchRequest {
  readonly kind: 'log';
  readonly held: Held | null;
  readonly entries: readonly OwnEntry[];
  readonly promises: readonly OwnPromise[];
  /** A checkpoint size that has a constancia, where the newest has none yet. */
  readonly sealedSize: number | null;
  /** A proof bundle of the account, which names the witnesses. */
  readonly bundle: Uint8Array | null;
  readonly nowSeconds: number;
}

/** In the order in which they are made. */
export const STEPS = [
  'key',
  'signature',
  'consistency',
  'history',
  'entries',
  'promises',
  'witnesses',
] as const;
export type StepName = (typeof STEPS)[number];

/** `nothing`: there is nothing to check; `unchecked`: one before it fails. */
export type StepState = 'ok' | 'failed' | 'nothing' | 'waiting' | 'unchecked';

/** The fault, if any. */
export type FaultCode =
  | 'other_key'
  | 'unsigned'
  | 'shrunk'
  | 'forked'
  | 'rewritten'
  | 'history'
  | 'entry_missing'
  | 'promise_broken'
  | 'promise_unsigned'
  | 'cosignature';

export interface Fault {
  readonly code: FaultCode;
  readonly detail: string;
  /** Signed statements of the operator that contradict each other: they prove it to anybody. */
  readonly notes: readonly string[];
}

export interface Step {
  readonly name: StepName;
  readonly state: StepState;
  /** How many were checked. */
  readonly count: number;
  readonly faults: readonly Fault[];
}

/** An earlier checkpoint. */
export interface Past {
  readonly size: number;
  /** Hex. */
  readonly root: string;
  readonly ok: boolean;
  /** Null: not valid. */
  readonly stamp: {
    readonly genTime: string;
    readonly authority: string;
    readonly development: boolean;
  } | null;
}

export interface Watched {
  readonly key: string;
  readonly origin: string;
  /** Null when it is not signed by the log. */
  readonly newest: { readonly note: string; readonly size: number; readonly root: string } | null;
  readonly heldSize: number | null;
  readonly steps: readonly Step[];
  /** Newest first. */
  readonly history: readonly Past[];
  /** Deadline of the open promise that is due first, Unix seconds. */
  readonly dueSeconds: number | null;
  readonly openPromises: number;
  readonly witnesses: readonly { readonly name: string; readonly unixSeconds: number | null }[];
}

export type WatchAnswer =
  | { readonly kind: 'watched'; readonly watched: Watched }
  | { readonly kind: 'unreachable'; readonly status: number };
