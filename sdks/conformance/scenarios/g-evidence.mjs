import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import { inflateSync } from 'fflate';
import { isOneCheck } from '../run/checks.mjs';
import { entry, makeLog, makeTree } from '../run/note.mjs';
import { cases } from '../run/scenario.mjs';
import { archiveOf, entriesOf } from '../run/zip.mjs';

const TRUST_BUNDLE = 'TRUST_BUNDLE';
/** From this level on time-stamps are checked, so that good bundles are valid. */
const LEVEL_OF_TIME = 2;
const LEVEL_OF_REVOCATION = 3;
const BOMB_BYTES = 1024 * 1024 * 1024 - 1;
const BOMB_MEMORY_MAX = 256 * 1024 * 1024;
const SAID_BYTES = 1024;
/** Made once, for all libraries: one that says its size, and one that says another. */
let bombs = null;

/** Not at once: the proxies of the other scenarios answer in this process, and a library's patience ends. */
async function makeBombs() {
  const bytes = Buffer.alloc(BOMB_BYTES);
  const packed = await promisify(deflateRaw)(bytes);
  return [BOMB_BYTES, SAID_BYTES].map((size) => archiveOf('manifest.json', bytes, size, packed));
}
const BITS = cases(200);
/** How many bundles are verified at once. */
const LANES = 8;

const readVectors = (t) => JSON.parse(readFileSync(join(t.vectors, 'bundles.json'), 'utf8'));

/** The text of a README before its first heading below the title. */
const beginningOf = (language) =>
  readFileSync(new URL(`../../${language}/README.md`, import.meta.url), 'utf8').split('\n## ')[0];

/** Does something with each item, several at once. */
async function each(items, run) {
  const queue = [...items.entries()];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await run(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: LANES }, work));
}

/** A refusal to read the file at all counts as a verdict, a defect of the shim does not. */
function reportOf({ result, error }, what) {
  if (error === undefined) {
    assert.equal(typeof result.valid, 'boolean', what);
    assert.ok(VERDICTS.includes(result.verdict), `${what}: ${result.verdict}`);
    return result;
  }
  assert.notEqual(error.class, 'ShimError', `${what}: ${error.text}`);
  return { valid: false, verdict: 'rejected', checks: [] };
}

const VERDICTS = ['verified', 'unproven', 'incomplete', 'rejected'];

/** Below the last level, a report says that revocation data was not checked. */
const isWhole = ({ checks }, level) =>
  level >= LEVEL_OF_TIME &&
  (level >= LEVEL_OF_REVOCATION || !checks.some(({ name, ok }) => name === 'revocation' && ok === null));

/** Compares a report with the vector's, as far as this library can check. */
function assertReport(report, expected, level) {
  const { file, valid, verdict, reasons, warnings } = expected;
  const told = JSON.stringify(report).slice(0, 400);
  if (!isWhole(report, level)) {
    assert.equal(report.valid && !valid, false, `${file}: ${told}`);
    assert.equal(report.verdict === 'verified' && verdict !== 'verified', false, `${file}: ${told}`);
    if (valid) assert.notEqual(report.verdict, 'rejected', `${file}: ${told}`);
    return;
  }
  assert.deepEqual([report.valid, report.verdict], [valid, verdict], `${file}: ${told}`);
  if (!valid) return;
  assert.deepEqual([report.reasons, report.warnings], [reasons, warnings], file);
}

/** A checkpoint as the log answers it. */
const note = (body) => ({
  answer: { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body },
});

/** The most memory that a process has had (bytes), null where the system does not tell. */
function peakOf({ pid }) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1_024;
  } catch {
    return null;
  }
}

