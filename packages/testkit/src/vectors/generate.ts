/**
 * The test vectors of contract/vectors, all of them, made again: the same keys and inputs give the same bytes
 * each time.
 */
import type { Bundle } from '@acuse/evidence/bundle';
import { bundleToJson, withSums } from '@acuse/evidence/bundle';
import { inBundleOrder } from '@acuse/evidence/bundle-entries';
import { decodeUtf8, utf8 } from '@acuse/evidence/bytes';
import { formatTrustPolicy, type TrustPolicy } from '@acuse/evidence/policy';
import { verifierKey } from '@acuse/evidence/verifier-key';
import { verifyBundle } from '@acuse/evidence/verify';
import { writeZip } from '@acuse/evidence/zip';
import { zipSync } from 'fflate';
import { acknowledgementCases, unansweredCases } from './acknowledgement-cases.ts';
import {
  type Authority,
  ORIGIN,
  READ_AT,
  sha256,
  signerFor,
  type VectorKeys,
  vectorAuthority,
} from './authority.ts';
import { brokenBundles } from './broken.ts';
import { brokenZips } from './broken-zip.ts';
import { goodBundles, laterBundles, openedBundle, policyOf } from './bundles.ts';
import { chainCases } from './chain-cases.ts';
import { settingsVectors } from './client-settings.ts';
import { cmsCases } from './cms-cases.ts';
import { decisionVectors } from './decision-cases.ts';
import { exchangeVectors } from './exchange-cases.ts';
import { forgedBundles } from './forged.ts';
import { forgerCases } from './forger-cases.ts';
import { issuedCases } from './issued-cases.ts';
import { limitCases } from './limit-cases.ts';
import { lineCases } from './line-cases.ts';
import { merkleVectors, noteVectors, tileVectors } from './log.ts';
import { canonicalVectors, manifestVectors, messageVectors } from './messages.ts';
import { mldsa44Cases } from './mldsa44-cases.ts';
import { receivedMessages } from './received.ts';
import { replyCases } from './reply-cases.ts';
import { revocationVectors } from './revocation-cases.ts';
import { rowCases } from './row-cases.ts';
import { ed25519Vectors } from './weak-keys.ts';

/**
 * One line of bundles.json. `now`: the reader's clock. `failed`: the checks of docs/evidence-format.md §9
 * that do not hold, in order; `warnings` and `reasons`: names. The bundle's own policy is trusted.
 */
interface BundleCase {
  file: string;
  now: string;
  valid: boolean;
  why: string;
  failed: string[];
  warnings: string[];
  verdict: string;
  reasons: string[];
}

/** Path below contract/vectors → content. */
export async function generateVectors(keys: VectorKeys): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const addJson = (path: string, value: unknown) =>
    files.set(path, utf8(`${JSON.stringify(value, null, 1)}\n`));
  addJson('canonical.json', canonicalVectors());
  addJson('messages.json', messageVectors());
  addJson('manifests.json', manifestVectors());
  addJson('merkle.json', merkleVectors());
  addJson('tiles.json', tileVectors());
  addJson('notes.json', noteVectors());
  addJson('ed25519.json', ed25519Vectors());
  files.set('client-decisions.json', utf8(lineByLine(decisionVectors())));
  files.set('client-settings.json', utf8(lineByLine(settingsVectors())));
  files.set('exchanges.json', utf8(lineByLine(exchangeVectors())));

  const authority = vectorAuthority(keys);
  const good = await goodBundles(authority);
  const broken = await brokenBundles(authority);
  const cases: BundleCase[] = [];
  const soundAt = (name: string) => (name.includes('renewed') ? LAST_RENEWED_AT : READ_AT);
  for (const [name, bundle] of good)
    cases.push(
      await addBundle(files, `good/${name}.zip`, 'as it should be', deflated(bundle), soundAt(name)),
    );
  const sealed = good.get('sealed')!;
  cases.push(
    await addBundle(files, 'good/stored.zip', 'not compressed', stored(sealed)),
    await addBundle(files, 'good/sealed.json', 'as JSON', utf8(JSON.stringify(bundleToJson(sealed)))),
  );
  for (const [name, { why, bundle }] of broken)
    cases.push(await addBundle(files, `broken/${name}.zip`, why, deflated(bundle), LAST_RENEWED_AT));
  for (const [name, bundle] of await laterBundles(authority))
    cases.push(
      await addBundle(files, `good/${name}.zip`, 'as it should be', deflated(bundle), soundAt(name)),
    );
  for (const [name, { why, bytes }] of brokenContainers(sealed))
    cases.push(await addBundle(files, `broken/${name}`, why, bytes));
  for (const [name, { why, bundle }] of await forgedBundles(authority))
    cases.push(await addBundle(files, `broken/${name}.zip`, why, deflated(bundle), LAST_RENEWED_AT));
  const line = await lineCases(authority);
  for (const [name, { why, bundle, now }] of [...line, ...(await issuedCases(authority))])
    cases.push(await addBundle(files, `${name}.zip`, why, deflated(bundle), now));
  addJson('revocation.json', await revocationVectors(authority));
  const mldsa44: object[] = [];
  const ended = line.get('good/outcomes-of-ended-log')!.bundle;
  for (const [name, { why, bundle }] of await mldsa44Cases(authority, ended)) {
    const bytes = deflated(bundle);
    if (name.startsWith('mldsa44/')) mldsa44.push(await addMldsa44(files, `${name}.zip`, why, bytes));
    else cases.push(await addBundle(files, `${name}.zip`, why, bytes));
  }
  const opened = deflated(await openedBundle(authority));
  cases.push(await addBundle(files, 'good/outcome-opened.zip', 'as it should be', opened));
  for (const [name, { why, bundle, now }] of await acknowledgementCases(authority))
    cases.push(await addBundle(files, `${name}.zip`, why, deflated(bundle), now));
  for (const [name, { why, bundle }] of [...(await limitCases(authority)), ...(await cmsCases(authority))])
    cases.push(await addBundle(files, `${name}.zip`, why, deflated(bundle)));
  for (const [name, { why, bundle, now }] of await replyCases(authority, keys))
    cases.push(await addBundle(files, `${name}.zip`, why, deflated(bundle), now));
  for (const more of [rowCases, chainCases, forgerCases, unansweredCases])
    for (const [name, { why, bundle, now }] of await more(authority))
      cases.push(await addBundle(files, `${name}.zip`, why, deflated(bundle), now));
  for (const { file, valid } of cases)
    if (valid !== file.startsWith('good/')) throw new Error(`${file} is ${valid ? 'valid' : 'not valid'}`);
  const pinned = await pinnedCases(files, authority);
  addJson('bundles.json', { cases, pinned, mldsa44, received: await receivedCases(files, good) });
  return files;
}

