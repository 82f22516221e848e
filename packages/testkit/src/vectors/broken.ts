import type { Authority } from './authority.ts';
import { entriesAndTrust, liesOfTheOperator, manifestAndOpenings } from './broken-content.ts';
import { theLog } from './broken-log.ts';
import { outcomes, shownInPart } from './broken-outcomes.ts';
import { renewals, timeStamps } from './broken-time.ts';
import { brokenTwice } from './broken-twice.ts';
import { sealedEvidence, wholeEvidence } from './bundles.ts';
import { assemble, type Cases } from './tamper.ts';

export async function brokenBundles(authority: Authority): Promise<Cases> {
  const sealed = await sealedEvidence(authority);
  const small = assemble(sealed);
  const whole = assemble(await wholeEvidence(authority));
  const cases: Cases = new Map();
  entriesAndTrust(cases, small);
  manifestAndOpenings(cases, small);
  await liesOfTheOperator(cases, authority);
  theLog(cases, small, sealed);
  await timeStamps(cases, authority, small, sealed);
  outcomes(cases, whole);
  await shownInPart(cases, whole);
  await renewals(cases, authority, sealed);
  brokenTwice(cases, whole);
  return cases;
}
