import { toHex } from '@acuse/evidence/bytes';
import { EvidenceError } from '@acuse/evidence/errors';
import { readTimeStampPolicy } from '@acuse/evidence/timestamp/manifest';
import type { ExpectedTimeStamp, TimeStampFacts } from '@acuse/evidence/timestamp/policy';
import { verifyTimeStamp } from '@acuse/evidence/timestamp/verify';
import type { StampColumns } from '../stamp/stamp-columns.ts';
import type { IssuedFaults } from './fsck-issued.ts';
import type { Report } from './fsck-report.ts';
import type { RevocationFaults } from './fsck-revocation.ts';

export interface StampCheck {
  readonly report: Report;
  readonly revocationFaults: RevocationFaults;
  readonly issuedFaults: IssuedFaults;
}

/** Verifies token, policy and columns. `at`: when the chain must still hold. Returns the token's facts. */
export async function checkStamp(
  { report, revocationFaults, issuedFaults }: StampCheck,
  subject: string,
  row: StampColumns,
  expected: ExpectedTimeStamp,
  at?: Date,
): Promise<TimeStampFacts | null> {
  report.count('certificates');
  const problem = (detail: string) => report.problem('constancia', subject, detail);
  try {
    const policy = readTimeStampPolicy(row.policy);
    const result = await verifyTimeStamp(row.token, expected, policy, row.chain, at);
    for (const check of result.checks) if (!check.ok) problem(`${check.name}: ${check.detail}`);
    if (!result.ok) return null;
    report.sealedBy(policy);
    compareColumns(row, result.facts, problem);
    for (const faults of [revocationFaults, issuedFaults])
      for (const fault of await faults(row)) problem(fault);
    return result.facts;
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    problem(error.message);
    return null;
  }
}

function compareColumns(row: StampColumns, facts: TimeStampFacts, problem: (detail: string) => void): void {
  const columns: [string, string, string][] = [
    ['serial_number', row.serialNumber, facts.serialNumber],
    ['policy_oid', row.policyOid, facts.policyOid],
    ['gen_time', row.genTime.toISOString(), new Date(facts.genTime).toISOString()],
    ['imprint', toHex(row.imprint), facts.imprintHex],
    ['hash_algorithm', row.hashAlgorithm, facts.hashAlgorithm],
    ['issuer', row.issuer, facts.issuer],
    ['profile', row.profile, facts.development ? 'development' : facts.profile],
  ];
  for (const [name, stored, told] of columns) {
    if (stored !== told) problem(`${name} is stored as ${stored}, the token says ${told}`);
  }
  if (row.chain.map(toHex).join() !== facts.certificates.map(toHex).join())
    problem('the chain stored next to the token is not the one that verifies');
}
