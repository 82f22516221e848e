/** For each limit of the format on what a bundle holds: one that just keeps it, and one that does not. */
import { type Bundle, withSums } from '@acuse/evidence/bundle';
import { inBundleOrder } from '@acuse/evidence/bundle-entries';
import { toHex, utf8 } from '@acuse/evidence/bytes';
import { cosign } from '@acuse/evidence/cosignature';
import type { Json } from '@acuse/evidence/jcs';
import { formatNote, formatSignatureLine, parseNote, type Signer, signNote } from '@acuse/evidence/note';
import { signOutcomes } from '@acuse/evidence/outcomes-note';
import { renewalImprint, renewalSums } from '@acuse/evidence/renewal';
import { COSIGNATURE_V1, formatVerifierKey, verifierKey } from '@acuse/evidence/verifier-key';
import {
  type Authority,
  COUNTED_AT,
  logKey,
  logSigner,
  ORIGIN,
  SEALED_AT,
  sha256,
  signerFor,
} from './authority.ts';
import { countOf, policyOf } from './bundles.ts';
import { type LineCases, later, SUCCESSOR, tell } from './line-cases.ts';
import { sealedAs } from './sealed-as.ts';
import { assemble, change, changeJson, flipLast, textOf } from './tamper.ts';

type Add = (name: string, why: string, bundle: Bundle) => void;

export async function limitCases(authority: Authority): Promise<LineCases> {
  const cases: LineCases = new Map();
  const add: Add = (name, why, bundle) => cases.set(name, { why, bundle });
  await renewals(add, authority);
  await outcomes(add, authority);
  await policies(add, authority);
  await notes(add, authority);
  await counters(add, authority);
  await manifests(add, authority);
  await tokens(add, authority);
  entries(add, assemble(await tell(authority)));
  return cases;
}

const hashes = (count: number) => Array.from({ length: count }, (_, i) => sha256(utf8(`outcome ${i}`)));

async function renewals(add: Add, authority: Authority): Promise<void> {
  const evidence = await tell(authority);
  let bundle = assemble(evidence);
  for (let n = 1; n <= 33; n++) {
    const sums = renewalSums(bundle, n);
    const name = String(n).padStart(2, '0');
    const token = authority.token(renewalImprint(sums), {
      at: new Date(SEALED_AT.getTime() + n * 1000),
      hash: 'sha512',
    });
    const chain = bundle.get('chain/constancia.pem')!;
    const entries = new Map([
      ...bundle,
      [`renewal/${name}.sums`, utf8(sums)],
      [`renewal/${name}.tsr`, token],
    ] as [string, Uint8Array][]);
    entries.set(`chain/renewal-${name}.pem`, chain);
    bundle = withSums(entries, sha256);
    if (n === 32) add('good/limit-renewals', '32 renewals', bundle);
    if (n === 33) add('broken/limit-renewals', '33 renewals', bundle);
  }
}

async function outcomes(add: Add, authority: Authority): Promise<void> {
  const none = await tell(authority);
  const message = sha256(none.manifest);
  const withheld = (count: number) =>
    changeJson(
      assemble({ ...none, outcomesNote: countOf([message, ...hashes(count)]) }),
      'openings.json',
      (openings) => {
        openings['withheld'] = hashes(count).map(toHex);
      },
    );
  add('good/limit-withheld', '32 outcomes withheld', withheld(32));
  add('broken/limit-withheld', '33 outcomes withheld', withheld(33));
  const one = await tell(authority, { outcomes: [later] });
  const first = sha256(one.deliveries![0]!.manifest);
  add(
    'broken/limit-withheld-and-shown',
    'one outcome shown, and 32 withheld',
    changeJson(
      assemble({ ...one, outcomesNote: countOf([message, first, ...hashes(32)]) }),
      'openings.json',
      (openings) => {
        openings['withheld'] = hashes(32).map(toHex);
      },
    ),
  );
}

