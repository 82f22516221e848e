import { createHash } from 'node:crypto';
import type { TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import type { FsckResult } from './fsck.ts';

/** `check`: which rule is broken; `subject`: where; `detail`: how. */
export interface FsckProblem {
  readonly check: string;
  readonly subject: string;
  readonly detail: string;
}

export interface Authority {
  readonly name: string;
  readonly profile: TimeStampPolicy['profile'];
  readonly development: boolean;
  /** SHA-256 of each pinned root's PEM text without white space, hex. */
  readonly rootsSha256: readonly string[];
  readonly certificates: number;
}

export interface Report {
  count(what: keyof FsckResult['checked'], by?: number): void;
  problem(check: string, subject: string, detail: string): void;
  sealedBy(policy: TimeStampPolicy): void;
  result(): FsckResult;
}

/** Problems kept in full; beyond it they are only counted. */
export const MAX_PROBLEMS = 1_000;

export function createReport(): Report {
  const checked = {
    logs: 0,
    leaves: 0,
    messages: 0,
    outcomes: 0,
    erased: 0,
    tiles: 0,
    checkpoints: 0,
    certificates: 0,
    tenants: 0,
  };
  const problems: FsckProblem[] = [];
  const authorities = new Map<string, Authority>();
  let problemCount = 0;

  return {
    count(what, by = 1) {
      checked[what] += by;
    },
    problem(check, subject, detail) {
      problemCount++;
      if (problems.length < MAX_PROBLEMS) problems.push({ check, subject, detail });
    },
    sealedBy(policy) {
      const rootsSha256 = policy.roots.map(fingerprint).sort();
      const key = JSON.stringify([policy.name, policy.profile, policy.development, rootsSha256]);
      const known = authorities.get(key);
      authorities.set(key, {
        name: policy.name,
        profile: policy.profile,
        development: policy.development === true,
        rootsSha256,
        certificates: (known?.certificates ?? 0) + 1,
      });
    },
    result: () => ({ checked, authorities: [...authorities.values()], problems, problemCount }),
  };
}

function fingerprint(pem: string): string {
  return createHash('sha256').update(pem.replace(/\s/g, '')).digest('hex');
}
