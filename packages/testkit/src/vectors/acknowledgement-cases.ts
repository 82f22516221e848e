/** The recipient's own act: a message that asks for it, what may come of it, and what no verifier may take. */
import { assembleBundle, type StoredEvidence } from '@acuse/evidence/assemble';
import { type Bundle, withSums } from '@acuse/evidence/bundle';
import { fromHex, toHex, utf8 } from '@acuse/evidence/bytes';
import { commit } from '@acuse/evidence/commitment';
import { buildDeliveryManifest, type DeliveryInput } from '@acuse/evidence/delivery';
import { type Json, jcsBytes } from '@acuse/evidence/jcs';
import { formatTlogProof } from '@acuse/evidence/tlog-proof';
import { type Authority, READ_AT, sha256 } from './authority.ts';
import { countOf, type Entries, historyOf, prove, sealedEvidence } from './bundles.ts';
import { HOUR, type LineCases, MINUTE } from './line-cases.ts';
import { outcomeInputs } from './messages.ts';
import { changeJson } from './tamper.ts';

const NO_SERVER = { ip: null, mx: null, reply: null, reported_by_mail: null, tls: null };
const ACT = {
  code_sent_at: '2026-03-04T08:00:00.000Z',
  ip: '203.0.113.7',
  language: 'es',
  name: 'Luis Pérez',
  reason: null,
  sentence: 'Recibí este mensaje. Mi acuse dice que lo recibí, no que esté de acuerdo con él.',
} as const;
const UNTIL = new Date('2026-03-05T00:00:00.000Z');
const after = (ms: number) => new Date(UNTIL.getTime() + ms);

/** `stampedAt`: by a constancia of its own. `until`: null where the message asks for nothing. */
type Content = Pick<DeliveryInput, 'kind' | 'source' | 'occurredAt' | 'facts'> & {
  dsn?: Uint8Array;
  stampedAt?: Date;
  until?: Date | null;
};
type Fields = Record<string, Json>;
/** Changes before anything is hashed: the leaf is in the log as it stands. */
interface Forgery {
  manifest?(fields: Fields): void;
  facts?(fields: Fields): void;
}

const page = (kind: 'acknowledged' | 'refused', reason: string | null = null): Content => ({
  kind,
  source: 'recipient_page',
  occurredAt: new Date('2026-03-04T08:01:30.000Z'),
  facts: { ...NO_SERVER, acknowledgement: { ...ACT, reason } },
});
const UNANSWERED: Content = {
  kind: 'unanswered',
  source: 'operator',
  occurredAt: UNTIL,
  facts: NO_SERVER,
};
const MAILED: Content = {
  kind: 'displayed',
  source: 'reported_by_mail',
  occurredAt: new Date('2026-03-04T08:01:30.000Z'),
  facts: outcomeInputs(new Uint8Array(32))[1]!.facts,
  dsn: utf8('From: Luis <luis@receiver.example>\r\nSubject: Recibido\r\n\r\nRecibido.\r\n'),
};
const MAIL_KEY = {
  algorithm: 'rsa-sha256',
  domain: 'receiver.example',
  public_key: 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A',
  selector: 's1',
} as const;

/** Sent, and one outcome more. */
export async function evidenceOf(
  authority: Authority,
  { stampedAt, until = UNTIL, ...last }: Content,
  forgery: Forgery = {},
): Promise<StoredEvidence> {
  const sealed = await sealedEvidence(authority, { acknowledgeUntil: until ?? undefined });
  const hash = sha256(sealed.manifest);
  const sentInput = { ...outcomeInputs(hash)[0]!, previous: hash };
  const sent = buildDeliveryManifest(sentInput, sha256);
  const { log, messageId } = sentInput;
  const input = {
    ...{ log, messageId, messageCanonicalHash: hash, previous: sent.canonicalHash, attempt: 1 },
    ...{ transcript: null, dsn: null, secret: sha256(utf8('secret of the act')), ...last },
  };
  const act = forged(buildDeliveryManifest(input, sha256), forgery);
  const others: Entries = new Map([
    [5, hash],
    [20, sent.canonicalHash],
    [34, act.canonicalHash],
  ]);
  const { proof, text } = prove(act.canonicalHash, 34, 40, { others });
  return {
    ...sealed,
    deliveries: [
      {
        manifest: sent.manifestBytes,
        proof: prove(sent.canonicalHash, 20, 21, { others }).proof,
        openings: sent.openings,
        transcript: sentInput.transcript!,
        dsn: sentInput.dsn!,
      },
      {
        manifest: act.manifestBytes,
        proof,
        openings: act.openings,
        ...(last.dsn && { dsn: last.dsn }),
        ...(stampedAt && { constancia: await authority.stamp(sha256(utf8(text)), { at: stampedAt }) }),
      },
    ],
    history: historyOf(others, [13, 21, 40]),
    outcomesNote: countOf([hash, sent.canonicalHash, act.canonicalHash], READ_AT),
  };
}