async function policies(add: Add, authority: Authority): Promise<void> {
  const plain = assemble(await tell(authority));
  const changed = (name: string, why: string, alter: Parameters<typeof changeJson>[2]) =>
    add(name, why, changeJson(plain, 'policy.json', alter));
  const keys = (count: number) => [
    { key: formatVerifierKey(logKey) },
    ...Array.from({ length: count - 1 }, (_, i) => {
      const { publicKey } = signerFor(`log ${i}`);
      return { key: formatVerifierKey(verifierKey(ORIGIN, publicKey, sha256)) };
    }),
  ];
  const witnesses = (count: number) =>
    Array.from({ length: count }, (_, i) => {
      const { publicKey } = signerFor(`witness ${i}`);
      return { key: formatVerifierKey(verifierKey(`w${i}.example/w`, publicKey, sha256, COSIGNATURE_V1)) };
    });
  for (const [folder, more] of [
    ['good', 0],
    ['broken', 1],
  ] as const) {
    changed(`${folder}/limit-log-keys`, `${16 + more} keys of logs`, (policy) => {
      policy['log_keys'] = keys(16 + more);
    });
    changed(`${folder}/limit-witness-keys`, `${16 + more} witnesses`, (policy) => {
      policy['witness_keys'] = [...(policy['witness_keys'] as []), ...witnesses(15 + more)];
    });
    changed(`${folder}/limit-authorities`, `${16 + more} authorities`, (policy) => {
      const [own] = policy['time_stamps'] as object[];
      policy['time_stamps'] = Array.from({ length: 16 + more }, () => own) as never;
    });
    const authorityOf = (name: string, why: string, field: string, value: unknown) =>
      changed(`${folder}/limit-authority-${name}`, why, (policy) => {
        const [own] = policy['time_stamps'] as Record<string, unknown>[];
        policy['time_stamps'] = [{ ...own, [field]: value }] as never;
      });
    const own = authority.policy;
    authorityOf(
      'roots',
      `an authority with ${32 + more} roots`,
      'roots',
      Array.from({ length: 32 + more }, () => own.roots[0]),
    );
    authorityOf('policies', `an authority with ${32 + more} policies`, 'policies', [
      ...own.policies!,
      ...Array.from({ length: 31 + more }, (_, i) => `2.25.${i}`),
    ]);
    authorityOf(
      'usages',
      `an authority with ${32 + more} key usages`,
      'leafEku',
      Array.from({ length: 32 + more }, (_, i) => `2.25.${i}`),
    );
    authorityOf(
      'name',
      `an authority with a name of ${200 + more} characters`,
      'name',
      'x'.repeat(200 + more),
    );
    authorityOf(
      'name-of-pairs',
      `an authority with a name of ${200 + more} characters outside the BMP`,
      'name',
      '\u{1F600}'.repeat(200 + more),
    );
  }
  changed('broken/limit-authority-roots-none', 'an authority without a root', (policy) => {
    const [own] = policy['time_stamps'] as Record<string, unknown>[];
    policy['time_stamps'] = [{ ...own, roots: [] }] as never;
  });
  changed('broken/limit-authority-name-none', 'an authority without a name', (policy) => {
    const [own] = policy['time_stamps'] as Record<string, unknown>[];
    policy['time_stamps'] = [{ ...own, name: '' }] as never;
  });
}

async function notes(add: Add, authority: Authority): Promise<void> {
  const plain = assemble(await tell(authority));
  const proof = textOf(plain, 'proof.tlog-proof');
  const { signatures } = parseNote(utf8(proof.slice(proof.indexOf('\n\n') + 2)));
  const lines = (count: number, name: string) =>
    Array.from({ length: count }, (_, i) => {
      const signature = new Uint8Array(68).fill(i);
      return formatSignatureLine({ name, keyId: Uint8Array.of(9, 9, 9, i), signature });
    }).join('');
  const with_ = (more: string) => change(plain, 'proof.tlog-proof', proof + more);
  add(
    'good/limit-signatures',
    '100 signatures under a checkpoint',
    with_(lines(100 - signatures.length, 'x.example')),
  );
  add(
    'broken/limit-signatures',
    '101 signatures under a checkpoint',
    with_(lines(101 - signatures.length, 'x.example')),
  );
  add('good/limit-key-name', 'a signature by a name of 255 bytes', with_(lines(1, `${'é'.repeat(127)}x`)));
  add('broken/limit-key-name', 'a signature by a name of 256 bytes', with_(lines(1, 'é'.repeat(128))));
}

