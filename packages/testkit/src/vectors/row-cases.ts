/**
 * More of line-cases.ts: rules that no case there breaks. packages/evidence/test/smallest-bundles.txt lists the
 * bundle for each rule.
 */
import type { StoredEvidence } from '@acuse/evidence/assemble';
import { toHex } from '@acuse/evidence/bytes';
import type { Signer } from '@acuse/evidence/note';
import { signOutcomes } from '@acuse/evidence/outcomes-note';
import { formatTrustPolicy, type TrustPolicy } from '@acuse/evidence/policy';
import { COSIGNATURE_V1, verifierKey } from '@acuse/evidence/verifier-key';
import { EKU, type Issued, makeCertificate } from '@acuse/tsa/certificates';
import { makeOcspAnswer } from '@acuse/tsa/revocation';
import {
  type Authority,
  logKey,
  logSigner,
  ORIGIN,
  SEALED_AT,
  sha256,
  signerFor,
  witnessKey,
} from './authority.ts';
import { policyOf } from './bundles.ts';
import {
  accepted,
  counted,
  DAY,
  HOUR,
  type LineCases,
  later,
  MINUTE,
  type Story,
  SUCCESSOR,
  sealed,
  tell,
} from './line-cases.ts';
import { saidOf } from './revocation-cases.ts';
import { endOf } from './sealed-as.ts';
import { assemble, change, changeJson } from './tamper.ts';

type Add = (name: string, why: string, story: Story, now?: Date) => Promise<void>;

export async function rowCases(authority: Authority): Promise<LineCases> {
  const cases: LineCases = new Map();
  const add: Add = async (name, why, story, now) => {
    cases.set(name, { why, bundle: assemble(await tell(authority, story)), ...(now && { now }) });
  };
  await history(add);
  await clocks(add);
  await windows(add, authority);
  await ownWitnesses(cases, authority);
  await ends(cases, authority);
  await reasons(add, authority);
  await responders(add, authority);
  return cases;
}

async function history(add: Add): Promise<void> {
  await add('broken/history-fork-of-outcomes', 'two outcomes in two trees of 21 leaves', {
    outcomes: [
      { ...later, index: 19 },
      { ...later, stampedAt: null, fork: ' of a fork' },
    ],
  });
}

/** Each time by itself ahead of the reader's clock: by more than 24 hours, and by more than 5 minutes. */
async function clocks(add: Add): Promise<void> {
  await add(
    'broken/times-future-accepted',
    'accepted more than 24 hours from now',
    { cosignedAt: sealed(0).getTime() / 1000 - 1, countedAt: SEALED_AT, acceptedAt: sealed(MINUTE) },
    sealed(-DAY),
  );
  const now = sealed(HOUR);
  const ahead = new Date(now.getTime() + 5 * MINUTE + 1000);
  const said = (name: string, why: string, story: Story, at = now) =>
    add(`good/warns-clock-${name}`, `${why} more than 5 minutes from now`, story, at);
  await said(
    'accepted',
    'accepted',
    { acceptedAt: sealed(MINUTE), countedAt: SEALED_AT },
    sealed(MINUTE - 5 * MINUTE - 1),
  );
  await said('own-stamp', 'its own time-stamp', { ownStampAt: ahead });
  await said('outcome', 'an outcome', {
    outcomes: [{ ...later, stampedAt: null, occurredAt: ahead }],
    countedAt: ahead,
  });
  await said('outcome-stamp', 'the time-stamp of an outcome', { outcomes: [{ ...later, stampedAt: ahead }] });
  await said('renewal', 'renewed', { renewedAt: [ahead] });
  await said('count', 'counted', { countedAt: ahead });
  await said('cosigned', 'cosigned', { cosignedAt: ahead.getTime() / 1000 });
}

async function windows(add: Add, authority: Authority): Promise<void> {
  const time = (at: Date) => at.toISOString();
  const broken = (name: string, why: string, story: Story) => add(`broken/window-${name}`, why, story);
  await broken('witness-not-yet', 'the witness is trusted from after the checkpoint was stamped', {
    policy: { witnessKeys: [{ ...witnessKey, from: time(sealed(1)) }] },
  });
  await broken('witness-of-outcome', 'the witness was trusted until an outcome was stamped', {
    outcomes: [{ ...later, stampedAt: sealed(MINUTE) }],
    policy: { witnessKeys: [{ ...witnessKey, until: time(sealed(MINUTE)) }] },
  });
  const authorityOf = (window: object): Partial<TrustPolicy> => ({
    timeStamps: [{ ...authority.policy, ...window }],
  });
  await broken('authority-not-yet', 'the authority is trusted from after it stamped', {
    policy: authorityOf({ from: time(sealed(1)) }),
  });
  await broken('authority-of-own-stamp', "the authority was trusted until the message's own time-stamp", {
    ownStampAt: sealed(MINUTE),
    policy: authorityOf({ until: time(sealed(MINUTE)) }),
  });
  await broken('authority-of-renewal', 'the authority was trusted until it renewed', {
    renewedAt: [sealed(MINUTE)],
    policy: authorityOf({ until: time(sealed(MINUTE)) }),
  });
  await broken('count-not-yet', "the log's key is trusted from after the outcomes were counted", {
    countedAt: sealed(MINUTE),
    policy: {
      logKeys: [
        { ...logKey, until: time(sealed(1)) },
        { ...logKey, from: time(sealed(2 * MINUTE)) },
      ],
    },
  });
}