/** Offline verification and the log. */
export const evidence = [
  {
    number: 55,
    needs: 'verification',
    offline: true,
    title: 'Good bundles are never rejected, broken ones always, each with its verdict, reasons and warnings',
    async run(t) {
      const { level, language } = t.shim.info;
      assert.ok(beginningOf(language).includes(`to level ${level} of 3`), 'its README says another level');
      await each(readVectors(t).cases, async (expected) => {
        const { file, now, valid, failed } = expected;
        const path = join(t.vectors, 'bundles', file);
        const answer = await t.shim.ask('verify_bundle', { path, policy: TRUST_BUNDLE, now });
        const report = reportOf(answer, file);
        assertReport(report, expected, level);
        const first = report.checks.find(({ ok }) => ok === false)?.name;
        if (valid || first === undefined) return;
        // A library cannot tell what it does not check.
        const names = level >= LEVEL_OF_REVOCATION ? failed.slice(0, 1) : failed;
        assert.ok(
          names.some((name) => isOneCheck(name, first)),
          `${file}: ${first} failed, expected ${names}`,
        );
      });
    },
  },
  {
    number: 56,
    needs: 'verification',
    offline: true,
    title: 'Received messages: compared, or said not to be',
    async run(t) {
      await each(readVectors(t).received, async ({ file, bundle, verdict }) => {
        const path = join(t.vectors, 'bundles', bundle);
        const eml = join(t.vectors, 'received', file);
        const answer = await t.shim.ask('verify_bundle', { path, policy: TRUST_BUNDLE, eml });
        assert.equal(answer.error, undefined, `${file}: ${JSON.stringify(answer.error)}`);
        const { copy = null, valid } = answer.result;
        if (copy === null) assert.equal(valid, false, `${file}: neither compared nor said so`);
        else assert.equal(copy, verdict, `${file} and ${bundle}`);
      });
    },
  },
  {
    number: 57,
    needs: 'verification',
    offline: true,
    title: 'Pinned: the verdict is that of the policy which the reader gave',
    async run(t) {
      const rows = readVectors(t).pinned.filter(({ policy }) => policy !== 'bundle');
      await each(rows, async ({ policy, ...expected }, at) => {
        const { file, now, verdict } = expected;
        const pinned = t.path(`policy-${at}.json`);
        writeFileSync(pinned, JSON.stringify(policy));
        const path = join(t.vectors, 'bundles', file);
        const answer = await t.shim.ask('verify_bundle', { path, policy: pinned, now });
        const report = reportOf(answer, `${file} under policy ${at}`);
        assert.equal(report.trust ?? 'pinned', 'pinned');
        if (verdict === 'rejected') assert.deepEqual(report.reasons, expected.reasons, `policy ${at}`);
        assertReport(report, { ...expected, valid: verdict !== 'rejected' }, t.shim.info.level);
      });
      const path = join(t.vectors, 'bundles/good/sealed.zip');
      const policy = JSON.parse(Object.fromEntries(entriesOf(readFileSync(path)))['policy.json']);
      const other = t.path('other.json');
      writeFileSync(
        other,
        JSON.stringify({ ...policy, log_keys: [{ key: makeLog('log.example/acuse').vkey }] }),
      );
      const answer = await t.shim.ask('verify_bundle', { path, policy: other });
      assert.equal(reportOf(answer, 'another policy').verdict, 'rejected');
    },
  },
  {
    number: 58,
    needs: 'verification',
    offline: true,
    alone: true,
    title: 'A ZIP bomb is refused without inflating it, whatever size it says',
    async run(t) {
      bombs ??= makeBombs();
      const path = t.path('bomb.zip');
      const before = peakOf(t.shim.child);
      for (const bomb of await bombs) {
        writeFileSync(path, bomb);
        const answer = await t.shim.ask('verify_bundle', { path, policy: TRUST_BUNDLE });
        assert.equal(reportOf(answer, 'a bomb').valid, false);
      }
      const after = peakOf(t.shim.child);
      if (before !== null && after !== null)
        assert.ok(after - before < BOMB_MEMORY_MAX, `${after - before} bytes`);
    },
  },
  {
    number: 59,
    needs: 'log',
    title: 'The log: grown, shrunk, forked, signed by another',
    async run(t) {
      // As it came, with its line end.
      const pinned_key = (await t.ok('call', { operation: 'log.key', params: {} })).result.text;
      const seal = async () => {
        const { result } = await t.ok('send', { message: t.message({ certified: true }) }, t.patient());
        const args = { message_id: result.message.id, within_ms: 40_000 };
        return (await t.ok('wait_until_sealed', args, t.patient())).result;
      };
      await seal();
      const { result: first } = await t.ok('log_checkpoint', { pinned_key });
      const message = await seal();
      const { result: grown } = await t.ok('log_follow', { pinned_key, saved: first.saved });
      assert.ok(grown.tree_size > first.tree_size, 'grown');
      const { result } = await t.ok('check_promise', { message, pinned_key });
      assert.equal(result.state, 'kept');

      const three = [1, 2, 3].map(() => t.message({ certified: true }));
      const { result: batch } = await t.ok('send_batch', { items: three }, t.patient());
      const isOfGroup = ({ promise }) => promise.startsWith('acuse/promise/v2\n');
      const together = batch.results.map((each) => each.message).find(isOfGroup);
      assert.ok(together, 'one signature for a batch');
      await t.ok('wait_until_sealed', { message_id: together.id, within_ms: 40_000 }, t.patient());
      const { result: promised } = await t.ok('check_promise', { message: together, pinned_key });
      assert.equal(promised.state, 'kept');

      const log = makeLog('sandbox.test/log');
      const proxy = await t.proxy(() => note(log.checkpoint(20, 'a')));
      const options = t.options(proxy.url);
      const { result: saved } = await t.ok('log_checkpoint', { pinned_key: log.vkey }, options);
      const follow = { pinned_key: log.vkey, saved: saved.saved };
      const told = async (body, reason) => {
        proxy.script = () => note(body);
        await t.fails('log_follow', follow, options, { class: 'LogError', reason });
      };
      await told(log.checkpoint(19, 'a'), 'went_back');
      await told(log.checkpoint(20, 'b'), 'forked');
      await told(makeLog('sandbox.test/log').checkpoint(21, 'a'), 'bad_signature');
      await told('nothing\n', 'bad_signature');
      await told(log.checkpoint(21, 'a').replace('\n21\n', '\n22\n'), 'bad_signature');
      await pinned(t);
      await followedByTiles(t);
      await promises(t);
    },
  },
];