async function counters(add: Add, authority: Authority): Promise<void> {
  const none = await tell(authority);
  const message = sha256(none.manifest);
  const at = COUNTED_AT.getTime() / 1000;
  const next: Signer = { ...signerFor('the next key of the log'), name: ORIGIN };
  const nextKey = verifierKey(ORIGIN, next.publicKey, sha256);
  const iso = (ms: number) => new Date(COUNTED_AT.getTime() + ms).toISOString();
  const counted = (name: string, why: string, logKeys: object[], outcomesNote = none.outcomesNote!) =>
    add(
      name,
      why,
      assemble({ ...none, outcomesNote, policy: policyOf(authority, { logKeys: logKeys as never }) }),
    );
  counted('good/window-count-second', 'a key listed for two times, counted in the second', [
    { ...logKey, until: iso(0) },
    { ...logKey, from: iso(0) },
  ]);
  counted('broken/window-count-between', 'a key listed for two times, counted between them', [
    { ...logKey, until: iso(0) },
    { ...logKey, from: iso(1) },
  ]);
  const { text, signatures } = parseNote(utf8(none.outcomesNote!));
  const byNext = cosign(text, at, next, sha256);
  const both = formatNote({ text, signatures: [...signatures, byNext] });
  counted(
    'good/window-count-next-key',
    'counted with two keys of the log, of which the second is trusted then',
    [
      { ...logKey, until: iso(0) },
      { ...nextKey, from: iso(0) },
    ],
    both,
  );
  const wrong = formatNote({
    text,
    signatures: [...signatures, { ...byNext, signature: flipLast(byNext.signature) }],
  });
  counted(
    'broken/outcomes-second-key-wrong',
    'counted with two keys of the log, and the last bit by the second is another',
    [logKey, nextKey],
    wrong,
  );
  const other = formatNote({ text, signatures: [...signatures, cosign(text, at - 60, next, sha256)] });
  counted(
    'good/outcomes-two-times',
    'counted with two keys of the log, at two times: the first that is listed counts',
    [logKey, nextKey],
    other,
  );
  const successor = signerFor(SUCCESSOR);
  const tree = (size: number, root: string) => `${size} ${root}`;
  const root = none.proof.checkpointNote.split('\n')[2]!;
  const ended = (reason: string) => {
    const lines = [
      'acuse/log-end/v1',
      ORIGIN,
      tree(13, root),
      tree(20, root),
      new Date(SEALED_AT.getTime() + 60_000).toISOString(),
      formatVerifierKey(verifierKey(SUCCESSOR, successor.publicKey, sha256)),
      reason,
    ];
    const end = `${lines.join('\n')}\n`;
    const logEnd = formatNote({
      text: end,
      signatures: [logSigner, successor].map((signer) => signNote(end, signer, sha256)),
    });
    const outcomesNote = signOutcomes(ORIGIN, [message], at, successor, sha256);
    return assemble({ ...none, outcomesNote, logEnd });
  };
  add('good/limit-end-reason', 'the end of a log with a reason of 1000 characters', ended('x'.repeat(1000)));
  add(
    'broken/limit-end-reason',
    'the end of a log with a reason of 1001 characters',
    ended('x'.repeat(1001)),
  );
  add(
    'good/limit-end-reason-of-pairs',
    'a reason of 1000 characters outside the BMP',
    ended('\u{1F600}'.repeat(1000)),
  );
  add(
    'broken/limit-end-reason-of-pairs',
    'a reason of 1001 characters outside the BMP',
    ended('\u{1F600}'.repeat(1001)),
  );
  add('broken/limit-end-reason-none', 'the end of a log without a reason', ended(''));
}

async function manifests(add: Add, authority: Authority): Promise<void> {
  const hex = toHex(new Uint8Array(32));
  const key = { algorithm: 'rsa-sha256', domain: 'd.example', public_key: 'AAAA', selector: 's' };
  const of = async (
    name: string,
    limit: number,
    what: string,
    alter: (n: number) => Record<string, Json> | Json[],
    where: 'dkim' | 'mail' | '',
  ) => {
    for (const [folder, n] of [
      ['good', limit],
      ['broken', limit + 1],
    ] as const)
      add(
        `${folder}/limit-${name}`,
        `${what}: ${n}`,
        await sealedAs(authority, (manifest) => {
          const value = alter(n);
          if (where === 'dkim') manifest['dkim'] = value as Json[];
          else if (where === 'mail') manifest['mail'] = { ...(manifest['mail'] as object), ...value } as Json;
          else Object.assign(manifest, value);
        }),
      );
  };
  await of('dkim-keys', 8, 'keys that sign the message', (n) => Array.from({ length: n }, () => key), 'dkim');
  await of('dkim-domain', 253, 'characters of a domain', (n) => [{ ...key, domain: 'd'.repeat(n) }], 'dkim');
  await of(
    'dkim-selector',
    253,
    'characters of a selector',
    (n) => [{ ...key, selector: 's'.repeat(n) }],
    'dkim',
  );
  await of(
    'sequence',
    20,
    'digits of the number of a message',
    (n) => ({ tenant_sequence: '1'.repeat(n) }),
    '',
  );
  await of(
    'parts',
    128,
    'parts of a message',
    (n) => ({ parts: Array.from({ length: n }, () => hex) }),
    'mail',
  );
  const keyOf = (n: number) => [{ ...key, public_key: 'A'.repeat(n) }];
  add(
    'good/limit-dkim-key',
    'a key of 2048 characters',
    await sealedAs(authority, (m) => {
      m['dkim'] = keyOf(2048);
    }),
  );
  add(
    'broken/limit-dkim-key',
    'a key of 2052 characters',
    await sealedAs(authority, (m) => {
      m['dkim'] = keyOf(2052);
    }),
  );
  add(
    'broken/limit-dkim-domain-none',
    'a domain of no characters',
    await sealedAs(authority, (m) => {
      m['dkim'] = [{ ...key, domain: '' }];
    }),
  );
  add(
    'broken/limit-sequence-zeros',
    'a number with a zero before it',
    await sealedAs(authority, (m) => {
      m['tenant_sequence'] = '017';
    }),
  );
}

