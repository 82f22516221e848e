/**
 * For each rule of the time line, of the count of outcomes and of when keys are trusted: the smallest bundle
 * that breaks it and nothing else, and one that just keeps it where that says more.
 */
import type { StoredDelivery, StoredEvidence, StoredRenewal } from '@acuse/evidence/assemble';
import type { Bundle } from '@acuse/evidence/bundle';
import { concat, toHex, utf8 } from '@acuse/evidence/bytes';
import { checkpointText } from '@acuse/evidence/checkpoint';
import { cosign } from '@acuse/evidence/cosignature';
import { buildDeliveryManifest } from '@acuse/evidence/delivery';
import { signLogEnd } from '@acuse/evidence/log-end';
import { formatNote, type Signer, signNote } from '@acuse/evidence/note';
import { discloseParts } from '@acuse/evidence/openings';
import { outcomesOrigin, outcomesRoot, signOutcomes } from '@acuse/evidence/outcomes-note';
import { formatTrustPolicy, type TrustPolicy } from '@acuse/evidence/policy';
import { renewalImprint, renewalSums } from '@acuse/evidence/renewal';
import { readCertificate } from '@acuse/evidence/timestamp/certificate';
import { COSIGNATURE_V1, formatVerifierKey, verifierKey } from '@acuse/evidence/verifier-key';
import type { Issued } from '@acuse/tsa/certificates';
import {
  type Authority,
  COUNTED_AT,
  logKey,
  logSigner,
  ORIGIN,
  SEALED_AT,
  sha256,
  signerFor,
  witnessKey,
  witnessSigner,
} from './authority.ts';
import { countOf, type Entries, historyOf, type Proving, policyOf, prove } from './bundles.ts';
import { letterInput, outcomeInputs, sealLetter } from './messages.ts';
import { deltaOf, REASON, saidOf, unknownExtension } from './revocation-cases.ts';
import { assemble, change, changeJson, replaceText } from './tamper.ts';

/** `now`: the reader's clock, where another than READ_AT. */
export interface LineCase {
  readonly why: string;
  readonly bundle: Bundle;
  readonly now?: Date;
}

/** Name, and whether it is valid, by the folder: `good/…` or `broken/…`. */
export type LineCases = Map<string, LineCase>;

/** The log that goes on after `ORIGIN` has ended. */
export const SUCCESSOR = 'log.example/acuse-2';
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
const ACCEPTED_AT = letterInput().acceptedAt;
/** The letter was accepted 7.911 s before it was sealed. */
export const accepted = (ms: number) => new Date(ACCEPTED_AT.getTime() + ms);
export const sealed = (ms: number) => new Date(SEALED_AT.getTime() + ms);
export const counted = (ms: number) => new Date(COUNTED_AT.getTime() + ms);

export interface Outcome {
  readonly index: number;
  readonly size: number;
  readonly occurredAt?: Date;
  /** Null: not stamped. */
  readonly stampedAt?: Date | null;
  readonly cosignedAt?: number;
  readonly fork?: string;
}

export interface Story {
  readonly outcomes?: readonly Outcome[];
  readonly acceptedAt?: Date;
  readonly sealedAt?: Date;
  readonly ownStampAt?: Date;
  readonly cosignedAt?: number;
  readonly countedAt?: Date;
  readonly renewedAt?: readonly Date[];
  readonly renewedBy?: Issued;
  readonly revocation?: Readonly<Record<string, Uint8Array>>;
  readonly policy?: Partial<TrustPolicy>;
}

const inOwnTree: Outcome = { index: 7, size: 13, stampedAt: null };
export const later: Outcome = { index: 20, size: 21 };

