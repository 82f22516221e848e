/** The questions of `acuse setup` as data, for the terminal and for a file of answers. */

/** By the id of the question, as they were written. */
export type Answers = Readonly<Record<string, string>>;

/** The answer as it counts, or what is wrong with it. */
export type Reading = { readonly value: string } | { readonly problem: string };

/** Facts about this machine, read before the first question. */
export interface Found {
  /** With a dot: what other mail servers take for a name. */
  readonly hostname: string | null;
  /** Those that connections leave from. */
  readonly addresses: readonly string[];
}

export interface Question {
  /** Its name in a file of answers. */
  readonly id: string;
  readonly text: string;
  /** One line: what it is for, or what follows from it. */
  readonly why: string;
  /** It may hold a password. */
  readonly secret?: true;
  /** The variable that its answer is, where it is one. */
  readonly variable?: string;
  /** The answer that stands for a variable that is not set. */
  readonly unset?: string;
  /** Absent: always. */
  readonly asked?: (known: Answers) => boolean;
  readonly default?: (known: Answers, found: Found) => string | undefined;
  readonly read: (text: string, known: Answers) => Reading;
}