/** Spaces, tabs and line ends around a key are no part of it; any other text is refused, unasked. */
async function pinned(t) {
  const log = makeLog('log.example/acuse');
  const proxy = await t.proxy(() => note(log.checkpoint(20, 'a')));
  const options = t.options(proxy.url);
  for (const around of [' ', '\t', '\n', '\r\n', ' \t\r\n \n']) {
    const pinned_key = `${around}${log.vkey}${around}`;
    const { result: saved } = await t.ok('log_checkpoint', { pinned_key }, options);
    await t.ok('log_follow', { pinned_key, saved: saved.saved }, options);
  }
  const asked = proxy.seen.requests.length;
  const within = [' ', '\n'].map((each) => log.vkey.replace('+', `+${each}`));
  const others = ['\0', '\v', '\f', '\x1c', '\u0085', '\u00a0', '\u2003', '\u2028', '\ufeff'];
  const beside = others.flatMap((each) => [each + log.vkey, log.vkey + each]);
  const wrong = ['', ' ', '\n', 'log', '++', log.vkey.replace('+', '+0'), `${log.vkey}\n\n-`, log.witness];
  for (const pinned_key of [...wrong, ...within, ...beside]) {
    const refused = { class: 'ConfigurationError' };
    const { text } = (await t.fails('log_checkpoint', { pinned_key }, options, refused)).error;
    assert.ok(text.includes('name+id+base64'), text);
  }
  assert.equal(proxy.seen.requests.length, asked, 'requests for a key that cannot be one');
}

