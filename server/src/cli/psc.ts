import { createHash, randomBytes } from 'node:crypto';
import { MAX_ISSUED_BYTES } from '@acuse/evidence/bundle-entries';
import { decodeUtf8 } from '@acuse/evidence/bytes';
import { EvidenceError } from '@acuse/evidence/errors';
import {
  type Certificate,
  certificatesFromPem,
  readCertificate,
} from '@acuse/evidence/timestamp/certificate';
import { DerError } from '@acuse/evidence/timestamp/der';
import { OID } from '@acuse/evidence/timestamp/oids';
import { certificateToPem, openTimeStamp, readSignedData } from '@acuse/evidence/timestamp/parse';
import type { TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import {
  buildTimeStampRequest,
  TIME_STAMP_QUERY_TYPE,
  TIME_STAMP_REPLY_TYPE,
} from '@acuse/evidence/timestamp/request';
import { namedBySid } from '@acuse/evidence/timestamp/signer';
import { readTstInfo } from '@acuse/evidence/timestamp/tst-info';
import { verifyTimeStamp } from '@acuse/evidence/timestamp/verify';
import { findToken, putIssued } from '../evidence/stamp/issued-store.ts';
import { SealerError } from '../evidence/stamp/sealer.ts';
import { postToAuthority, type SealerService } from '../evidence/stamp/sealer-http.ts';
import { isId } from '../platform/ids.ts';
import { type Command, CommandError, defineCommand, EXIT, usage } from './command.ts';
import { readInput, refuseExisting, writeOutput } from './files.ts';
import { facts, type Lines } from './output.ts';
import { withServices } from './services.ts';
import { EXAMPLE_ID } from './shared-options.ts';

const NONCE_BYTES = 16;
const ROOT_MAX_BYTES = 256 * 1024;
const SECRET_MAX_BYTES = 4096;

const probe = defineCommand({
  name: 'psc probe',
  summary: 'Probes a time-stamping authority and prints a manifest that fits',
  details:
    'For an authority that is not configured yet: asks it for two time-stamps (RFC 3161) over random hashes, by SHA-256 and by SHA-512, and verifies them. They may cost what the authority takes for two. Prints what their tokens are and a manifest for ACUSE_TSA_MANIFESTS to start from; compare its root with the one that the authority publishes. Exit code 0: by SHA-256, everything fits; 1: something does not, and it says what; 3: no answer.',
  args: [{ name: 'url', doc: 'where it takes requests by RFC 3161 over HTTP' }],
  options: {
    root: {
      type: 'string',
      value: '<file>',
      doc: 'its root certificate, PEM, from another source than its answers; without it, the last certificate of the token is taken, and trusted for nothing',
    },
    user: { type: 'string', value: '<name>', doc: 'user name, where it asks for one (HTTP Basic)' },
    'password-file': { type: 'string', value: '<file>', doc: 'file with the password for --user' },
    out: {
      type: 'string',
      value: '<file>',
      doc: 'new file for the manifest, as ACUSE_TSA_MANIFESTS reads it',
    },
  },
  examples: [
    'acuse psc probe http://127.0.0.1:8025/tsa',
    'acuse psc probe https://psc.example/tsa --root psc-root.pem --out psc.json',
  ],
  async run({ args, options, out }) {
    const service: SealerService = {
      url: args[0]!,
      credentials: readCredentials(options.user, options['password-file']),
    };
    const roots =
      options.root === undefined ? null : certificatesFromPem(textOf(options.root, ROOT_MAX_BYTES));
    if (options.out !== undefined) refuseExisting(options.out);
    const found = [await ask(service, roots, 'sha256'), await ask(service, roots, 'sha512')] as const;
    const manifest = manifestOf(args[0]!, found[0]);
    if (options.out !== undefined && manifest !== null)
      writeOutput(options.out, new TextEncoder().encode(`${JSON.stringify(manifest, null, 2)}\n`));
    out.answer({ url: args[0], probed: found.map(present), manifest }, () => [
      ...found.flatMap(probedLines),
      ...manifestLines(manifest, options.out),
    ]);
    return found[0].problems.length === 0 ? EXIT.ok : EXIT.failed;
  },
});

const attach = defineCommand({
  name: 'psc attach',
  summary: 'Keeps a document that an authority issued with a time-stamp, such as a PDF',
  details:
    'For a document that the authority hands out on its website or by mail. It goes as it is into every bundle that has the time-stamp, as issued/<time-stamp>.bin. It is never read, and no verdict depends on it. A document that is there already is replaced.',
  args: [
    {
      name: 'certificate-id',
      doc: 'certificate_id of the evidence, or the id of a renewal or a message’s own certificate in it',
    },
    { name: 'file', doc: `the document, at most ${MAX_ISSUED_BYTES} bytes` },
  ],
  options: {},
  examples: [`acuse psc attach ${EXAMPLE_ID} constancia.pdf`],
  async run({ args, out, env }) {
    const [id, file] = args as [string, string];
    const content = readInput(file, MAX_ISSUED_BYTES);
    return withServices(env, 'psc attach', async ({ db, clock }) => {
      const token = isId(id) ? await findToken(db, id) : undefined;
      if (token === undefined)
        throw new CommandError(EXIT.failed, 'not_found', `no time-stamp has the id ${id}`);
      await putIssued(db, token, content, clock.now());
      out.answer({ certificate_id: id, size: content.length }, () => [
        `kept ${content.length} bytes with the time-stamp ${id}`,
      ]);
      return EXIT.ok;
    });
  },
});

export const pscCommands: readonly Command[] = [probe, attach];

/** `policy`: that verified it; undefined: unreadable. */
interface Probed {
  readonly hash: 'sha256' | 'sha512';
  readonly problems: readonly string[];
  readonly told: readonly (readonly [string, string])[];
  readonly policy: TimeStampPolicy | undefined;
}

async function ask(
  service: SealerService,
  roots: readonly Uint8Array[] | null,
  hash: Probed['hash'],
): Promise<Probed> {
  const imprint = createHash(hash).update(randomBytes(32)).digest();
  const expected = { imprint, hashAlgorithm: hash, nonce: randomBytes(NONCE_BYTES) };
  const headers = { 'content-type': TIME_STAMP_QUERY_TYPE, accept: TIME_STAMP_REPLY_TYPE };
  let answer: Awaited<ReturnType<typeof postToAuthority>>;
  try {
    const body = buildTimeStampRequest(expected);
    answer = await postToAuthority(service, { headers, body }, new AbortController().signal);
  } catch (error) {
    if (!(error instanceof SealerError)) throw error;
    if (hash === 'sha256' && error.message.startsWith('no answer'))
      throw new CommandError(EXIT.unavailable, 'authority_unavailable', error.message, { cause: error });
    return { hash, problems: [error.message], told: [], policy: undefined };
  }
  try {
    return await judge(answer.bytes, answer.mediaType, expected, roots);
  } catch (error) {
    if (!(error instanceof DerError) && !(error instanceof EvidenceError)) throw error;
    const why = `its answer (${answer.mediaType}) is not a time-stamp in DER: ${error.detail}. A PDF, a CMS file around it, or BER is refused: ask for the bare TimeStampResp`;
    return { hash, problems: [why], told: [], policy: undefined };
  }
}

interface Expected {
  readonly imprint: Uint8Array;
  readonly hashAlgorithm: Probed['hash'];
  readonly nonce: Uint8Array;
}

async function judge(
  bytes: Uint8Array,
  mediaType: string,
  expected: Expected,
  roots: readonly Uint8Array[] | null,
): Promise<Probed> {
  const { hashAlgorithm: hash } = expected;
  const { status, token } = openTimeStamp(bytes);
  if (token === null) {
    const said = status === null ? 'nothing' : [status.name, ...status.failures, ...status.text].join(', ');
    return { hash, problems: [`no token: ${said}`], told: [['Media type', mediaType]], policy: undefined };
  }
  const signed = readSignedData(token);
  const info = readTstInfo(signed.content);
  const certificates = signed.certificates.map(readCertificate);
  const [signer] = namedBySid(signed.signer, certificates);
  const pinned = roots ?? certificates.filter(isRoot).map(({ der }) => der);
  const policy = policyOf({ signer, policyOid: info.policyOid, nonce: info.nonce !== null, roots: pinned });
  const asked = info.nonce === null ? { ...expected, nonce: undefined } : expected;
  const { nonce, ...without } = asked;
  const { checks } = await verifyTimeStamp(bytes, { ...without, ...(nonce && { nonce }) }, policy);
  const problems = checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
  if (pinned.length === 0) problems.push('the token has no root: give it with --root');
  return {
    hash,
    problems,
    policy,
    told: [
      ['Media type', mediaType],
      ['Form', status === null ? 'a bare TimeStampToken' : `TimeStampResp, ${status.name}`],
      ['Time', `${info.genTime.toISOString()}, ${secondsFromNow(info.genTime)} s from this clock`],
      ['Policy', info.policyOid],
      ['Nonce', info.nonce === null ? 'not sent back' : 'sent back'],
      ['Certificates', String(certificates.length)],
      [
        'Signer',
        signer === undefined
          ? 'not in the token'
          : `${signer.subject}, until ${signer.notAfter.toISOString()}`,
      ],
      ['Key usages', usagesOf(signer).join(', ') || 'none'],
      ['Root', roots === null ? 'as in the token: trusted for nothing' : 'the one that you gave'],
    ],
  };
}

const isRoot = ({ subject, issuer }: Certificate) => subject === issuer;
const secondsFromNow = (time: Date) => Math.round((time.getTime() - Date.now()) / 1000);
const usagesOf = (signer: Certificate | undefined) => signer?.extensions.extKeyUsage?.oids ?? [];

/** `rfc3161` if the signer is for time-stamps alone (RFC 3161 §2.3), else `nom151`. */
function policyOf(of: {
  signer: Certificate | undefined;
  policyOid: string;
  nonce: boolean;
  roots: readonly Uint8Array[];
}): TimeStampPolicy {
  const usage = of.signer?.extensions.extKeyUsage;
  const strict = usage?.critical === true && usage.oids.join() === OID.timeStamping;
  return {
    profile: strict ? 'rfc3161' : 'nom151',
    name: of.signer?.issuer ?? 'PSC',
    roots: of.roots.map(certificateToPem),
    policies: [of.policyOid],
    ...(!strict && { leafEku: usagesOf(of.signer) }),
    ...(of.nonce && { nonce: true }),
  };
}

function probedLines({ hash, problems, told }: Probed): Lines[] {
  return [
    `${problems.length === 0 ? '✓' : '✗'} by ${hash === 'sha256' ? 'SHA-256' : 'SHA-512'}`,
    ...(told.length === 0 ? [] : [facts(told)]),
    ...problems.map((problem) => `  - ${problem}`),
    '',
  ];
}

function present({ hash, problems, told }: Probed): object {
  return { hash, problems, ...Object.fromEntries(told.map(([name, value]) => [keyOf(name), value])) };
}

const keyOf = (name: string) => name.toLowerCase().replaceAll(' ', '_');

function manifestOf(url: string, { policy }: Probed): object | null {
  return policy === undefined ? null : { policy, service: { protocol: 'rfc3161', url } };
}

function manifestLines(manifest: object | null, path: string | undefined): Lines[] {
  if (manifest === null) return path === undefined ? [] : [`${path} is not written: no token came.`];
  return [
    'A manifest to start from. Its roots are trusted for everything: compare their fingerprints with what the authority publishes.',
    path === undefined
      ? JSON.stringify(manifest, null, 2).split('\n')
      : `It is in ${path}: name it in ACUSE_TSA_MANIFESTS.`,
  ];
}

const textOf = (path: string, maxBytes: number) => decodeUtf8(readInput(path, maxBytes)) ?? '';

function readCredentials(user: string | undefined, file: string | undefined): SealerService['credentials'] {
  if ((user === undefined) !== (file === undefined)) throw usage('--user and --password-file go together');
  if (user === undefined || file === undefined) return { kind: 'none' };
  return { kind: 'basic', username: user, password: textOf(file, SECRET_MAX_BYTES).trimEnd() };
}
