#!/usr/bin/env node
// node install.mjs <language>: installs a client library from a running installation into an empty project,
// with the command of sdks/names.json, which the installation shows; runs the first program of the library's
// README as it is printed, and one that reads a webhook and verifies a proof bundle. The service is that of
// ACUSE_URL and ACUSE_API_KEY, else one of its own. Exit code 77: something is missing.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startService } from '../../contract/service.mjs';
import { CLIENTS, makeClients } from '../clients.mjs';
import { readFacts } from '../facts.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const programs = fileURLToPath(new URL('programs/', import.meta.url));
const { languages } = JSON.parse(readFileSync(join(root, 'sdks/names.json'), 'utf8'));
const SKIPPED = 77;
const SEALED_WITHIN_MS = 60_000;
const ASK_EVERY_MS = 250;
/** Nobody answers there: what asks for more than this installation has fails. */
const NOBODY = 'http://127.0.0.1:9/';
const cache =
  process.env.ACUSE_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'acuse');

/**
 * `prepare`: the empty project; `env`: of its tools; `first`: where the README's first program goes; `check`:
 * likewise of programs/; `run`: the commands that run one, a list; `kept`: folders that its tools keep
 * elsewhere, of which the new ones are removed.
 * Ruby and Rust verify what they can: docs/clients.md.
 */
const PROJECTS = {
  typescript: {
    prepare: ({ put }) => put('package.json', '{"private":true,"type":"module"}'),
    env: () => ({ npm_config_registry: NOBODY }),
    ...{ fence: 'js', first: 'first.mjs', check: ['check.mjs', 'check.mjs'] },
    run: (file) => [['node', file]],
  },
  python: {
    prepare: ({ sh }) => sh('python3 -m venv venv'),
    env: ({ folder }) => ({ PATH: `${folder}/venv/bin:${process.env.PATH}` }),
    ...{ fence: 'python', first: 'first.py', check: ['check.py', 'check.py'] },
    run: (file) => [['python', file]],
  },
  go: {
    prepare: ({ sh }) => sh('go mod init example.com/fresh 2>&1'),
    env: ({ folder }) => ({ GOFLAGS: '-modcacherw', GOTOOLCHAIN: 'local', GOMODCACHE: `${folder}/modules` }),
    ...{ fence: 'go', first: 'first/main.go', check: ['check.go', 'check/main.go'] },
    run: (file) => [['go', 'run', `./${file}`]],
  },
  rust: {
    prepare: ({ sh }) => sh('cargo init --quiet --vcs none --name fresh'),
    // As the library's own tests are compiled, so that what both need is compiled once.
    env: () => ({
      CARGO_PROFILE_DEV_DEBUG: 'line-tables-only',
      CARGO_TARGET_DIR: join(root, 'sdks/rust/target'),
      CARGO_TERM_COLOR: 'never',
    }),
    kept: cargoRegistries,
    // README: "With the feature `verify`".
    after: ({ sh }) => sh('cargo add --quiet acuse --registry acuse --features verify'),
    ...{ fence: 'rust,no_run', first: 'src/bin/first.rs', check: ['check.rs', 'src/bin/check.rs'] },
    run: (file) => [['cargo', 'run', '--quiet', '--bin', /(\w+)\.rs$/.exec(file)[1]]],
    expected: 'unproven email.bounced',
  },
  java: {
    prepare: () => {},
    installs: prepareMaven,
    env: () => ({}),
    ...{
      fence: 'java',
      first: 'src/main/java/First.java',
      check: ['Check.java', 'src/main/java/Check.java'],
    },
    run: (file, { folder, version }) => [
      ['mvn', '-B', '-q', '-ntp', `-Dmaven.repo.local=${folder}/repository`, 'compile'],
      [
        'java',
        '-cp',
        `target/classes:repository/dev/acuse/acuse-java/${version}/acuse-java-${version}.jar`,
        /(\w+)\.java$/.exec(file)[1],
      ],
    ],
  },
  php: {
    // The folder stays empty, as a newcomer's is.
    prepare: ({ put }) => put('home/config.json', '{"repositories":{"packagist.org":false}}'),
    env: ({ folder }) => ({ COMPOSER_HOME: `${folder}/home`, COMPOSER_NO_INTERACTION: '1' }),
    ...{ fence: 'php', first: 'first.php', check: ['check.php', 'check.php'] },
    wrap: (code) => `<?php\n\n${code}`,
    run: (file) => [['php', file]],
  },
  ruby: {
    prepare: () => {},
    env: ({ folder }) => ({
      GEM_HOME: `${folder}/gems`,
      GEM_PATH: `${folder}/gems`,
      GEM_SPEC_CACHE: `${folder}/specs`,
    }),
    ...{ fence: 'ruby', first: 'first.rb', check: ['check.rb', 'check.rb'] },
    run: (file) => [['ruby', file]],
  },
};

/** Folders of Cargo's registries, which name the host without its port. */
function cargoRegistries() {
  const registry = join(process.env.CARGO_HOME ?? join(homedir(), '.cargo'), 'registry');
  return ['index', 'cache', 'src']
    .map((name) => join(registry, name))
    .filter((part) => existsSync(part))
    .flatMap((part) => readdirSync(part).map((name) => join(part, name)));
}

