/**
 * Forgeries of somebody who knows the format and holds the keys of the log, a witness or an authority: more
 * than one part is another, and all of it is signed, stamped and summed anew.
 */
import type { StoredEvidence } from '@acuse/evidence/assemble';
import type { Bundle } from '@acuse/evidence/bundle';
import { concat, type Sha256, toHex, utf8 } from '@acuse/evidence/bytes';
import type { Json } from '@acuse/evidence/jcs';
import { formatNote, formatSignatureLine, type Signer, signNote } from '@acuse/evidence/note';
import { signOutcomes } from '@acuse/evidence/outcomes-note';
import { formatTlogProof } from '@acuse/evidence/tlog-proof';
import { COSIGNATURE_V1, ED25519, verifierKey } from '@acuse/evidence/verifier-key';
import {
  type Authority,
  COUNTED_AT,
  logSigner,
  ORIGIN,
  SEALED_AT,
  sha256,
  signerFor,
  witnessSigner,
} from './authority.ts';
import { accepted, HOUR, type LineCases, later, MINUTE, SUCCESSOR, sealed, tell } from './line-cases.ts';
import { endOf, sealedAs } from './sealed-as.ts';
import { assemble, change, changeJson, replaceText, textOf } from './tamper.ts';

export async function forgerCases(authority: Authority): Promise<LineCases> {
  const cases: LineCases = new Map();
  await texts(cases, authority);
  await counts(cases, authority);
  await dates(cases, authority);
  await ends(cases, authority);
  await witnesses(cases, authority);
  await exchanged(cases, authority);
  return cases;
}

/** The checkpoint in another form, signed, cosigned and stamped by who wrote it. */
async function texts(cases: LineCases, authority: Authority): Promise<void> {
  const evidence = await tell(authority);
  const sound = evidence.proof.checkpointNote.split('\n\n')[0]!.concat('\n');
  const time = SEALED_AT.getTime() / 1000;
  const noted = (text: string) =>
    `${text}\n${signedLine(text, logSigner)}${signedLine(text, witnessSigner, time)}`;
  const written = async (name: string, why: string, text: string) => {
    const proof = { ...evidence.proof, checkpointNote: noted(text) };
    const constancia = await authority.stamp(sha256(utf8(text)));
    const whole = assemble(evidence);
    const proved = change(whole, 'proof.tlog-proof', utf8(formatTlogProof(proof)));
    cases.set(name, {
      why,
      bundle: change(change(proved, 'checkpoint.txt', text), 'constancia.tsr', constancia.token),
    });
  };
  const root = sound.split('\n')[2]!;
  const strays = `${root.slice(0, -2)}${next(root.at(-2)!)}=`;
  await written(
    'broken/note-root-stray-bits',
    'a root with stray bits in its base64',
    sound.replace(root, strays),
  );
  await written(
    'broken/note-size-zero-before',
    'a size with a zero before it',
    sound.replace('\n13\n', '\n013\n'),
  );
  await written('broken/note-size-plus', 'a size with a plus', sound.replace('\n13\n', '\n+13\n'));
  await written('broken/note-tab', 'an extension line with a tab', `${sound}a\tb\n`);
  await written('good/note-delete', 'an extension line with U+007F', `${sound}a\u007fb\n`);
  await written('good/note-c1', 'an extension line with U+0085', `${sound}a\u0085b\n`);
  await written('broken/note-return', 'an extension line that ends in a carriage return', `${sound}ab\r\n`);
  await written('good/note-line-separator', 'an extension line with U+2028', `${sound}a\u2028b\n`);
  await written(
    'broken/note-no-break-space',
    'an origin with a space',
    sound.replace(ORIGIN, `${ORIGIN}\u00a0`),
  );
}