function forged(made: ReturnType<typeof buildDeliveryManifest>, { manifest, facts }: Forgery): typeof made {
  const read = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString('utf8'));
  const fields = read(made.manifestBytes);
  const openings = read(made.openings);
  facts?.(openings.facts.value);
  manifest?.(fields);
  const opened = sha256(jcsBytes(openings.facts.value));
  fields.facts = toHex(commit(fromHex(openings.facts.salt, 32)!, opened, sha256));
  const manifestBytes = jcsBytes(fields);
  const canonicalHash = sha256(manifestBytes);
  openings.canonical_hash = toHex(canonicalHash);
  return { manifestBytes, canonicalHash, openings: jcsBytes(openings) };
}

/** Assembling refuses what is forged: its leaf goes into a sound bundle, with all that proves it. */
function inPlace(sound: Bundle, forged: StoredEvidence): Bundle {
  const base = [...sound.keys()].find((name) => /^delivery\/02-[a-z]+\.json$/.test(name))!.slice(0, -5);
  const [sent, act] = forged.deliveries!;
  const entries = new Map(sound)
    .set(`${base}.json`, act!.manifest)
    .set(`${base}.openings.json`, act!.openings!)
    .set(`${base}.tlog-proof`, utf8(formatTlogProof(act!.proof)))
    .set('delivery/01-sent.tlog-proof', utf8(formatTlogProof(sent!.proof)))
    .set('history.txt', utf8(forged.history!))
    .set('outcomes.note', utf8(forged.outcomesNote!));
  if (act!.dsn !== undefined) entries.set(`${base}.dsn.eml`, act!.dsn);
  return withSums(entries, sha256);
}