/** The letter as leaf 5 of 13, and its outcomes, closed as after an erasure: nothing that a case is not about. */
export async function tell(authority: Authority, story: Story = {}): Promise<StoredEvidence> {
  const { outcomes = [], sealedAt = SEALED_AT } = story;
  const input = letterInput(story.acceptedAt && { acceptedAt: story.acceptedAt });
  const { manifestBytes, canonicalHash, openings } = sealLetter(input);
  const leaves = chainOf(canonicalHash, outcomes);
  const others: Entries = new Map([
    [5, canonicalHash],
    ...leaves.map(({ canonicalHash: hash }, i) => [outcomes[i]!.index, hash] as const),
  ]);
  const at = (time: number | undefined): Proving => ({
    others,
    ...(time !== undefined && { cosignedAt: time }),
  });
  const own = prove(canonicalHash, 5, 13, { ...at(story.cosignedAt), others: without(others, 5) });
  const deliveries: StoredDelivery[] = [];
  for (const [i, { manifestBytes: manifest, canonicalHash: hash }] of leaves.entries()) {
    const { index, size, stampedAt = SEALED_AT, cosignedAt, fork } = outcomes[i]!;
    const shared = { ...at(cosignedAt), ...(fork !== undefined && { fork }) };
    const { proof, text } = prove(hash, index, size, shared);
    const constancia = stampedAt && (await authority.stamp(sha256(utf8(text)), { at: stampedAt }));
    deliveries.push({ manifest, proof, ...(constancia && { constancia }) });
  }
  const sizes = new Set([13, ...outcomes.map(({ size }) => size)]);
  const ownStamp = story.ownStampAt && (await authority.stamp(canonicalHash, { at: story.ownStampAt }));
  const evidence: StoredEvidence = {
    manifest: manifestBytes,
    openings: discloseParts(openings, []),
    proof: own.proof,
    constancia: await authority.stamp(sha256(utf8(own.text)), { at: sealedAt }),
    ...(ownStamp && { messageConstancia: ownStamp }),
    deliveries,
    ...(sizes.size > 1 && { history: historyOf(others, [...sizes]) }),
    outcomesNote: countOf([canonicalHash, ...leaves.map(({ canonicalHash: hash }) => hash)], story.countedAt),
    policy: policyOf(authority, story.policy),
  };
  const renewed = await renewedAt(authority, evidence, story.renewedAt ?? [], story.renewedBy);
  return { ...renewed, ...(story.revocation && { revocation: new Map(Object.entries(story.revocation)) }) };
}

const without = (entries: Entries, index: number): Entries =>
  new Map([...entries].filter(([at]) => at !== index));

/** In the order of outcomeInputs, each chained to the one before. */
function chainOf(canonicalHash: Uint8Array, outcomes: readonly Outcome[]) {
  let previous = canonicalHash;
  return outcomes.map(({ occurredAt }, i) => {
    const content = outcomeInputs(canonicalHash)[i]!;
    const made = buildDeliveryManifest(
      { ...content, occurredAt: occurredAt ?? accepted(1000 * (i + 1)), previous },
      sha256,
    );
    previous = made.canonicalHash;
    return made;
  });
}

async function renewedAt(
  authority: Authority,
  evidence: StoredEvidence,
  times: readonly Date[],
  by: Issued = authority.signer,
): Promise<StoredEvidence> {
  const renewals: StoredRenewal[] = [];
  for (const at of times) {
    const sums = renewalSums(assemble({ ...evidence, renewals }), renewals.length + 1);
    renewals.push({ ...(await authority.stamp(renewalImprint(sums), { by, at, hash: 'sha512' })), sums });
  }
  return { ...evidence, renewals };
}

export async function lineCases(authority: Authority): Promise<LineCases> {
  const cases: LineCases = new Map();
  await history(cases, authority);
  await order(cases, authority);
  await times(cases, authority);
  await cosignatures(cases, authority);
  await counts(cases, authority);
  await windows(cases, authority);
  await warnings(cases, authority);
  await revocations(cases, authority);
  return cases;
}

type Add = (name: string, why: string, story: Story, now?: Date) => Promise<void>;

/** Adds what a story tells, as it is. */
const adder =
  (cases: LineCases, authority: Authority): Add =>
  async (name, why, story, now) => {
    const bundle = assemble(await tell(authority, story));
    cases.set(name, { why, bundle, ...(now && { now }) });
  };

