import type { Verification } from '@acuse/evidence/verify';
import type { DiffRow } from '../ui/diff-rows.ts';

/** Requests of a page to the worker, and the answers. */
export interface CheckRequest {
  /** A proof bundle, ZIP or JSON. */
  readonly bundle: Uint8Array;
  /** The message as somebody received it. */
  readonly eml?: Uint8Array | undefined;
  /** A trust policy of the reader's own, as JSON. */
  readonly trust?: Uint8Array | undefined;
  /** The bundle came from this very service: the keys in it are the service's own. */
  readonly own?: boolean | undefined;
  /** The policy of this service, as `/log/policy` has it: its log, authorities and witnesses, JSON. */
  readonly ownPolicy?: string | undefined;
  readonly ends?: readonly string[] | undefined;
}

export type CheckAnswer =
  | { readonly kind: 'checked'; readonly checked: Checked }
  | { readonly kind: 'unreadable_policy'; readonly detail: string };

export interface Checked {
  readonly verification: Omit<Verification, 'stamps'>;
  /** Layers of a received copy; empty without one, or when nothing can be compared. */
  readonly layers: readonly Layer[];
  /** `report.pdf` of a bundle that holds. */
  readonly report: Uint8Array | null;
}

/** `reencoded`: written otherwise on the way, with the same content. `added`: not in what was sent. */
export type LayerState = 'same' | 'reencoded' | 'changed' | 'missing' | 'added';

/** The header, the body as a whole, or a part: by its file name, or else by its type. */
export interface Layer {
  readonly of: 'header' | 'body' | 'part';
  readonly name: string | null;
  readonly state: LayerState;
  /** Null: not text. */
  readonly rows: readonly DiffRow[] | null;
  /** There are more than are shown. */
  readonly cut: boolean;
}