/**
 * The result under a policy of the reader's own. `policy`: 'bundle' for one who takes the file's keys
 * knowingly.
 */
async function pinnedCases(files: ReadonlyMap<string, Uint8Array>, authority: Authority): Promise<object[]> {
  const { development: _, ...real } = authority.policy;
  const own = policyOf(authority, { timeStamps: [real] });
  const other = signerFor('the same name, another key');
  const logKeys = [verifierKey(ORIGIN, other.publicKey, sha256)];
  const given: [string, TrustPolicy | 'bundle'][] = [
    ['good/sealed.zip', own],
    ['good/complete.zip', own],
    ['good/outcome-opened.zip', own],
    ['good/sealed.zip', policyOf(authority)],
    ['good/sealed.zip', 'bundle'],
    ['good/nom151.zip', 'bundle'],
    ['good/one-part-disclosed.zip', own],
    ['good/erased.zip', own],
    ['good/outcomes-withheld.zip', own],
    ['good/outcomes-not-counted.zip', own],
    ['good/history-not-shown.zip', own],
    ['good/sealed.zip', { ...own, logKeys }],
    ['good/sealed.zip', { ...own, witnessQuorum: 2 }],
  ];
  const cases: object[] = [];
  for (const [file, trust] of given) {
    const bytes = files.get(`bundles/${file}`)!;
    const { verdict, reasons, warnings } = await verifyBundle(bytes, { sha256, now: READ_AT, trust });
    const policy = trust === 'bundle' ? trust : JSON.parse(decodeUtf8(formatTrustPolicy(trust))!);
    const names = { reasons: reasons.map(({ name }) => name), warnings: warnings.map(({ name }) => name) };
    cases.push({ file, now: READ_AT.toISOString(), policy, verdict, ...names });
  }
  return cases;
}

/** JSON with a line for each element of each list: a diff shows the cases that changed. */
function lineByLine(lists: object): string {
  const parts = Object.entries(lists).map(([key, value]) => {
    const text = Array.isArray(value)
      ? `[\n  ${value.map((each) => JSON.stringify(each)).join(',\n  ')}\n ]`
      : JSON.stringify(value);
    return ` ${JSON.stringify(key)}: ${text}`;
  });
  return `{\n${parts.join(',\n')}\n}\n`;
}

async function addBundle(
  files: Map<string, Uint8Array>,
  file: string,
  why: string,
  bytes: Uint8Array,
  now = READ_AT,
): Promise<BundleCase> {
  files.set(`bundles/${file}`, bytes);
  const { valid, verdict, checks, warnings, reasons } = await verifyBundle(bytes, { sha256, now });
  const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
  const failed = names(checks.filter(({ ok }) => !ok));
  const more = { failed, warnings: names(warnings), verdict, reasons: names(reasons) };
  return { file, now: now.toISOString(), valid, why, ...more };
}

/**
 * With what a verifier says that cannot check signatures of ML-DSA-44: it takes each that is there, and warns.
 */