async function history(cases: LineCases, authority: Authority): Promise<void> {
  const add = adder(cases, authority);
  await add('broken/history-fork', 'two trees of 13 leaves with two roots', {
    outcomes: [{ ...inOwnTree, fork: ' of a fork' }],
  });
  await add('broken/history-other-tree', 'a tree of 21 leaves that does not begin with that of 13', {
    outcomes: [{ ...later, fork: ' of a fork' }],
  });
  const three = await tell(authority, {
    outcomes: [later, { index: 34, size: 40, stampedAt: null }],
  });
  const sound = assemble(three);
  cases.set('good/history', { why: 'an outcome in each of two later trees', bundle: sound });
  const broken = (name: string, why: string, text: string | undefined) =>
    cases.set(`broken/history-${name}`, { why, bundle: change(sound, 'history.txt', text) });
  const text = three.history!;
  const [first, second] = text.split('\n\n') as [string, string];
  broken('reversed', 'the proofs in the other order', `${second}\n\n${first}\n\n`);
  broken('short', 'no proof from 21 leaves to 40', `${first}\n\n`);
  broken('hash-more', 'a hash too many', `${first}\n${first.split('\n')[1]}\n\n${second}\n\n`);
  broken('no-end', 'no empty line at the end', text.slice(0, -1));
  broken('bytes-behind', 'a line behind the last proof', `${text}x\n`);
  const alone = assemble(await tell(authority));
  cases.set('broken/history-of-one', {
    why: 'a history, and one tree',
    bundle: change(alone, 'history.txt', text),
  });
  cases.set('good/history-not-shown', {
    why: 'made before there was a history.txt: valid, and not shown to be one log',
    bundle: change(sound, 'history.txt', undefined),
  });
}

async function order(cases: LineCases, authority: Authority): Promise<void> {
  const add = adder(cases, authority);
  await add('broken/order-outcome-first', 'the outcome is in the log before the message', {
    outcomes: [{ ...inOwnTree, index: 3 }],
  });
  await add('broken/order-outcomes', 'the second outcome is in the log before the first', {
    outcomes: [
      { ...inOwnTree, index: 8 },
      { ...inOwnTree, index: 7 },
    ],
  });
  const {
    outcomesNote: _,
    history: __,
    ...same
  } = await tell(authority, {
    outcomes: [{ index: 5, size: 21 }],
  });
  cases.set('broken/order-same-leaf', {
    why: "the outcome at the message's own index, of a tree that nothing shows to be the same log",
    bundle: assemble(same),
  });
}

async function times(cases: LineCases, authority: Authority): Promise<void> {
  const add = adder(cases, authority);
  const broken = (name: string, why: string, story: Story, now?: Date) =>
    add(`broken/times-${name}`, why, story, now);
  await broken('accepted-after-seal', 'accepted more than 5 minutes after it was sealed', {
    sealedAt: accepted(-5 * MINUTE - 89),
  });
  await add('good/times-accepted-after-seal', 'accepted 5 minutes after it was sealed', {
    acceptedAt: sealed(5 * MINUTE),
  });
  await broken('accepted-after-own-stamp', 'accepted more than 5 minutes after its own time-stamp', {
    ownStampAt: accepted(-5 * MINUTE - 89),
  });
  await broken('accepted-after-outcome-stamp', 'accepted more than 5 minutes after an outcome was stamped', {
    outcomes: [{ ...later, occurredAt: accepted(-4 * MINUTE), stampedAt: accepted(-6 * MINUTE - 89) }],
  });
  await broken('occurred-before-acceptance', 'an outcome more than 5 minutes before the acceptance', {
    outcomes: [{ ...inOwnTree, occurredAt: accepted(-5 * MINUTE - 1) }],
  });
  await add('good/times-occurred-before-acceptance', 'an outcome 5 minutes before the acceptance', {
    outcomes: [{ ...inOwnTree, occurredAt: accepted(-5 * MINUTE) }],
  });
  await broken('occurred-after-own-stamp', 'an outcome more than 5 minutes after its time-stamp', {
    outcomes: [{ ...later, occurredAt: sealed(5 * MINUTE + 1) }],
  });
  await broken('occurred-after-seal', 'an outcome in the tree of the message, after that was sealed', {
    outcomes: [{ ...inOwnTree, occurredAt: sealed(5 * MINUTE + 1) }],
  });
  await broken('occurred-after-later-stamp', 'an outcome after the time-stamp over a later tree with it', {
    outcomes: [
      { ...later, stampedAt: null, occurredAt: sealed(5 * MINUTE + 1) },
      { index: 34, size: 40, occurredAt: sealed(5 * MINUTE) },
    ],
  });
  await broken('occurred-after-count', 'an outcome more than 5 minutes after it was counted', {
    outcomes: [{ ...later, stampedAt: null, occurredAt: counted(5 * MINUTE + 1) }],
  });
  await broken('sealed-after-count', 'sealed more than 5 minutes after the outcomes were counted', {
    countedAt: sealed(-5 * MINUTE - 1000),
  });
  await add('good/times-sealed-after-count', 'sealed 5 minutes after the outcomes were counted', {
    countedAt: sealed(-5 * MINUTE),
  });
  await broken('renewed-before-seal', 'renewed more than 5 minutes before it was sealed', {
    renewedAt: [sealed(-5 * MINUTE - 1000)],
  });
  await broken('renewals-reversed', 'the second renewal more than 5 minutes before the first', {
    renewedAt: [sealed(10 * MINUTE), sealed(5 * MINUTE - 1000)],
  });
  await add('good/times-renewed-at-once', 'the second renewal 5 minutes before the first', {
    renewedAt: [sealed(10 * MINUTE), sealed(5 * MINUTE)],
  });
  await future(broken);
}