/** By another spelling of its host, and as another log of the policy. */
async function ownWitnesses(cases: LineCases, authority: Authority): Promise<void> {
  const plain = assemble(await tell(authority));
  const add = (name: string, why: string, by: string, signer: Signer, logKeys = [logKey]) => {
    const key = verifierKey(by, signer.publicKey, sha256, COSIGNATURE_V1);
    const policy = formatTrustPolicy(policyOf(authority, { logKeys, witnessKeys: [witnessKey, key] }));
    cases.set(`broken/witness-own-${name}`, { why, bundle: change(plain, 'policy.json', policy) });
  };
  const other = signerFor('other.example/log');
  const both = [logKey, verifierKey(other.name, other.publicKey, sha256)];
  add('dot', 'a witness on the host of the log, with a dot', 'log.example./w', signerFor('dot'));
  add('other-key', 'a witness with the key of another log', 'else.example/w', other, both);
  add('other-host', 'a witness on the host of another log', 'other.example/w', signerFor('w'), both);
}

async function ends(cases: LineCases, authority: Authority): Promise<void> {
  const none = await tell(authority);
  const message = sha256(none.manifest);
  const successor = signerFor(SUCCESSOR);
  const ended = (by: [Signer, Signer] = [logSigner, successor]) =>
    endOf(none, { endedAt: sealed(HOUR), named: successor, by });
  const at = sealed(2 * HOUR).getTime() / 1000;
  const outcomesNote = signOutcomes(ORIGIN, [message], at, successor, sha256);
  const add = (name: string, why: string, change: Partial<StoredEvidence>) =>
    cases.set(name, { why, bundle: assemble({ ...none, outcomesNote, logEnd: ended(), ...change }) });
  const stranger = { ...signerFor('the same name, another key'), name: ORIGIN };
  add('broken/outcomes-end-forged', 'the end of the log by another key of its name', {
    logEnd: ended([stranger, successor]),
  });
  add('broken/outcomes-end-window', "the log's key was trusted until the log ended", {
    policy: policyOf(authority, { logKeys: [{ ...logKey, until: sealed(HOUR).toISOString() }] }),
  });
  const whole = assemble({ ...none, outcomesNote, logEnd: ended() });
  const text = ended();
  cases.set('broken/outcomes-end-one-signature', {
    why: 'the end of the log, which the one that goes on did not sign',
    bundle: change(whole, 'log-end.note', `${text.trimEnd().split('\n').slice(0, -1).join('\n')}\n`),
  });
  cases.set('broken/outcomes-end-alone', {
    why: 'the end of the log, and no count',
    bundle: change(whole, 'outcomes.note', undefined),
  });
  cases.set('broken/openings-withheld-erased', {
    why: 'an outcome withheld from what was erased',
    bundle: changeJson(assemble(none), 'openings.json', (openings) => {
      openings['content'] = 'erased';
      openings['withheld'] = [toHex(sha256(message))];
    }),
  });
}

const GOOD_BEFORE = [0, 3, 5];
const DOUBTED = [2, 6, 8, 9, 10, 11];

/** The reasons that line-cases.ts has none of. The signer is revoked on 1 July 2026, after it stamped. */
async function reasons(add: Add, authority: Authority): Promise<void> {
  const at = new Date('2026-07-01T00:00:00Z');
  for (const kind of ['crl', 'ocsp'] as const)
    for (const reason of [...GOOD_BEFORE, ...DOUBTED]) {
      const isGood = GOOD_BEFORE.includes(reason);
      const story = {
        countedAt: at,
        revocation: { [`a.${kind}`]: saidOf(authority, kind, { at, reason }) },
      };
      const name = `${isGood ? 'good' : 'broken'}/revoked-reason-${reason}-${kind}`;
      await add(name, `revoked after the time-stamp, for reason ${reason}`, story, at);
    }
}

/** Responders that may answer for the authority. RFC 6960 §4.2.2.2 */
async function responders(add: Add, authority: Authority): Promise<void> {
  const { root, signer, stranger, strangerRoot } = authority;
  const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9';
  const responderOf = (change: object): Issued =>
    makeCertificate({
      subject: { name: { commonName: 'Vector responder' }, key: stranger.key },
      issuer: root,
      serialNumber: Uint8Array.of(0x52, 1),
      notBefore: new Date('2026-01-01T00:00:00Z'),
      notAfter: new Date('2036-01-01T00:00:00Z'),
      authority: { ca: false },
      keyUsage: ['digitalSignature'],
      extKeyUsage: { critical: false, oids: [OCSP_SIGNING] },
      ...change,
    });
  const said = (responder: Issued) => ({
    policy: { timeStamps: [{ ...authority.policy, revocation: 'required' as const }] },
    countedAt: counted(0),
    revocation: {
      'a.ocsp': makeOcspAnswer({
        issuer: root,
        certificate: signer.der,
        status: 'good',
        producedAt: accepted(DAY),
        thisUpdate: accepted(DAY),
        nextUpdate: null,
        responder,
      }),
    },
  });
  const tell_ = (name: string, why: string, change: object) => add(name, why, said(responderOf(change)));
  await tell_('good/revocation-responder', 'asked for, and said by a responder of the authority', {});
  await tell_('broken/revocation-responder-usage', 'said by who may not answer for the authority', {
    extKeyUsage: { critical: false, oids: [EKU.timeStamping] },
  });
  await tell_('broken/revocation-responder-ended', 'said by a responder that had ended', {
    notAfter: accepted(0),
  });
  await tell_('broken/revocation-responder-stranger', 'said by a responder of another authority', {
    issuer: strangerRoot,
  });
}
