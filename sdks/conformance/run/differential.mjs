// Every verifier about the same changed bundles: those of the libraries, what /verify runs, and the second
// verifier beside the vectors. Where two of them disagree, the change is made smaller while they still do.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { isOneCheck } from './checks.mjs';
import { columnsOf } from './columns.mjs';
import { startServer } from './server.mjs';
import { Skip, startShim } from './shim.mjs';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Verifies with the code that /verify runs, and makes the mutants. */
const CORE = join(ROOT, 'packages/evidence/test/mutants/shim.ts');
const VECTORS = join(ROOT, 'contract/vectors');
const SECOND = join(VECTORS, 'check_each.py');
/** Bundles of a corpus that lie or hide something, and what is to be said of them. */
const CASES = join(ROOT, 'packages/testkit/src/case-bundles.json');
/** Processes of the slowest, which starts programs of its own for every bundle. */
const SECONDS = 2;
const SEED = 2026;
const COUNT = 400;
/** Freshly sealed bundles: one change for so many of the vectors. */
const FRESH_SHARE = 5;
/** Hex digits of a commit that make a seed. */
const SEED_DIGITS = 6;
const DAY_MS = 86_400_000;
/** How many bundles are asked about at once. */
const LANES = 4;
/** How long a message may take to be sealed, and its outcome (ms). */
const SEAL_LIMIT_MS = 300_000;
const POLL_MS = 250;
/** The highest level of verification: everything that docs/evidence-format.md asks for. */
const LEVEL_MAX = 3;
const REASON_CHARS_MAX = 600;
/** Beyond this many, disagreements are counted alone. */
const SHOWN_MAX = 20;

/** Always the same for a commit, and another for the next; where there is none, for the day. */
export function seedOfCommit() {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' });
  const seed = Number.parseInt(`${stdout}`.slice(0, SEED_DIGITS), 16);
  return Number.isNaN(seed) ? Math.floor(Date.now() / DAY_MS) : seed;
}

/**
 * `{ok, seconds, seeds, count, fresh, mutants, cases, verifiers, skipped, more, disagreements: [{what, base,
 * file, now, said}]}`; `only`: languages, null for all; `count`: mutants of the vectors for each seed;
 * `fresh`: changes what was sealed just now, too. The smallest change of each, and what was changed, are left
 * in `file` and `file`-base.
 */