/** In time, late, and by another; of an entry that is in a log of several tiles, and of one that is not. */
async function promises(t) {
  const examples = JSON.parse(readFileSync(join(t.vectors, 'examples.json'), 'utf8'));
  const log = makeLog('log.example/acuse');
  const tree = makeTree();
  const [SIZE, index] = [600, 300];
  const sealed = {
    ...examples.Evidence.full,
    ...{ canonical_hash: entry(index).toString('hex'), leaf_index: index },
  };
  const unsealed = { error: { code: 'missing_proof_data', message: 'The message is not sealed.' } };
  const json = (status, body) => ({
    answer: { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  });
  let isSealed = true;
  const proxy = await t.proxy(({ target }) => {
    if (target === '/log/checkpoint') return note(log.checkpoint(SIZE, tree.root(SIZE)));
    if (target.endsWith('/evidence')) return isSealed ? json(200, sealed) : json(422, unsealed);
    return tileAnswer(tree.tile(target.slice('/log/'.length)));
  });
  const options = t.options(proxy.url);
  const now = Math.floor(Date.now() / 1000);
  const ask = (promise) => ({ message: { ...examples.Message.full, promise }, pinned_key: log.vkey });
  const stateOf = async (at, deadline) =>
    (await t.ok('check_promise', ask(log.promise(entry(at), deadline)), options)).result.state;
  assert.equal(await stateOf(index, now - 3_600), 'kept');
  isSealed = false;
  assert.equal(await stateOf(SIZE, now + 3_600), 'pending');
  assert.equal(await stateOf(SIZE, now - 3_600), 'broken');
  await t.fails('check_promise', ask(null), options, { class: 'ConfigurationError' });
  const forged = log.promise(entry(SIZE), now).replace(`\n${now}\n`, `\n${now + 1}\n`);
  await t.fails('check_promise', ask(forged), options, { class: 'LogError', reason: 'bad_signature' });
}

const tileAnswer = (body) => ({
  answer: { status: 200, headers: { 'content-type': 'application/octet-stream' }, body },
});

/** The tree of contract/vectors/tiles.json as it grows, and others that do not continue it. */
async function followedByTiles(t) {
  const log = makeLog('log.example/acuse');
  const proxy = await t.proxy();
  const options = t.options(proxy.url);
  /** The log has so many entries from now on. */
  const serve = (size, tree = makeTree(), cut = 0) => {
    proxy.script = ({ target }) => {
      if (target === '/log/checkpoint') return note(log.checkpoint(size, tree.root(size)));
      return tileAnswer(tree.tile(target.slice('/log/'.length)).subarray(cut));
    };
  };
  serve(1);
  let { result: saved } = await t.ok('log_checkpoint', { pinned_key: log.vkey }, options);
  const follow = () => ({ pinned_key: log.vkey, saved: saved.saved });
  for (const size of [2, 255, 256, 257, 257, 511, 600]) {
    serve(size);
    ({ result: saved } = await t.ok('log_follow', follow(), options));
    assert.equal(saved.tree_size, size);
  }
  const forked = { class: 'LogError', reason: 'forked' };
  // An entry that the saved checkpoint holds is another, and tiles that lack a hash.
  for (const [tree, cut] of [
    [makeTree(300), 0],
    [makeTree(), 32],
  ]) {
    serve(700, tree, cut);
    await t.fails('log_follow', follow(), options, forked);
  }
}

/**
 * True if two archives hold the same entries. zlib refuses what other readers of deflate take, such as an
 * incomplete set of distance codes: then theirs is asked.
 */
function holdsTheSame(one, other) {
  return [inflateRawSync, inflateSync].some((inflate) => {
    try {
      assert.deepEqual(entriesOf(one, inflate), entriesOf(other, inflate));
      return true;
    } catch {
      return false;
    }
  });
}

/** "Done when" 8. */
export const singleBits = {
  number: 65,
  needs: 'verification',
  offline: true,
  title: 'Single bits of a good bundle changed: none that changes what it holds is valid',
  async run(t) {
    const good = readFileSync(join(t.vectors, 'bundles/good/sealed.zip'));
    await each([...Array(BITS).keys()], async (at) => {
      const bit = Math.floor((at * good.length * 8) / BITS);
      const bytes = Buffer.from(good);
      bytes[bit >> 3] ^= 1 << (bit & 7);
      const path = t.path(`bit-${at}.zip`);
      writeFileSync(path, bytes);
      const answer = await t.shim.ask('verify_bundle', { path, policy: TRUST_BUNDLE });
      const { valid } = reportOf(answer, `bit ${bit}`);
      // A container may say another time or other permissions, and still hold the same.
      if (valid) assert.ok(holdsTheSame(bytes, good), `bit ${bit}`);
    });
  },
};
