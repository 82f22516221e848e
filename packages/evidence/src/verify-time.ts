/** When it was stamped and by whom, and whether the renewals are valid. */
import { assertText, requireEntry } from './bundle.ts';
import { decodeUtf8 } from './bytes.ts';
import { EvidenceError } from './errors.ts';
import { countRenewals, renewalImprint, renewalName, renewedText } from './renewal.ts';
import { certificatesFromPem } from './timestamp/certificate.ts';
import { DerError } from './timestamp/der.ts';
import { certificateToPem, openTimeStamp, readSignedData, tokenCertificatesPem } from './timestamp/parse.ts';
import type {
  ExpectedTimeStamp,
  TimeStampFacts,
  TimeStampPolicy,
  TimeStampResult,
} from './timestamp/policy.ts';
import { readTstInfo } from './timestamp/tst-info.ts';
import { verifyTimeStamp } from './timestamp/verify.ts';
import type { Verifying } from './verify-context.ts';
import { checkNotRevoked } from './verify-revocation.ts';
import { isWithin } from './window.ts';

/** One token in a bundle: the entries that hold it and its chain, and the name of its checks. */
type StampedEntry = { check: string; token: string; chain: string; expected: ExpectedTimeStamp };

const sha256Imprint = (imprint: Uint8Array): ExpectedTimeStamp => ({ imprint, hashAlgorithm: 'sha256' });

/**
 * Adds `renewal.NN…` from the last to the first, then `timestamp…`: each must hold when the next one was
 * made, the last one when the verifier says, if at all. The facts of the constancia over the checkpoint.
 */
export async function checkConstancia(
  context: Verifying,
  stamped: Uint8Array,
): Promise<TimeStampFacts | undefined> {
  const renewals: TimeStampFacts[] = [];
  const renewed = await checkRenewals(context, renewals);
  if (renewed === 'failed') {
    context.list.skip('timestamp', 'renewal');
    return undefined;
  }
  const entry = {
    check: 'timestamp',
    token: 'constancia.tsr',
    chain: 'chain/constancia.pem',
    expected: sha256Imprint(context.sha256(stamped)),
  };
  return checkToken(context, entry, renewed, renewals);
}

/**
 * Until when the constancia's own chain must have held: the first renewal's time; without any, as for a last
 * renewal, when the verifier says. `held`: gets what the renewals say.
 */
async function checkRenewals(
  context: Verifying,
  held: TimeStampFacts[],
): Promise<Date | undefined | 'failed'> {
  const { list, bundle } = context;
  const count = list.run('renewal', () => {
    const value = countRenewals(bundle);
    return {
      value,
      detail: value === 0 ? 'the constancia has not been renewed yet' : `renewed ${value} times`,
    };
  });
  if (count === undefined) return 'failed';
  let next = context.at;
  for (let ordinal = count; ordinal > 0; ordinal--) {
    const number = renewalName(ordinal);
    const imprint = list.run(`renewal.${number}.covers`, () => {
      const value = renewalImprint(renewedText(bundle, ordinal));
      return { value, detail: 'covers the constancia, its chain and every renewal before' };
    });
    if (imprint === undefined) return 'failed';
    const entry: StampedEntry = {
      check: `renewal.${number}`,
      token: `renewal/${number}.tsr`,
      chain: `chain/renewal-${number}.pem`,
      expected: { imprint, hashAlgorithm: 'sha512' },
    };
    const facts = await checkToken(context, entry, next, held);
    if (facts === undefined) return 'failed';
    held.push(facts);
    next = new Date(facts.genTime);
  }
  return next;
}

/**
 * When the keys under a checkpoint must have been trusted: at the genTime of the token over it, which is
 * verified separately; now, if there is no token; undefined for an unreadable one, which its own checks
 * refuse.
 */
export function timeOfToken(
  { bundle, now }: Pick<Verifying, 'bundle' | 'now'>,
  token: string,
): Date | undefined {
  const bytes = bundle.get(token);
  return bytes === undefined ? now : statedTime(bytes);
}