async function future(broken: Add): Promise<void> {
  const now = sealed(HOUR);
  const tooFar = new Date(now.getTime() + DAY + 1000);
  await broken(
    'future-seal',
    'sealed more than 24 hours from now',
    { cosignedAt: sealed(-MINUTE).getTime() / 1000, countedAt: sealed(-MINUTE) },
    sealed(-DAY - 1000),
  );
  await broken(
    'future-own-stamp',
    'its own time-stamp more than 24 hours from now',
    { ownStampAt: tooFar },
    now,
  );
  await broken(
    'future-outcome',
    'an outcome more than 24 hours from now',
    {
      outcomes: [{ ...later, stampedAt: null, occurredAt: tooFar }],
      countedAt: new Date(now.getTime() + DAY),
    },
    now,
  );
  await broken(
    'future-outcome-stamp',
    'the time-stamp of an outcome more than 24 hours from now',
    { outcomes: [{ ...later, stampedAt: tooFar }] },
    now,
  );
  await broken('future-renewal', 'renewed more than 24 hours from now', { renewedAt: [tooFar] }, now);
  await broken('future-count', 'counted more than 24 hours from now', { countedAt: tooFar }, now);
}

async function cosignatures(cases: LineCases, authority: Authority): Promise<void> {
  const add = adder(cases, authority);
  const early = Math.floor(accepted(-5 * MINUTE).getTime() / 1000);
  const now = sealed(HOUR);
  const far = now.getTime() / 1000 + 24 * 3600;
  const broken = (name: string, why: string, story: Story) => add(`broken/witness-${name}`, why, story, now);
  await broken('time-zero', 'cosigned in 1970: not counted', { cosignedAt: 0 });
  await broken('too-early', 'cosigned more than 5 minutes before the acceptance: not counted', {
    cosignedAt: early,
  });
  await add('good/witness-early', 'cosigned 5 minutes before the acceptance', { cosignedAt: early + 1 }, now);
  await broken('too-late', 'cosigned more than 24 hours from now: not counted', { cosignedAt: far + 1 });
  await broken('of-outcome-too-late', 'the tree of an outcome cosigned more than 24 hours from now', {
    outcomes: [{ ...later, cosignedAt: far + 1 }],
  });
}

