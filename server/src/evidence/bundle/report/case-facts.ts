import type { ReportFacts } from './facts.ts';

export interface CaseFacts {
  readonly name: string;
  readonly createdAt: string;
  readonly items: readonly CaseItem[];
  readonly verifyUrl: string;
}

export interface CaseItem {
  readonly file: string;
  readonly messageId: string;
  readonly sha256: string;
  readonly facts: ReportFacts | null;
}