export async function runDifferential({
  only,
  seeds = [SEED],
  count = COUNT,
  fresh = false,
  isStrict = false,
}) {
  const since = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'acuse-differential-'));
  const report = {
    ok: true,
    seconds: 0,
    seeds,
    count,
    fresh,
    mutants: 0,
    cases: 0,
    verifiers: [],
    skipped: {},
    disagreements: [],
    more: 0,
  };
  const shims = [];
  try {
    const core = await startCore(folder);
    shims.push(core);
    const verifiers = [{ name: 'core', level: LEVEL_MAX, ask: asking([core]) }];
    const start = startingIn({ isStrict, report, shims, verifiers });
    await start('second', [SECOND], VECTORS, SECONDS);
    const { languages } = JSON.parse(readFileSync(join(ROOT, 'sdks/names.json'), 'utf8'));
    const wanted = columnsOf(languages).filter(
      ({ language, isVariant }) => !isVariant && (only === null || only.includes(language)),
    );
    await Promise.all(
      wanted.map(({ language, shim }) => start(language, shim, join(ROOT, 'sdks', language), 1)),
    );
    report.verifiers = verifiers.map(({ name }) => name);
    for (const verifier of verifiers) verifier.seesSeconds = await seesSeconds(verifier);
    const vectors = vectorFiles();
    const sealed = await freshFiles(folder);
    const cases = [];
    for (const seed of seeds) {
      const asked = { seed, count, folder, files: vectors, named: 'mutant' };
      cases.push(...(await core.ask('mutants', asked)).result);
      // Apart, so that one seed makes the same mutants of the vectors every time.
      const ofSealed = { ...asked, count: Math.ceil(count / FRESH_SHARE), files: sealed, named: 'fresh' };
      if (fresh) cases.push(...(await core.ask('mutants', ofSealed)).result);
    }
    report.mutants = cases.length;
    const lies = caseFiles();
    report.cases = lies.length;
    const untouched = [...vectors, ...sealed, ...lies].map((file) => ({
      ...file,
      base: file.path,
      what: 'nothing changed',
    }));
    const found = [];
    await inLanes([...untouched, ...cases], async (each) => {
      if ((await disagreement(verifiers, each)) !== null) found.push(each);
    });
    for (const { path, now, expected } of lies) {
      const { verdict, failed } = saidOf(await verifiers[0].ask({ path, now }));
      if (verdict === expected.verdict && failed === expected.failed) continue;
      throw new Error(`${path}: ${verdict}, ${failed}; expected ${JSON.stringify(expected)}`);
    }
    for (const each of found.slice(0, SHOWN_MAX))
      report.disagreements.push(await shrunk(each, { core, verifiers, folder }));
    report.ok &&= found.length === 0;
    report.more = found.length - report.disagreements.length;
  } finally {
    await Promise.all(shims.map((shim) => shim.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
  report.seconds = Math.round((performance.now() - since) / 100) / 10;
  return report;
}

async function startCore(folder) {
  const program = join(folder, 'core.mjs');
  await build({ entryPoints: [CORE], bundle: true, platform: 'node', format: 'esm', outfile: program });
  return startShim([process.execPath, program], folder);
}

/** Starts one more verifier, in `count` processes. What is missing is skipped, unless that is a failure. */
function startingIn({ isStrict, report, shims, verifiers }) {
  return async (name, command, cwd, count) => {
    try {
      const own = await Promise.all(Array.from({ length: count }, () => startShim(command, cwd)));
      shims.push(...own);
      verifiers.push({ name, level: own[0].info.level ?? LEVEL_MAX, ask: asking(own) });
    } catch (error) {
      report.skipped[name] = String(error.message).slice(-REASON_CHARS_MAX);
      if (!(error instanceof Skip) || isStrict) report.ok = false;
    }
  };
}

/** For people: each disagreement with the smallest change, and what each verifier says. */
export function differentialText(report) {
  const { seconds, seeds, count, fresh, mutants, cases, verifiers, skipped, disagreements, more } = report;
  const shown = (each) => JSON.stringify({ ...each, level: undefined, sees: undefined, unmade: undefined });
  const lines = disagreements.flatMap(({ what, base, file, now, said }) => [
    `${base}: ${what}`,
    `  ${file}, now ${now}`,
    ...[said.core, ...said.others].map((each) => `  ${shown(each)}`),
  ]);
  if (more > 0) lines.push(`and ${more} more`);
  for (const [name, reason] of Object.entries(skipped)) lines.push(`${name}: skipped: ${reason}`);
  const total = disagreements.length + more;
  const again = [...(fresh ? ['--fresh'] : []), ...seeds.map((seed) => `--seed ${seed}`), `--count ${count}`];
  if (total > 0) lines.push(`again: npm run conformance -- --differential ${again.join(' ')}`);
  const corpus = cases > 0 ? `${cases} cases of the corpus` : 'no corpus here (ACUSE_CORPORA)';
  lines.push(
    `differential: ${mutants} mutants, ${corpus}, ${verifiers.join(', ')}: ${total} disagreements (${seconds} s)`,
  );
  return lines.join('\n');
}

/** Asks several processes of one program in turn. */
function asking(shims) {
  let turn = 0;
  return (args) => shims[turn++ % shims.length].ask('verify_bundle', { ...args, policy: 'TRUST_BUNDLE' });
}

async function inLanes(list, run) {
  const queue = [...list];
  const lane = async () => {
    for (let each = queue.shift(); each !== undefined; each = queue.shift()) await run(each);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** True if it checks signatures of ML-DSA-44: libraries that cannot warn, and take each that is there. */
async function seesSeconds({ ask }) {
  const wrong = readVectors().mldsa44.find(({ file }) => file === 'mldsa44/wrong.zip');
  const { result } = await ask({ path: join(VECTORS, 'bundles', wrong.file), now: wrong.now });
  return !result.valid;
}

const readVectors = () => JSON.parse(readFileSync(join(VECTORS, 'bundles.json'), 'utf8'));

/** Everything that a bundle can hold. */
function vectorFiles() {
  const { cases, mldsa44 } = readVectors();
  return [...cases, ...mldsa44]
    .filter(({ valid, file }) => valid && file.endsWith('.zip'))
    .map(({ file, now }) => ({ path: join(VECTORS, 'bundles', file), now }));
}

/** Read in place; none where ACUSE_CORPORA is absent. */
function caseFiles() {
  const folder = join(process.env.ACUSE_CORPORA ?? join(ROOT, '../shared/corpora'), 'cases/bundles');
  if (!existsSync(folder)) return [];
  const { now, cases } = JSON.parse(readFileSync(CASES, 'utf8'));
  return cases.map((expected) => ({ path: join(folder, expected.file), now, expected }));
}

/** Bundles of messages that a service has just delivered, bounced and sealed. */
async function freshFiles(folder) {
  const server = await startServer(folder);
  try {
    const messages = [
      { to: 'delivered@sandbox.test', text: 'One.', html: '<p>One.</p>' },
      { to: 'bounced@sandbox.test', text: 'Two.', attachments: [{ filename: 'a.txt', content: 'QQ==' }] },
    ];
    const ids = await Promise.all(messages.map((message) => sendTo(server, message)));
    const bundles = await Promise.all(ids.map((id) => bundleOf(server, id)));
    const now = new Date(Date.now() + 1_000).toISOString();
    return bundles.map((bytes, at) => {
      const path = join(folder, `fresh-${at}.zip`);
      writeFileSync(path, bytes);
      return { path, now };
    });
  } finally {
    await server.stop();
  }
}

async function sendTo({ url, key }, fields) {
  const answer = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    },
    body: JSON.stringify({ from: 'a@sandbox.test', subject: 'Fresh', certified: true, ...fields }),
  });
  const message = await answer.json();
  if (!answer.ok) throw new Error(`${answer.status} ${JSON.stringify(message)}`);
  return message.id;
}

/** With the message's outcome, which is sealed after the message. */
async function bundleOf({ get }, id) {
  for (const since = performance.now(); performance.now() - since < SEAL_LIMIT_MS; ) {
    const bytes = await get(`/v1/messages/${id}/proof-bundle`).then(
      async (answer) => Buffer.from(await answer.arrayBuffer()),
      () => Buffer.alloc(0),
    );
    if (bytes.includes('delivery/01-') && bytes.includes('outcomes.note')) return bytes;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`${id} is not sealed with its outcome`);
}

/** The verdict of each: null when all say the same. */
async function disagreement(verifiers, { path, now }) {
  const answers = await Promise.all(verifiers.map(({ ask }) => ask({ path, now })));
  const said = verifiers.map(({ name, level, seesSeconds: sees }, at) => {
    return { name, level, sees, ...saidOf(answers[at]) };
  });
  const [core, ...others] = said;
  const other = others.filter((each) => !agrees(core, each));
  return other.length === 0 ? null : { core, others: other };
}

/** `verdict`, `none` for what is no bundle; `failed`: the first check; `unmade`: those that are not made. */
function saidOf({ result, error }) {
  if (error !== undefined) {
    const isRefusal = error.class === 'VerifyError' || error.class === 'NotABundleError';
    return { verdict: isRefusal ? 'none' : `error ${error.class}: ${error.text}`, failed: null };
  }
  const { verdict, valid, reasons, warnings, checks, said, is_bundle } = result;
  if (is_bundle === false) return { verdict: 'none', failed: null };
  if (said !== undefined) return { valid, failed: valid ? null : said.split(': ')[0], said };
  const first = checks.find(({ ok }) => ok === false);
  const unmade = checks.filter(({ ok }) => ok === null).map(({ name }) => name);
  return { verdict, valid, reasons, warnings, failed: first?.name ?? null, said: first?.detail, unmade };
}

const UNCHECKED = 'mldsa44_not_checked';
const FALSE_SECOND = /the ML-DSA-44 signature of .* does not verify/;
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);
function agrees(core, other) {
  if (!other.sees) {
    // The core has not looked at what comes after it.
    if (FALSE_SECOND.test(core.said)) return true;
    if (core.valid && core.warnings.includes(UNCHECKED)) return false;
    other = { ...other, warnings: other.warnings?.filter((name) => name !== UNCHECKED) };
  }
  // The second verifier has no verdict, and calls everything a bundle.
  if (other.verdict === undefined) {
    if (core.verdict === 'none') return other.failed === 'bundle';
    return core.valid === other.valid && isOneCheck(core.failed, other.failed);
  }
  if (core.verdict === 'none' || other.verdict === 'none') return core.verdict === other.verdict;
  if (core.valid && other.valid)
    return (
      isSame(core.reasons, other.reasons) &&
      isSame(core.warnings, other.warnings) &&
      core.verdict === other.verdict
    );
  if (other.level < LEVEL_MAX) {
    if (core.valid) return !other.valid && other.verdict !== 'rejected';
    // It goes on where others stop, and may find what they left out.
    const failed = `${core.failed}`.replace(/_revocation$/, '');
    if (other.unmade.some((name) => isOneCheck(name, failed))) return !other.valid;
  }
  return core.verdict === other.verdict && isOneCheck(core.failed, other.failed);
}

/** The smallest change of which the same verifiers say something else, as it is left for whoever looks. */
async function shrunk({ path, now, base, what }, { core, verifiers, folder }) {
  let smallest = path;
  let said = await disagreement(verifiers, { path, now });
  const names = (found) => found?.others.map(({ name }) => name).join();
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    const { result: candidates } = await core.ask('simpler', { base, path: smallest, folder });
    for (const candidate of candidates) {
      const found = await disagreement(verifiers, { path: candidate, now });
      if (found === null || names(found) !== names(said)) continue;
      smallest = `${path}-smaller-${candidate.split('-').at(-1)}`;
      copyFileSync(candidate, smallest);
      said = found;
      isSmaller = true;
      break;
    }
  }
  const keep = join(tmpdir(), 'acuse-disagreements');
  mkdirSync(keep, { recursive: true });
  const file = join(keep, path.split('/').at(-1));
  copyFileSync(smallest, file);
  copyFileSync(base, `${file}-base`);
  return { what, base: base.split('/').slice(-2).join('/'), file, now, said };
}