async function counts(cases: LineCases, authority: Authority): Promise<void> {
  const two = await tell(authority, { outcomes: [later, { index: 34, size: 40, stampedAt: null }] });
  const [first, second] = two.deliveries as [StoredDelivery, StoredDelivery];
  const message = sha256(two.manifest);
  const hashes = [message, sha256(first.manifest), sha256(second.manifest)] as const;
  const one = await tell(authority, { outcomes: [later] });
  const none = await tell(authority);
  const noted = (name: string, why: string, outcomesNote: string, of: StoredEvidence = none) =>
    cases.set(`broken/outcomes-${name}`, { why, bundle: assemble({ ...of, outcomesNote }) });
  noted('dropped', 'two outcomes were counted, one is here', two.outcomesNote!, one);
  noted('all-dropped', 'two outcomes were counted, none is here', two.outcomesNote!);
  noted('uncounted', 'no outcome was counted, one is here', none.outcomesNote!, one);
  noted('others', 'as many were counted, and others', countOf([message, sha256(utf8('x'))]), one);
  noted('other-message', 'the count of another message', countOf([sha256(utf8('x'))]));
  const stranger: Signer = { ...signerFor('the same name, another key'), name: ORIGIN };
  const by = (signer: Signer) => signOutcomes(ORIGIN, [message], COUNTED_AT.getTime() / 1000, signer, sha256);
  noted('other-key', "signed with another key of the log's name", by(stranger));
  noted('other-log', 'signed by another log, to which nothing leads', by(signerFor('other.example/log')));
  const text = checkpointText({
    origin: outcomesOrigin(ORIGIN, toHex(message)),
    size: 1,
    rootHash: outcomesRoot([message], sha256),
  });
  const noteOf = (of: string) =>
    formatNote({ text: of, signatures: [cosign(of, COUNTED_AT.getTime() / 1000, logSigner, sha256)] });
  noted(
    'note-signed',
    'signed as a checkpoint is, which states no time',
    formatNote({ text, signatures: [signNote(text, logSigner, sha256)] }),
  );
  noted('more-lines', 'a fourth line', noteOf(`${text}x\n`));
  noted('nothing-counted', 'a tree of no leaves', noteOf(text.replace('\n1\n', '\n0\n')));
  const lastSecond = 253_402_300_799;
  noted(
    'no-time',
    'counted in the year 10000',
    formatNote({ text, signatures: [cosign(text, lastSecond + 1, logSigner, sha256)] }),
  );
  const other = cosign(text, COUNTED_AT.getTime() / 1000, logSigner, sha256);
  other.signature[7]! ^= 1;
  noted('other-time', 'another time under the signature', formatNote({ text, signatures: [other] }));
  withheldCases(cases, { one, two, none }, hashes);
  endedCases(cases, none, message);
  const { outcomesNote: _, ...uncounted } = one;
  cases.set('good/outcomes-not-counted', {
    why: 'made before outcomes were counted: valid, and not shown to be whole',
    bundle: assemble(uncounted),
  });
}

function withheldCases(
  cases: LineCases,
  { one, two, none }: Record<'one' | 'two' | 'none', StoredEvidence>,
  [, first, second]: readonly Uint8Array[],
): void {
  const with_ = (of: StoredEvidence, ...withheld: Uint8Array[]): StoredEvidence => ({
    ...of,
    outcomesNote: two.outcomesNote!,
    openings: { ...of.openings, withheld: withheld.map(toHex) },
  });
  const add = (name: string, why: string, evidence: StoredEvidence) =>
    cases.set(name, { why, bundle: assemble(evidence) });
  add('good/outcomes-withheld', 'one of two outcomes withheld', with_(one, second!));
  add('good/outcomes-all-withheld', 'both outcomes withheld', with_(none, first!, second!));
  add('broken/outcomes-withheld-reversed', 'both withheld, in the other order', with_(none, second!, first!));
  add('broken/outcomes-withheld-other', 'another hash than that of the outcome', with_(one, first!));
  const { outcomesNote: _, ...uncounted } = with_(one, second!);
  add('broken/outcomes-withheld-uncounted', 'an outcome withheld, and no count', uncounted);
  const says = (name: string, why: string, of: StoredEvidence, ...withheld: Uint8Array[]) =>
    cases.set(`broken/openings-withheld-${name}`, {
      why,
      bundle: changeJson(
        assemble({ ...of, outcomesNote: two.outcomesNote! }),
        'openings.json',
        (openings) => {
          openings['withheld'] = withheld.map(toHex);
        },
      ),
    });
  says('none', 'a list of no outcomes withheld', one);
  const { raw: message, submission } = letterInput();
  const complete = { ...one, openings: sealLetter().openings, message, submission };
  says('complete', 'an outcome withheld from what is said to be complete', complete, second!);
}