export async function acknowledgementCases(authority: Authority): Promise<LineCases> {
  const cases: LineCases = new Map();
  async function add(name: string, why: string, last: Content, forgery?: Forgery): Promise<void> {
    const sound = assembleBundle(await evidenceOf(authority, last), sha256);
    const bundle = forgery === undefined ? sound : inPlace(sound, await evidenceOf(authority, last, forgery));
    cases.set(name, { why, bundle, now: READ_AT });
  }
  const act = (alter: (fields: Fields) => void): Forgery => ({
    facts: (facts: Fields) => alter(facts['acknowledgement'] as Fields),
  });
  await add('good/acknowledged', 'acknowledged on the page', page('acknowledged'));
  await add('good/acknowledgement-refused', 'refused, with a reason', page('refused', 'No es para mí'));
  await add('good/unanswered', 'nobody answered in time', UNANSWERED);
  await add('broken/act-missing', 'an acknowledgement without the act', page('acknowledged'), {
    facts: (facts) => delete facts['acknowledgement'],
  });
  await add('broken/act-null', 'an act that is null', UNANSWERED, {
    facts: (facts) => {
      facts['acknowledgement'] = null;
    },
  });
  await add('broken/act-of-operator', 'an act in what the operator decided', UNANSWERED, {
    facts: (facts) => {
      facts['acknowledgement'] = { ...ACT };
    },
  });
  await add('broken/act-source', 'an acknowledgement that the operator states', page('acknowledged'), {
    manifest: (fields) => {
      fields['source'] = 'operator';
    },
    facts: (facts) => delete facts['acknowledgement'],
  });
  await add(
    'broken/act-more',
    'a field that no act has',
    page('acknowledged'),
    act((fields) => {
      fields['email'] = 'luis@receiver.example';
    }),
  );
  await add(
    'broken/act-language',
    'in a language that the page does not speak',
    page('acknowledged'),
    act((fields) => {
      fields['language'] = 'fr';
    }),
  );
  await add(
    'broken/act-time',
    'a code sent on a day that no calendar has',
    page('acknowledged'),
    act((fields) => {
      fields['code_sent_at'] = '2026-02-30T08:00:00.000Z';
    }),
  );
  await add('broken/act-reply', 'the answer of a server in an act of the recipient', page('acknowledged'), {
    facts: (facts) => {
      facts['reply'] = { code: 250, enhanced: null, text: null };
    },
  });
  for (const [folder, count] of [
    ['good', 8],
    ['broken', 9],
  ] as const)
    await add(`${folder}/limit-mail-domains`, `a mail with signatures of ${count} domains`, MAILED, {
      facts: (facts) => {
        const mail = facts['reported_by_mail'] as Record<string, Fields>;
        mail['dkim']!['domains'] = Array.from({ length: count }, (_, i) => `d${i}.example`);
      },
    });
  const report = (name: string, why: string, field: string, value: Json | ((of: Fields) => Json)) =>
    add(`broken/facts-${name}`, why, MAILED, {
      facts: (facts) => {
        const mail = facts['reported_by_mail'] as Fields;
        mail[field] = typeof value === 'function' ? value(mail[field] as Fields) : value;
      },
    });
  await report('result', 'a result of DKIM that is none', 'dkim', (dkim) => ({ ...dkim, result: 'good' }));
  await report('spf', 'a result of SPF that is null', 'spf', (spf) => ({ ...spf, result: null }));
  await report('domains', 'a domain that is a number', 'dkim', (dkim) => ({ ...dkim, domains: [7] }));
  await report('vouched', 'vouched for by nothing that does', 'vouched_by', 'arc');
  await report('from', 'a reverse-path that is null', 'mail_from', null);
  await report('peer', 'a host without an address', 'peer', (peer) => ({ ...peer, ip: null }));
  await report('claim', 'a claim that is a list', 'claims', (claims) => ({ ...claims, remote_mta: [] }));
  await report('reply', 'a claimed code that is a text', 'claims', (claims) => ({
    ...claims,
    reply: { code: '550', enhanced: null, text: null },
  }));
  const whole = cases.get('good/acknowledged')!.bundle;
  const byMail = await evidenceOf(authority, MAILED, {
    manifest: (fields) => {
      fields['kind'] = 'acknowledged';
    },
    facts: (facts) => {
      facts['acknowledgement'] = { dkim: MAIL_KEY };
    },
  });
  cases.set('broken/act-by-mail', {
    why: 'an acknowledgement by a mail that nobody signed',
    bundle: inPlace(whole, byMail),
    now: READ_AT,
  });
  cases.set('broken/acknowledgement-until', {
    why: 'asked until another day than the manifest said',
    bundle: changeJson(whole, 'manifest.json', (manifest) => {
      manifest['acknowledgement'] = { until: '2026-03-06T00:00:00.000Z' };
    }),
    now: READ_AT,
  });
  cases.set('broken/acknowledgement-fields', {
    why: 'asked for more than an acknowledgement',
    bundle: changeJson(whole, 'manifest.json', (manifest) => {
      manifest['acknowledgement'] = { until: '2026-03-05T00:00:00.000Z', accept: true };
    }),
    now: READ_AT,
  });
  return cases;
}

/** Cases after the time to answer has ended. */
export async function unansweredCases(authority: Authority): Promise<LineCases> {
  const cases: LineCases = new Map();
  const add = async (name: string, why: string, change: Partial<Content>) =>
    cases.set(name, {
      why,
      bundle: assembleBundle(await evidenceOf(authority, { ...UNANSWERED, ...change }), sha256),
      now: READ_AT,
    });
  await add('good/unanswered-later', 'nobody had answered an hour after the time was over', {
    occurredAt: after(HOUR),
    stampedAt: after(HOUR),
  });
  await add('good/unanswered-clocks', 'stamped by a clock that is 5 minutes behind', {
    stampedAt: after(-5 * MINUTE),
  });
  await add('broken/unanswered-early', 'said to be unanswered a millisecond too early', {
    occurredAt: after(-1),
  });
  await add('broken/unanswered-stamped-early', 'stamped while the recipient had time to answer', {
    stampedAt: after(-5 * MINUTE - 1000),
  });
  await add('broken/unanswered-not-asked', 'unanswered, and nothing was asked', { until: null });
  return cases;
}
