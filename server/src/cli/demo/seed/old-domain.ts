import { type DnsAnswer, judge } from '../../../accounts/domains/records.ts';
import { type VerifyDeps, verifyDomain } from '../../../accounts/domains/verify.ts';

/** Its records vanish on this day, so that the grace ends within the story. */
const GONE_ON_DAY = 9;

/** Simulates the daily check: .example cannot publish, so that answers are fake and conclusions real. */
export async function checkOldDomain(
  deps: VerifyDeps,
  tenantId: string,
  domainId: string,
  day: number,
): Promise<void> {
  const answer = (value: string): DnsAnswer =>
    day < GONE_ON_DAY ? { kind: 'found', values: [value] } : { kind: 'none' };
  const dns = {
    check: async (records: Parameters<VerifyDeps['dns']['check']>[0]) =>
      records.map((record) => judge(record, answer(record.value))),
  };
  await verifyDomain({ ...deps, dns }, tenantId, domainId);
}