function endedCases(cases: LineCases, none: StoredEvidence, message: Uint8Array): void {
  const successor = signerFor(SUCCESSOR);
  const endOf = (origin: Signer, size = 13) =>
    signLogEnd(
      {
        origin: origin.name,
        kept: { size, rootHash: Buffer.from(none.proof.checkpointNote.split('\n')[2]!, 'base64') },
        published: { size: size + 7, rootHash: sha256(utf8('published')) },
        endedAt: sealed(HOUR),
        successor: verifierKey(successor.name, successor.publicKey, sha256),
        reason: 'the database was restored',
      },
      [origin, successor],
      sha256,
    );
  const outcomesNote = signOutcomes(ORIGIN, [message], sealed(2 * HOUR).getTime() / 1000, successor, sha256);
  const ended = assemble({ ...none, outcomesNote, logEnd: endOf(logSigner) });
  cases.set('good/outcomes-of-ended-log', { why: 'counted by the log that goes on', bundle: ended });
  cases.set('broken/outcomes-end-of-another', {
    why: 'counted by a log that follows another one',
    bundle: change(ended, 'log-end.note', endOf(signerFor('other.example/log'))),
  });
  cases.set('broken/log-end-before', {
    why: 'a tree of 13 leaves, of a log that had published 12 when it ended',
    bundle: change(ended, 'log-end.note', endOf(logSigner, 5)),
  });
  cases.set('broken/outcomes-end-changed', {
    why: 'the end of the log with another reason',
    bundle: replaceText(ended, 'log-end.note', 'restored', 'removed'),
  });
}

async function windows(cases: LineCases, authority: Authority): Promise<void> {
  const add = adder(cases, authority);
  const time = (at: Date) => at.toISOString();
  const until = (at: Date): Partial<TrustPolicy> => ({ logKeys: [{ ...logKey, until: time(at) }] });
  const from = (at: Date): Partial<TrustPolicy> => ({ logKeys: [{ ...logKey, from: time(at) }] });
  const broken = (name: string, why: string, story: Story) => add(`broken/window-${name}`, why, story);
  await broken('log-ended', "the log's key was trusted until the checkpoint was stamped", {
    policy: until(SEALED_AT),
  });
  await broken('log-not-yet', "the log's key is trusted from after the checkpoint was stamped", {
    policy: from(sealed(1)),
  });
  await broken('count-later', "the log's key was trusted until the outcomes were counted", {
    policy: until(COUNTED_AT),
  });
  const outcomes = [{ ...later, stampedAt: sealed(MINUTE) }];
  await broken('outcome-later', "the log's key was trusted until an outcome was stamped", {
    outcomes,
    policy: until(sealed(MINUTE)),
  });
  await broken('outcome-unstamped', "the log's key was trusted, and nothing stamps the outcome", {
    outcomes: [{ ...later, stampedAt: null }],
    policy: until(counted(HOUR)),
  });
  await broken('witness-ended', 'the witness was trusted until the checkpoint was stamped', {
    policy: { witnessKeys: [{ ...witnessKey, until: time(SEALED_AT) }] },
  });
  const authorityUntil = (at: Date) => ({
    timeStamps: [{ ...authority.policy, until: time(at) }],
  });
  await broken('authority-ended', 'the authority was trusted until it stamped', {
    policy: authorityUntil(SEALED_AT),
  });
  await broken('authority-ended-later', 'the authority was trusted until it stamped an outcome', {
    outcomes,
    policy: authorityUntil(sealed(MINUTE)),
  });
  await add('good/windows', 'all are trusted from the moment of the time-stamp, until just after', {
    policy: {
      logKeys: [{ ...logKey, from: time(SEALED_AT), until: time(counted(1)) }],
      witnessKeys: [{ ...witnessKey, from: time(SEALED_AT), until: time(sealed(1)) }],
      timeStamps: [{ ...authority.policy, from: time(SEALED_AT), until: time(sealed(1)) }],
    },
  });
  const { bundle: windows } = cases.get('good/windows')!;
  cases.set('broken/two-window-and-stamp', {
    why: 'a byte after the time-stamp, which lets no window be looked at',
    bundle: change(windows, 'constancia.tsr', concat(windows.get('constancia.tsr')!, Uint8Array.of(0))),
  });
  const plain = assemble(await tell(authority));
  const changed = (name: string, why: string, alter: Parameters<typeof changeJson>[2]) =>
    cases.set(name, { why, bundle: changeJson(plain, 'policy.json', alter) });
  changed('good/policy-keys-alone', 'keys as texts, the form of older bundles', (policy) => {
    policy['log_keys'] = [formatVerifierKey(logKey)];
    policy['witness_keys'] = [formatVerifierKey(witnessKey)];
  });
  changed('broken/window-empty', 'trusted until the moment from which it is trusted', (policy) => {
    const [from_, until_] = [time(SEALED_AT), time(SEALED_AT)];
    policy['log_keys'] = [{ key: formatVerifierKey(logKey), from: from_, until: until_ }];
  });
  changed('broken/window-no-time', 'trusted until the 31st of February', (policy) => {
    policy['log_keys'] = [{ key: formatVerifierKey(logKey), until: '2027-02-31T00:00:00.000Z' }];
  });
  ownWitnesses(cases, plain, authority);
}

