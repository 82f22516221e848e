import { createHash } from 'node:crypto';
import type { TimeStampPolicy } from '@acuse/evidence/timestamp/policy';

/** `check`: the broken rule; `subject`: where; `detail`: how. */
export interface FsckProblem {
  readonly check: string;
  readonly subject: string;
  readonly detail: string;
}

export interface Authority {
  readonly name: string;
  readonly profile: TimeStampPolicy['profile'];
  readonly development: boolean;
  readonly rootsSha256: readonly string[];
  readonly certificates: number;
}

export interface FsckResult {
  readonly checked: {
    readonly logs: number;
    readonly leaves: number;
    readonly messages: number;
    readonly outcomes: number;
    /** Only their hashes could be checked. */
    readonly erased: number;
    /** Their content is in an archive alone, and could not be compared, or was not. */
    readonly archived: number;
    readonly tiles: number;
    readonly checkpoints: number;
    readonly certificates: number;
    readonly tenants: number;
  };
  /** Authorities by verified roots. An operator must compare them with those contracted. */
  readonly authorities: readonly Authority[];
  readonly problems: readonly FsckProblem[];
  /** May exceed the list. */
  readonly problemCount: number;
}

export interface Report {
  count(what: keyof FsckResult['checked'], by?: number): void;
  problem(check: string, subject: string, detail: string): void;
  sealedBy(policy: TimeStampPolicy): void;
  merge(other: FsckResult): void;
  result(): FsckResult;
}

/** Beyond it, problems are only counted. */
const MAX_PROBLEMS = 1_000;

export function createReport(): Report {
  const checked = {
    logs: 0,
    leaves: 0,
    messages: 0,
    outcomes: 0,
    erased: 0,
    archived: 0,
    tiles: 0,
    checkpoints: 0,
    certificates: 0,
    tenants: 0,
  };
  const problems: FsckProblem[] = [];
  const authorities = new Map<string, Authority>();
  let problemCount = 0;

  function addAuthority({ certificates, ...authority }: Authority): void {
    const key = JSON.stringify([
      authority.name,
      authority.profile,
      authority.development,
      authority.rootsSha256,
    ]);
    const known = authorities.get(key)?.certificates ?? 0;
    authorities.set(key, { ...authority, certificates: known + certificates });
  }

  return {
    count(what, by = 1) {
      checked[what] += by;
    },
    problem(check, subject, detail) {
      problemCount++;
      if (problems.length < MAX_PROBLEMS) problems.push({ check, subject, detail });
    },
    merge(other) {
      for (const [what, by] of Object.entries(other.checked)) checked[what as keyof typeof checked] += by;
      problems.push(...other.problems.slice(0, Math.max(0, MAX_PROBLEMS - problems.length)));
      problemCount += other.problemCount;
      for (const authority of other.authorities) addAuthority(authority);
    },
    sealedBy(policy) {
      addAuthority({
        name: policy.name,
        profile: policy.profile,
        development: policy.development === true,
        rootsSha256: policy.roots.map(fingerprint).sort(),
        certificates: 1,
      });
    },
    result: () => ({
      checked: { ...checked },
      authorities: [...authorities.values()],
      problems: [...problems],
      problemCount,
    }),
  };
}

function fingerprint(pem: string): string {
  return createHash('sha256').update(pem.replace(/\s/g, '')).digest('hex');
}
