/** What the generated code tells the engine of an operation, and of the shape of what it answers. */
import type { RetryClass } from './decide.ts';

/** A name of `SCHEMAS`, or a simple kind; `[]` and `{}` after it: a list or a map of them. */
export type Shape = string;

/**
 * Fields of an answer: name → shape. `?` after a name: it may be missing, if only at an older server; before
 * a shape: or null.
 */
export type Fields = Readonly<Record<string, Shape>>;

/** One operation of the contract. */
export interface Operation {
  /** Id in the contract, or of a variant: `sendMessage`. */
  readonly id: string;
  /** Resource and method: `messages.send`. */
  readonly name: string;
  readonly http: string;
  /** With `{id}` in place of parameters. */
  readonly path: string;
  /** Names of its query parameters. */
  readonly query: readonly string[];
  /** It takes an Idempotency-Key. */
  readonly keyed: boolean;
  readonly retry: RetryClass;
  /** The media type that the caller gives; null: none. */
  readonly media: string | null;
  /** The form of the answer; null: there is no content. */
  readonly accept: string | null;
  readonly result: 'json' | 'page' | 'bytes' | 'text' | 'none';
  /** Shape of a JSON answer. */
  readonly shape: Shape | null;
  readonly success: readonly number[];
}