function ownWitnesses(cases: LineCases, plain: Bundle, authority: Authority): void {
  const add = (name: string, why: string, by: string, signer: Signer) => {
    const key = verifierKey(by, signer.publicKey, sha256, COSIGNATURE_V1);
    const policy = policyOf(authority, { witnessKeys: [witnessKey, key] });
    cases.set(`broken/witness-${name}`, {
      why,
      bundle: change(plain, 'policy.json', formatTrustPolicy(policy)),
    });
  };
  add('own-key', "a witness with the log's own key", 'elsewhere.example/w', logSigner);
  add('own-host', 'a witness on the host of the log', 'log.example/w', witnessSignerOf('own host'));
  add(
    'own-port',
    'a witness on the host of the log, with a port',
    'LOG.example:8443/w',
    witnessSignerOf('own port'),
  );
}

const witnessSignerOf = (name: string): Signer => ({ ...signerFor(name), name: witnessSigner.name });

async function warnings(cases: LineCases, authority: Authority): Promise<void> {
  const add = adder(cases, authority);
  await add('good/warns-clock', 'sealed 6 minutes from now', {}, sealed(-6 * MINUTE));
  await add(
    'good/warns-not-clock',
    'sealed 5 minutes from now',
    { countedAt: SEALED_AT },
    sealed(-5 * MINUTE),
  );
  await add('good/warns-sealed-late', 'sealed more than 24 hours after it was accepted', {
    acceptedAt: sealed(-DAY - 1),
    cosignedAt: SEALED_AT.getTime() / 1000,
  });
  await add('good/warns-occurred-order', 'an outcome more than 5 minutes after one recorded later', {
    outcomes: [
      { ...later, stampedAt: sealed(HOUR / 2), occurredAt: sealed(6 * MINUTE) },
      { index: 34, size: 40, stampedAt: sealed(HOUR / 2), occurredAt: sealed(0) },
    ],
  });
  await add('good/warns-unstamped', 'an outcome without a time-stamp of its own', { outcomes: [inOwnTree] });
  await add('good/warns-old-count', 'counted more than 30 days ago', {}, counted(30 * DAY + 1));
  await add('good/warns-not-old-count', 'counted 30 days ago', {}, counted(30 * DAY));
}

