/** A request that was made, or that an example of the contract makes. */
export interface Request {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** JSON; a text for an operation that takes another media type. */
  readonly body?: unknown;
  /** The body is a file, which the code reads. */
  readonly file?: boolean;
  /** Its Idempotency-Key. */
  readonly key?: string | null;
}

type Type = Readonly<Record<string, unknown>>;

/** A known operation. */
export interface CalledOperation {
  readonly id: string;
  readonly operationId: string;
  readonly resource: string;
  readonly method: string;
  readonly http: string;
  readonly path: string;
  readonly query: readonly { readonly name: string; readonly type: Type }[];
  readonly result: 'json' | 'page' | 'bytes' | 'text' | 'none';
}

/** The writers' knowledge of the contract. */
export interface Table {
  readonly operations: readonly CalledOperation[];
  readonly schemas: Readonly<Record<string, unknown>>;
}

export interface Call {
  readonly operation: CalledOperation;
  readonly params: readonly string[];
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly file: boolean;
  readonly key: string | null;
}

/** A client library. */
export interface Language {
  /** As sdks/names.json has it. */
  readonly id: string;
  readonly name: string;
  readonly setup: { readonly imports: string; readonly code: string };
}

/** In the order in which readers are offered them. */
export const LANGUAGES: readonly Language[];
/** The call in a language; null where it has no literal for one of the values. */
export function snippetOf(language: Language, call: Call, table: Table): string | null;
/** The beginning of a program. */
export function setupOf(language: Language): string;
/** Null where no library has such an operation, or not with these parameters. */
export function callOf(request: Request, table: Table): Call | null;