/** Plug-ins of Maven come from its own registry, or from what the library's tests fetched. */
function prepareMaven({ folder, put, command }) {
  const sum = execFileSync('cksum', {
    input: readFileSync(join(root, 'sdks/java/pom.xml')),
    encoding: 'utf8',
  });
  const fetched = join(cache, `maven-${sum.split(' ')[0]}`, 'repository');
  if (existsSync(fetched)) execFileSync('cp', ['-al', fetched, join(folder, 'repository')]);
  put(
    'pom.xml',
    `<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion>
<groupId>example</groupId><artifactId>fresh</artifactId><version>1</version>
<properties><maven.compiler.release>17</maven.compiler.release></properties>
${command}
<build><plugins>
<plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin>
<plugin><artifactId>maven-compiler-plugin</artifactId><version>3.13.0</version></plugin>
</plugins></build>
</project>
`,
  );
}

async function install(language, service) {
  const project = PROJECTS[language];
  const { version } = readFacts();
  const before = project.kept?.() ?? [];
  const folder = mkdtempSync(join(tmpdir(), `acuse-fresh-${language}-`));
  try {
    const environment = {
      ...process.env,
      ACUSE_URL: service.url,
      ACUSE_API_KEY: service.key,
      ...project.env({ folder }),
    };
    const run = (program, ...args) => {
      const { status, stdout, stderr } = spawnSync(program, args, {
        cwd: folder,
        env: environment,
        encoding: 'utf8',
      });
      assert.equal(status, 0, `${program} ${args.join(' ')}\n${stdout}${stderr}`);
      return stdout;
    };
    const put = (name, contents) => {
      mkdirSync(join(folder, name, '..'), { recursive: true });
      writeFileSync(join(folder, name), contents);
    };
    const sh = (command) => run('bash', '-ec', command);
    // An installation that the world sees has https; this one has not.
    const command = languages[language].install
      .replace(/\{http:([^{}]*)\}/g, '$1')
      .replaceAll('{url}', service.url)
      .replaceAll('{version}', version);
    const facts = { folder, version, put, sh, command };
    project.prepare(facts);
    if (project.installs === undefined) sh(command);
    else project.installs(facts);
    project.after?.(facts);

    const code = firstOf(language, project.fence);
    put(project.first, project.wrap?.(code) ?? code);
    await putProof(put, service);
    cpSync(join(programs, project.check[0]), join(folder, project.check[1]));
    const last = (file) =>
      project
        .run(file, facts)
        .map(([program, ...args]) => run(program, ...args))
        .at(-1);
    assert.match(last(project.first), /[0-9a-f]{8}-[0-9a-f-]{27}/, 'the id of what was sent');
    assert.equal(last(project.check[1]).trim().toLowerCase(), project.expected ?? 'unproven email.bounced');
  } finally {
    rmSync(folder, { recursive: true, force: true });
    // The port of this service comes never again.
    for (const each of project.kept?.() ?? [])
      if (!before.includes(each)) rmSync(each, { recursive: true, force: true });
  }
}

/** The first block of code of the README, as it is printed. */
function firstOf(language, fence) {
  const readme = readFileSync(join(root, 'sdks', language, 'README.md'), 'utf8');
  const block = readme.split(`\`\`\`${fence}\n`)[1];
  assert.ok(block, `sdks/${language}/README.md has no block of ${fence}`);
  return block.slice(0, block.indexOf('```'));
}

/** proof.zip of a message that is sealed here, and a delivery of a webhook: body, headers, secret. */
async function putProof(put, { url, key }) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = {
    from: 'billing@sandbox.test',
    to: 'delivered@sandbox.test',
    text: 'Hello.',
    certified: true,
  };
  const sent = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': randomBytes(8).toString('hex') },
    body: JSON.stringify(body),
  });
  const { id } = await sent.json();
  const deadline = Date.now() + SEALED_WITHIN_MS;
  let bundle;
  do {
    assert.ok(Date.now() < deadline, 'sealed within a minute');
    await sleep(ASK_EVERY_MS);
    bundle = await fetch(`${url}/v1/messages/${id}/proof-bundle`, { headers });
  } while (bundle.status !== 200);
  put('proof.zip', Buffer.from(await bundle.arrayBuffer()));
  const testing = pathToFileURL(join(root, 'sdks/typescript/dist/testing/index.js'));
  const { signWebhook } = await import(testing.href);
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const delivery = await signWebhook({ type: 'email.bounced', data: { message_id: id } }, secret);
  put('body.json', delivery.body);
  put(
    'headers.txt',
    Object.entries(delivery.headers)
      .map(([name, value]) => `${name}: ${value}\n`)
      .join(''),
  );
  put('secret.txt', secret);
}

const [language] = process.argv.slice(2);
if (PROJECTS[language] === undefined) {
  console.error(`usage: install.mjs ${Object.keys(PROJECTS).join(' | ')}`);
  process.exit(2);
}
// The delivery is signed with the library that this one is compared with.
execFileSync(process.execPath, [join(root, 'sdks/typescript/build.mjs')], { stdio: 'inherit' });
const [missing] = makeClients(CLIENTS, readFacts(), [language]);
if (missing !== undefined) {
  console.error(missing[1]);
  process.exit(SKIPPED);
}
const { ACUSE_URL: url, ACUSE_API_KEY: key } = process.env;
const service = url ? { url, key, stop: async () => {} } : await startService({ ACUSE_SEAL_INTERVAL: '1s' });
try {
  await install(language, service);
  console.log(
    `install: ${language}: installed from ${service.url}/clients/, sends, reads a webhook, verifies`,
  );
} finally {
  await service.stop();
}