/** A line under a note, whatever its text is: as signNote, or with a time as cosign. */
function signedLine(text: string, { name, publicKey, sign }: Signer, time?: number): string {
  const type = time === undefined ? ED25519 : COSIGNATURE_V1;
  const { keyId } = verifierKey(name, publicKey, sha256, type);
  if (time === undefined) return formatSignatureLine({ name, keyId, signature: sign(utf8(text)) });
  const stated = Buffer.alloc(8);
  stated.writeBigUInt64BE(BigInt(time));
  const signature = concat(stated, sign(utf8(`cosignature/v1\ntime ${time}\n${text}`)));
  return formatSignatureLine({ name, keyId, signature });
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** The same but for the lowest bit, which stands for nothing. */
const next = (character: string) => ALPHABET[ALPHABET.indexOf(character) ^ 1]!;

async function counts(cases: LineCases, authority: Authority): Promise<void> {
  const one = await tell(authority, { outcomes: [later] });
  const message = sha256(one.manifest);
  const whole = assemble(one);
  const add = (name: string, why: string, bundle: Bundle) => cases.set(name, { why, bundle });
  const root = one.outcomesNote!.split('\n')[2]!;
  const text = one.outcomesNote!.split('\n\n')[0]!.concat('\n');
  const noted = (of: string) => `${of}\n${signedLine(of, logSigner, COUNTED_AT.getTime() / 1000)}`;
  const strays = `${root.slice(0, -2)}${next(root.at(-2)!)}=`;
  add(
    'broken/outcomes-stray-bits',
    'a count whose root has stray bits',
    change(whole, 'outcomes.note', noted(text.replace(root, strays))),
  );
  add(
    'broken/outcomes-zero-before',
    'a count with a zero before it',
    change(whole, 'outcomes.note', noted(text.replace('\n2\n', '\n02\n'))),
  );
  const upper = text.replace(toHex(message), toHex(message).toUpperCase());
  add(
    'broken/outcomes-upper-case',
    'the count of a message in capitals',
    change(whole, 'outcomes.note', noted(upper)),
  );
}

/** Times that do not exist, sealed as they stand. */
async function dates(cases: LineCases, authority: Authority): Promise<void> {
  const add = async (name: string, why: string, accepted_at: string) =>
    cases.set(`broken/manifest-${name}`, {
      why,
      bundle: await sealedAs(authority, (manifest) => {
        manifest['accepted_at'] = accepted_at;
      }),
    });
  await add('time-24', 'accepted at 24:00', '2026-03-03T24:00:00.000Z');
  await add('time-60', 'accepted in a second 60', '2026-03-04T05:05:60.000Z');
  await add('time-february', 'accepted on 29 February of a year that has none', '2026-02-29T05:05:00.000Z');
  await add('time-lower', 'accepted at a time in small letters', '2026-03-04t05:05:00.000z');
  await add('time-offset', 'accepted at a time of another zone', '2026-03-04T05:05:00.000+00:00');
  await add('time-year-0', 'accepted in the year 0', '0000-03-04T05:05:00.000Z');
  await add('time-arabic', 'accepted at a time in other digits', '2026-03-04T05:05:0\u0660.000Z');
  await add('time-line', 'accepted at a time with a line end', '2026-03-04T05:05:00.000Z\n');
  await add('time-years', 'accepted in a year of six digits', '+002026-03-04T05:05:00.000Z');
}

async function ends(cases: LineCases, authority: Authority): Promise<void> {
  const one = await tell(authority, { outcomes: [{ index: 7, size: 13 }] });
  const hashes = [sha256(one.manifest), sha256(one.deliveries![0]!.manifest)] as const;
  const successor = signerFor(SUCCESSOR);
  const ended = (endedAt: Date) => endOf(one, { endedAt, named: successor });
  const at = sealed(2 * HOUR).getTime() / 1000;
  const outcomesNote = signOutcomes(ORIGIN, hashes, at, successor, sha256);
  const add = (name: string, why: string, evidence: StoredEvidence) =>
    cases.set(`broken/log-end-${name}`, { why, bundle: assemble(evidence) });
  const of = (endedAt: Date) => ({ ...one, outcomesNote, logEnd: ended(endedAt) });
  add(
    'accepted-after',
    'accepted more than 5 minutes after the log had ended',
    of(accepted(-5 * MINUTE - 1)),
  );
  add(
    'occurred-after',
    'an outcome more than 5 minutes after the log had ended',
    of(accepted(1000 - 5 * MINUTE - 1)),
  );
  add('in-the-future', 'a log that ends more than 24 hours from now', of(new Date('2026-03-08T00:00:00Z')));
  const text = ended(sealed(HOUR));
  const bundle = assemble({ ...one, outcomesNote, logEnd: text });
  const resigned = (body: string) =>
    formatNote({ text: body, signatures: [logSigner, successor].map((by) => signNote(body, by, sha256)) });
  const body = text.split('\n\n')[0]!.concat('\n');
  const kept = body.split('\n')[2]!;
  cases.set('broken/log-end-stray-bits', {
    why: 'the end of a log with stray bits in a root',
    bundle: change(
      bundle,
      'log-end.note',
      resigned(body.replace(kept, `${kept.slice(0, -2)}${next(kept.at(-2)!)}=`)),
    ),
  });
  cases.set('broken/log-end-line-more', {
    why: 'the end of a log with a line more',
    bundle: change(bundle, 'log-end.note', resigned(`${body}more\n`)),
  });
  cases.set('broken/log-end-other-time', {
    why: 'the end of a log at a time without milliseconds',
    bundle: change(bundle, 'log-end.note', resigned(body.replace(/\.000Z/, 'Z'))),
  });
}

async function witnesses(cases: LineCases, authority: Authority): Promise<void> {
  const evidence = await tell(authority);
  const other = signerFor('another witness');
  const names: [string, string, string][] = [
    ['nbsp', 'U+00A0', 'w\u00a0.example/w'],
    ['ideographic-space', 'U+3000', 'w\u3000.example/w'],
    ['next-line', 'U+0085', 'w\u0085.example/w'],
    ['separator', 'U+001C', 'w\u001c.example/w'],
    ['line-separator', 'U+2028', 'w\u2028.example/w'],
    ['thin-space', 'U+2009', 'w\u2009.example/w'],
    ['ogham-space', 'U+1680', 'w\u1680.example/w'],
    ['delete', 'U+007F', 'w\u007f.example/w'],
  ];
  const plain = assemble(evidence);
  const listed = (folder: string, name: string, code: string, of: string) =>
    cases.set(`${folder}/policy-name-${name}`, {
      why: `a name of a key with ${code}`,
      bundle: changeJson(plain, 'policy.json', (policy) => {
        policy['witness_keys'] = [
          ...(policy['witness_keys'] as Json[]),
          { key: rawKey(of, other.publicKey, sha256) },
        ];
      }),
    });
  for (const [name, code, of] of names) listed('broken', name, code, of);
  listed('good', 'zero-width', 'U+200B, which is no white space', 'w\u200b.example/w');
  listed('good', 'bom', 'U+FEFF, which is no white space', 'w\ufeff.example/w');
  listed('good', 'mongolian', 'U+180E, which is no white space', 'w\u180e.example/w');
}

/** As verifierKey and formatVerifierKey, of any name. */
function rawKey(name: string, publicKey: Uint8Array, hash: Sha256): string {
  const id = hash(Buffer.concat([utf8(name), Uint8Array.of(0x0a, 4), publicKey])).subarray(0, 4);
  return `${name}+${toHex(id)}+${Buffer.from([4, ...publicKey]).toString('base64')}`;
}

/** Notes that the log signed as something else. */
async function exchanged(cases: LineCases, authority: Authority): Promise<void> {
  const plain = assemble(await tell(authority));
  cases.set('broken/checkpoint-of-count', {
    why: 'the count of outcomes in place of the checkpoint',
    bundle: replaceText(
      plain,
      'proof.tlog-proof',
      /log\.example\/acuse\n.*$/s,
      textOf(plain, 'outcomes.note'),
    ),
  });
  cases.set('broken/outcomes-of-log', {
    why: 'the checkpoint in place of the count of outcomes',
    bundle: change(plain, 'outcomes.note', textOf(plain, 'proof.tlog-proof').replace(/^.*?\n\n/s, '')),
  });
}