async function tokens(add: Add, authority: Authority): Promise<void> {
  const plain = assemble(await tell(authority));
  const imprint = sha256(plain.get('checkpoint.txt')!);
  const carrying = (count: number) =>
    change(
      plain,
      'constancia.tsr',
      authority.token(imprint, {
        tamper: (plan) => ({
          ...plan,
          certificates: [
            authority.signer.der,
            ...Array.from({ length: count - 1 }, () => authority.nextSigner.der),
          ],
        }),
      }),
    );
  add('good/limit-certificates', 'a token that carries 16 certificates', carrying(16));
  add('broken/limit-certificates', 'a token that carries 17 certificates', carrying(17));
  const listed = (count: number) => {
    const sums = renewalSums(plain, 1);
    const list = [...hashes(count - 1).map((hash) => toHex(hash).repeat(2)), toHex(renewalImprint(sums))]
      .sort()
      .map((line) => `${line}\n`)
      .join('');
    const entries = new Map(plain)
      .set('renewal/01.sums', utf8(sums))
      .set('renewal/01.list', utf8(list))
      .set(
        'renewal/01.tsr',
        authority.token(renewalImprint(list), { at: new Date(SEALED_AT.getTime() + 1000), hash: 'sha512' }),
      )
      .set('chain/renewal-01.pem', plain.get('chain/constancia.pem')!);
    return withSums(entries, sha256);
  };
  add('good/limit-list', 'a list of 512 batches', listed(512));
  add('broken/limit-list', 'a list of 513 batches', listed(513));
}

/** Entries that have a byte too many; of those with the most, one is enough. */
function entries(add: Add, plain: Bundle): void {
  const KIB = 1024;
  for (const [name, limit] of [
    ['VERIFY.md', 256 * KIB],
    ['manifest.json', 64 * KIB],
    ['openings.json', 256 * KIB],
    ['proof.tlog-proof', 320 * KIB],
    ['checkpoint.txt', 64 * KIB],
    ['history.txt', 128 * KIB],
    ['outcomes.note', 64 * KIB],
    ['log-end.note', 64 * KIB],
    ['constancia.tsr', 256 * KIB],
    ['message-constancia.tsr', 256 * KIB],
    ['chain/constancia.pem', 256 * KIB],
    ['renewal/01.sums', 64 * KIB],
    ['renewal/01.list', 96 * KIB],
    ['renewal/01.tsr', 256 * KIB],
    ['delivery/01-sent.json', 64 * KIB],
    ['delivery/01-sent.openings.json', 64 * KIB],
    ['delivery/01-sent.tlog-proof', 320 * KIB],
    ['delivery/01-sent.tsr', 256 * KIB],
    ['issued/constancia.bin', 2048 * KIB],
    ['policy.json', 512 * KIB],
  ] as const) {
    const content = new Uint8Array(limit + 1).fill(0x20);
    content.set((plain.get(name) ?? new Uint8Array()).subarray(0, limit));
    const entries = new Map(plain).set(name, content);
    const sums = [...withSumsOf(entries)];
    add(
      `broken/limit-size-${name.replace(/[^A-Za-z0-9]+/g, '-')}`,
      `${name} with a byte more than ${limit}`,
      new Map(sums),
    );
  }
  const lists = Array.from(
    { length: 513 - plain.size },
    (_, i) => [`revocation/l-${i}.crl`, new Uint8Array(1)] as const,
  );
  add('broken/limit-entries', '513 entries', new Map(withSumsOf(new Map([...plain, ...lists]))));
}

/** Made by hand, because nobody writes a bundle that breaks its rules. */
function withSumsOf(given: Bundle): Bundle {
  const rest = new Map(given);
  rest.delete('SHA256SUMS');
  const names = inBundleOrder(rest.keys());
  const sums = names.map((name) => `${toHex(sha256(rest.get(name)!))}  ${name}\n`).join('');
  return new Map([...names.map((name) => [name, rest.get(name)!] as const), ['SHA256SUMS', utf8(sums)]]);
}