/** The signer is revoked on 1 July 2026; its successor works since 1 June. */
async function revocations(cases: LineCases, authority: Authority): Promise<void> {
  const revokedAt = new Date('2026-07-01T00:00:00Z');
  const before = new Date(revokedAt.getTime() - 1000);
  const add = (name: string, why: string, story: Story) =>
    adder(cases, authority)(name, why, { countedAt: revokedAt, ...story }, revokedAt);
  const by = authority.nextSigner;
  const { keyCompromise, superseded } = REASON;
  for (const kind of ['crl', 'ocsp'] as const) {
    const said = (of: Parameters<typeof saidOf>[2]): Story => ({
      revocation: { [`a.${kind}`]: saidOf(authority, kind, of) },
    });
    const later = { at: revokedAt, reason: superseded };
    const stolen = said({ at: revokedAt, reason: keyCompromise });
    await add(`broken/revoked-when-sealed-${kind}`, 'superseded at the moment of the time-stamp', {
      ...said({ ...later, at: SEALED_AT }),
    });
    await add(`good/revoked-later-${kind}`, 'superseded a second after the time-stamp', {
      ...said({ ...later, at: sealed(1000) }),
    });
    await add(`broken/revoked-invalid-before-${kind}`, 'superseded later, and invalid since before', {
      ...said({ ...later, invalidSince: sealed(-1000) }),
    });
    await add(`broken/revoked-stolen-later-${kind}`, 'the key compromised after the time-stamp', stolen);
    await add(`broken/revoked-no-reason-${kind}`, 'revoked after the time-stamp, for no reason stated', {
      ...said({ at: revokedAt }),
    });
    await add(`good/warns-revoked-renewed-${kind}`, 'the key compromised after a renewal by another', {
      ...stolen,
      renewedAt: [before],
      renewedBy: by,
    });
    await add(`broken/revoked-renewed-too-late-${kind}`, 'renewed at the moment of the compromise', {
      ...stolen,
      renewedAt: [revokedAt],
      renewedBy: by,
    });
    await add(`broken/revoked-renewed-by-itself-${kind}`, 'renewed before the compromise, by the same', {
      ...stolen,
      renewedAt: [before],
    });
  }
  const list = (change: Parameters<typeof saidOf>[3]): Record<string, Uint8Array> => ({
    'a.crl': saidOf(authority, 'crl', null, change),
  });
  const strange = (of: Issued) => [
    {
      serialNumber: readCertificate(of.der).serialNumber,
      at: revokedAt,
      reason: superseded,
      extensions: [unknownExtension(true)],
    },
  ];
  const required = { timeStamps: [{ ...authority.policy, revocation: 'required' as const }] };
  const stolen = { 'a.crl': saidOf(authority, 'crl', { at: revokedAt, reason: keyCompromise }) };
  await add('broken/revoked-entry-unknown', 'superseded later, and a critical extension that nobody knows', {
    revocation: list({ revoked: strange(authority.signer) }),
  });
  await add('broken/revoked-nobody-good', 'asked for, and not said by a list with such an extension', {
    revocation: list({ revoked: strange(by) }),
    policy: required,
  });
  await add('good/revoked-nobody-good', 'not said by a list with such an extension, and not asked for', {
    revocation: list({ revoked: strange(by) }),
  });
  await add('good/warns-revoked-required', 'asked for, and renewed by another before the compromise', {
    revocation: { ...stolen, 'b.crl': saidOf(authority, 'crl', null) },
    renewedAt: [before],
    renewedBy: by,
    policy: required,
  });
  await add('broken/revoked-own-stamp', "the message's own time-stamp, which no renewal covers", {
    revocation: stolen,
    ownStampAt: SEALED_AT,
    renewedAt: [before],
    renewedBy: by,
  });
  await add('broken/revoked-same-key', 'renewed before the compromise, with the same key', {
    revocation: stolen,
    renewedAt: [before],
    renewedBy: authority.forger().future,
  });
  await add('broken/revocation-delta', 'a list of changes alone', {
    revocation: list({ extensions: [deltaOf(true)] }),
  });
  await add('broken/revocation-unknown', 'a list with a critical extension that nobody knows', {
    revocation: list({ extensions: [unknownExtension(true)] }),
  });
}
