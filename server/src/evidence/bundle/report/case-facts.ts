import type { ReportFacts } from './facts.ts';

/** The content of a case file's index; all of it can be checked in the bundles. */
export interface CaseFacts {
  readonly name: string;
  readonly createdAt: string;
  /** In order of time. */
  readonly items: readonly CaseItem[];
  readonly verifyUrl: string;
}

export interface CaseItem {
  /** Of the bundle, in the case file. */
  readonly file: string;
  readonly messageId: string;
  /** Of that file. */
  readonly sha256: string;
  /** Null: the bundle does not verify. */
  readonly facts: ReportFacts | null;
}