/** Nothing is verified; undefined for what cannot be read. */
function statedTime(bytes: Uint8Array): Date | undefined {
  try {
    const { token } = openTimeStamp(bytes);
    return token === null ? undefined : readTstInfo(readSignedData(token).content).genTime;
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}

/** The newest link, once all hold: the last renewal, or the constancia itself. */
export function newestLink({ bundle, stamps }: Verifying): TimeStampFacts | undefined {
  const count = countRenewals(bundle);
  return stamps.get(count === 0 ? 'constancia.tsr' : `renewal/${renewalName(count)}.tsr`);
}

/** Adds `message_timestamp…` if the message has a constancia of its own: over its canonical hash alone. */
export async function checkMessageConstancia(
  context: Verifying,
  canonicalHash: Uint8Array,
): Promise<TimeStampFacts | undefined> {
  const token = 'message-constancia.tsr';
  if (!context.bundle.has(token)) return undefined;
  const expected = sha256Imprint(canonicalHash);
  const entry = { check: 'message_timestamp', token, chain: 'chain/message-constancia.pem', expected };
  return checkToken(context, entry);
}

/** Adds `<check>` for a constancia over the checkpoint that holds an outcome. */
export async function checkDeliveryConstancia(
  context: Verifying,
  { check, token, chain }: Omit<StampedEntry, 'expected'>,
  checkpointHash: Uint8Array,
): Promise<TimeStampFacts | undefined> {
  return checkToken(context, { check, token, chain, expected: sha256Imprint(checkpointHash) });
}

/**
 * Adds `<check>.<step>` for every step of the token's verification, `<check>` for the whole of it,
 * `<check>_revocation` where there is something to say of that, and `<check>_chain` for the chain file, which
 * must be the verified chain. `at`: when the chain must have held still. `renewals`: those after it that
 * hold.
 */
async function checkToken(
  context: Verifying,
  entry: StampedEntry,
  at?: Date,
  renewals: readonly TimeStampFacts[] = [],
): Promise<TimeStampFacts | undefined> {
  const { list, bundle, stamps } = context;
  const { check } = entry;
  const verified = await list.runAsync(check, async () => {
    const { result, policy } = await verifyUnderAny(context, entry, at);
    for (const { name, ok, detail } of result.checks) list.add(`${check}.${name}`, ok, detail);
    if (!result.ok)
      throw new EvidenceError(check, 'the time-stamp does not hold under any trusted authority');
    return { value: { facts: result.facts, policy }, detail: describe(result.facts) };
  });
  if (verified === undefined) {
    list.skip(`${check}_chain`, check);
    return undefined;
  }
  const { facts, policy } = verified;
  if (!(await checkNotRevoked(context, `${check}_revocation`, facts, policy, renewals))) {
    list.skip(`${check}_chain`, `${check}_revocation`);
    return undefined;
  }
  return list.run(`${check}_chain`, () => {
    const chain = facts.certificates.map(certificateToPem);
    assertText(bundle, entry.chain, chain.join(''), `${check}_chain`);
    // The certificates in a token are unsigned; the one given as the signer's must still be the signer's.
    const carried = tokenCertificatesPem(requireEntry(bundle, entry.token, check));
    if (carried.length > 0 && !carried.includes(chain[0]!))
      throw new EvidenceError(check, "the token carries another certificate than its signer's");
    stamps.set(entry.token, facts);
    return { value: facts, detail: `${entry.chain} is the chain that was verified` };
  });
}

/** The first policy under which the token is valid; else the one under which most steps passed. */
async function verifyUnderAny(
  { bundle, policy: { timeStamps } }: Verifying,
  { check, token, chain, expected }: StampedEntry,
  at: Date | undefined,
): Promise<{ result: TimeStampResult; policy: TimeStampPolicy }> {
  const bytes = requireEntry(bundle, token, check);
  const certificates = certificatesFromPem(decodeUtf8(requireEntry(bundle, chain, check)) ?? '');
  let best: { result: TimeStampResult; policy: TimeStampPolicy } | undefined;
  const passed = ({ checks }: TimeStampResult) => checks.filter(({ ok }) => ok).length;
  const stamped = statedTime(bytes);
  for (const policy of timeStamps) {
    if (stamped !== undefined && !isWithin(policy, stamped)) continue;
    const result = await verifyTimeStamp(bytes, expected, policy, certificates, at);
    if (result.ok) return { result, policy };
    if (best === undefined || passed(result) > passed(best.result)) best = { result, policy };
  }
  if (best === undefined)
    throw new EvidenceError(check, 'no time-stamping authority is trusted at that time');
  return best;
}

function describe(facts: TimeStampFacts): string {
  const kind = facts.development
    ? 'development time-stamp, not a NOM-151 constancia'
    : facts.profile === 'nom151'
      ? 'NOM-151 constancia'
      : 'RFC 3161 time-stamp';
  return `${kind} of ${facts.genTime} by ${facts.subject}`;
}

/** The report on a time-stamp; `newest`: of its renewals. */
export function timeFacts(time: TimeStampFacts, newest: TimeStampFacts = time) {
  return {
    sealed_at: time.genTime,
    profile: time.development ? 'development' : time.profile,
    issuer: time.issuer,
    policy_oid: time.policyOid,
    serial_number: time.serialNumber,
    ...(newest !== time && { renewed_at: newest.genTime }),
    covered_until: newest.chainNotAfter,
  };
}
