#!/usr/bin/env node
// Checks deploy/'s files for containers, without any: the Dockerfile by hadolint, the compose files by
// Compose, the proxy's settings by nginx, the alerts by promtool, the chart by the schemas of Kubernetes. It
// prints "skipped: needs …" for what is not installed. Part of `npm run package:check`.
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { has, pythonTool, run } from '../contract/tools.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const deploy = fileURLToPath(new URL('../../deploy', import.meta.url));
const chart = join(deploy, 'helm/acuse');

const CHECKS = [
  ['Dockerfile', 'hadolint', () => has('hadolint'), checkDockerfile],
  ['compose settings', 'nothing', () => true, checkComposeSettings],
  ['compose secrets', 'nothing', () => true, checkComposeSecrets],
  ['compose files', 'docker compose', () => has('docker', 'compose', 'version'), checkCompose],
  ['nginx settings', 'nginx and openssl', () => has(nginx(), '-v') && has('openssl', 'version'), checkNginx],
  ['alerts', 'promtool', () => has('promtool'), checkAlerts],
  ['chart', 'python3 with venv, and go', canCheckChart, checkChart],
];

function checkDockerfile() {
  run('hadolint', [join(deploy, 'container/Dockerfile')]);
}

/** A service for each role that has a unit, and every setting that must be given in the example. */
function checkComposeSettings() {
  const text = readFileSync(join(deploy, 'compose/roles.yaml'), 'utf8');
  const example = readFileSync(join(deploy, 'compose/acuse.env.example'), 'utf8');
  const found = (expression) => [...new Set([...text.matchAll(expression)].map(([, name]) => name))].sort();
  const units = readdirSync(join(deploy, 'systemd/roles')).map((name) => name.replace('.env', ''));
  const served = found(/^ {6}ACUSE_ROLES: (\S+)$/gm);
  if (served.join() !== units.sort().join())
    throw new Error(`roles.yaml serves ${served}; there are ${units}`);
  for (const name of found(/\$\{(\w+):\?/g))
    if (!example.includes(`\n${name}=`)) throw new Error(`acuse.env.example lacks ${name}`);
}

/** Files that an operator puts beside roles.yaml get into no commit and into no layer of the build. */
function checkComposeSecrets() {
  const text = readFileSync(join(deploy, 'compose/roles.yaml'), 'utf8');
  const linesOf = (path) => readFileSync(join(deploy, path), 'utf8').split('\n');
  const kept = linesOf('../.gitignore');
  const own = new Set(
    [...text.matchAll(/env_file: (\S+)$|- \.\/(\w+):/gm)].map((found) => found[1] ?? found[2]),
  );
  if (own.size === 0) throw new Error('roles.yaml names no file of an operator');
  for (const name of own)
    if (!kept.includes(`/deploy/compose/${name}`) && !kept.includes(`/deploy/compose/${name}/`))
      throw new Error(`.gitignore lacks /deploy/compose/${name}`);
  if (!linesOf('container/Dockerfile.dockerignore').includes('deploy/compose'))
    throw new Error('Dockerfile.dockerignore lacks deploy/compose');
}

/** As an operator has them, with acuse.env beside them. */
function checkCompose(work) {
  const folder = join(work, 'deploy/compose');
  cpSync(join(deploy, 'compose'), folder, { recursive: true });
  copyFileSync(join(folder, 'acuse.env.example'), join(folder, 'acuse.env'));
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  const settings = { ACUSE_HOSTNAME: 'a.example', ACUSE_LOG_ORIGIN: 'a.example/log', ACUSE_MASTER_KEY: 'a' };
  for (const file of files)
    run('docker', ['compose', '--file', join(folder, file), 'config', '--quiet'], {
      env: { ...process.env, ...settings, POSTGRES_PASSWORD: 'a' },
    });
}

function nginx() {
  return has('nginx', '-v') ? 'nginx' : '/usr/sbin/nginx';
}

/** As it is, but for the places of files: with a certificate, and a folder to write to. */
function checkNginx(work) {
  const tls = ['-keyout', join(work, 'key.pem'), '-out', join(work, 'cert.pem')];
  run('openssl', ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-subj', '/CN=a.example', ...tls]);
  copyFileSync(join(deploy, 'compose/nginx.conf'), join(work, 'nginx.conf'));
  const text = readFileSync(join(work, 'nginx.conf'), 'utf8').replaceAll('/tls/', `${work}/`);
  writeFileSync(join(work, 'nginx.conf'), `pid ${work}/nginx.pid;\nerror_log stderr;\n${text}`);
  mkdirSync(join(work, 'logs'));
  run(nginx(), ['-t', '-p', work, '-c', join(work, 'nginx.conf')]);
  const part = `http { include ${join(deploy, 'nginx/two-hosts.conf')}; }`;
  writeFileSync(join(work, 'part.conf'), `pid ${work}/nginx.pid;\nerror_log stderr;\nevents {}\n${part}\n`);
  run(nginx(), ['-t', '-p', work, '-c', join(work, 'part.conf')]);
}

function checkAlerts() {
  run('promtool', ['check', 'rules', join(deploy, 'prometheus/alerts.yaml')]);
  run('promtool', ['test', 'rules', join(deploy, 'prometheus/alerts_test.yaml')]);
}

function canCheckChart() {
  return has('python3', '-c', 'import venv, ensurepip') && has('go', 'version');
}

/** With its own values, with everything that they leave out, and with those of each example. */
function checkChart(work) {
  const program = join(work, 'render-chart');
  run('go', ['build', '-o', program, '.'], { cwd: join(here, 'render-chart') });
  const examples = readdirSync(join(deploy, 'helm/examples')).map((name) =>
    join(deploy, 'helm/examples', name),
  );
  for (const values of [[], ...[join(here, 'full-values.yaml'), ...examples].map((path) => [path])]) {
    const facts = run(pythonTool('python3'), [join(here, 'chart.py'), chart, ...values]);
    const rendered = join(work, 'rendered.yaml');
    writeFileSync(rendered, run(program, [join(chart, 'templates')], { input: facts }));
    run(pythonTool('kubernetes-validate'), ['--strict', rendered]);
  }
}

for (const [name, needs, isPossible, check] of CHECKS) {
  if (!isPossible()) {
    console.log(`deploy: ${name} skipped: needs ${needs}`);
    continue;
  }
  const work = mkdtempSync(join(tmpdir(), 'acuse-deploy-'));
  try {
    check(work);
    console.log(`deploy: ${name} ok`);
  } catch (error) {
    console.error(`deploy: ${name} FAILED\n${error.message}`);
    process.exitCode = 1;
  } finally {
    rmSync(work, { recursive: true });
  }
}