async function addMldsa44(
  files: Map<string, Uint8Array>,
  file: string,
  why: string,
  bytes: Uint8Array,
): Promise<object> {
  const { failed, valid, verdict, ...checked } = await addBundle(files, file, why, bytes);
  const unable = await verifyBundle(bytes, { sha256, now: READ_AT, mldsa44: () => true });
  if (!unable.valid) throw new Error(`${file} is refused without looking at the second signature`);
  const warnings = [...unable.warnings.map(({ name }) => name), 'mldsa44_not_checked'];
  return { ...checked, valid, failed, verdict, unchecked: { verdict: unable.verdict, warnings } };
}

/** When the last of the vectors' renewals was made long ago. */
const LAST_RENEWED_AT = new Date('2028-01-01T00:00:00Z');

/** 1 January 1980, as the oldest that a ZIP can say. */
const ZIP_EPOCH = new Date(1980, 0, 1);

/** Small, for the repository's sake. */
function deflated(bundle: Bundle): Uint8Array {
  const entries = Object.fromEntries(inBundleOrder(bundle.keys()).map((name) => [name, bundle.get(name)!]));
  return zipSync(entries, { level: 9, mtime: ZIP_EPOCH, os: 3 });
}

function stored(bundle: Bundle): Uint8Array {
  return writeZip([...bundle].map(([name, bytes]) => ({ name, bytes })));
}

function brokenContainers(sealed: Bundle): Map<string, { why: string; bytes: Uint8Array }> {
  const zip = deflated(sealed);
  const small = withSums(new Map(sealed).set('VERIFY.md', utf8('x')), sha256);
  const entries = [...small].map(([name, bytes]) => ({ name, bytes }));
  const json = JSON.parse(JSON.stringify(bundleToJson(small)));
  const jsonWith = (changed: object) => utf8(JSON.stringify({ ...json, ...changed }));
  return new Map([
    ['empty.zip', { why: 'no bytes at all', bytes: new Uint8Array(0) }],
    ['no-zip.zip', { why: 'an error page', bytes: utf8('<!doctype html><title>503</title>') }],
    ['cut-short.zip', { why: 'the last 100 bytes are missing', bytes: zip.subarray(0, -100) }],
    ['bytes-before.zip', { why: 'a byte before the ZIP', bytes: Buffer.concat([utf8('x'), zip]) }],
    ['bytes-behind.zip', { why: 'a byte behind the ZIP', bytes: Buffer.concat([zip, utf8('x')]) }],
    [
      'entry-twice.zip',
      {
        why: 'manifest.json stands twice',
        bytes: writeZip([...entries, entries.find(({ name }) => name === 'manifest.json')!]),
      },
    ],
    ...brokenZips(entries).map(([name, why, bytes]) => [`${name}.zip`, { why, bytes }] as const),
    ['entry-damaged.zip', { why: "an entry's CRC-32 is another", bytes: damaged(entries) }],
    [
      'entry-twice.json',
      { why: 'manifest.json stands twice', bytes: jsonWith({ entries: [...json.entries, json.entries[1]] }) },
    ],
    ['key-twice.json', { why: 'the key "entries" stands twice', bytes: utf8(twice(JSON.stringify(json))) }],
    [
      'half-a-character.json',
      {
        why: 'half of a surrogate pair in a text',
        bytes: utf8(JSON.stringify(json).replace('"text":"', '"text":"\\ud83d')),
      },
    ],
    ['other-type.json', { why: 'another version of the form', bytes: jsonWith({ type: 'acuse/bundle/v2' }) }],
    ['cut-short.json', { why: 'no end', bytes: jsonWith({}).subarray(0, -1) }],
  ]);
}

/** The first `entries` are none. */
const twice = (json: string) => json.replace('{', '{"entries":[],');

/** One byte of a stored entry, its CRC left as it was. */
function damaged(entries: readonly { name: string; bytes: Uint8Array }[]): Uint8Array {
  const zip = Buffer.from(writeZip(entries));
  const at = zip.indexOf('acuse/message/v1');
  zip[at]! ^= 1;
  return zip;
}

/** Messages as they were received, held against a bundle. docs/evidence-format.md §10 */
async function receivedCases(
  files: Map<string, Uint8Array>,
  good: ReadonlyMap<string, Bundle>,
): Promise<object[]> {
  const cases: object[] = [];
  for (const [file, why, bytes] of receivedMessages()) {
    files.set(`received/${file}.eml`, bytes);
    for (const bundle of ['sealed', 'one-part-disclosed']) {
      const { eml } = await verifyBundle(deflated(good.get(bundle)!), {
        sha256,
        now: READ_AT,
        eml: bytes,
      });
      const { L0, L1, L2, verdict } = eml!;
      cases.push({ file: `${file}.eml`, why, bundle: `good/${bundle}.zip`, L0, L1, L2, verdict });
    }
  }
  return cases;
}
