// The Debian package: the tree below /usr/lib/acuse, the units, the command, and what an installation does.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { settle } from './facts.mjs';

const deploy = fileURLToPath(new URL('../../deploy', import.meta.url));

/** Debian's names of what Node calls by its own. */
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };
const MAINTAINER_SCRIPTS = ['postinst', 'prerm', 'postrm'];
/** From deploy/ → where it is installed, and its mode. */
const INSTALLED = [
  ['debian/acuse', 'usr/bin/acuse', 0o755],
  ['debian/acuse.env', 'usr/share/acuse/acuse.env', 0o644],
  ['debian/copyright', 'usr/share/doc/acuse/copyright', 0o644],
  ['systemd/acuse.service', 'usr/lib/systemd/system/acuse.service', 0o644],
  ['systemd/acuse@.service', 'usr/lib/systemd/system/acuse@.service', 0o644],
  ['systemd/acuse-backup.service', 'usr/lib/systemd/system/acuse-backup.service', 0o644],
  ['systemd/acuse-backup.timer', 'usr/lib/systemd/system/acuse-backup.timer', 0o644],
];
const ROLES = 'systemd/roles';

/** Builds `acuse_<version>_<architecture>.deb` of a tree, which it uses up, and returns its name. */
export function makeDeb(tree, out, facts) {
  const architecture = ARCHITECTURES[process.arch];
  if (architecture === undefined) throw new Error(`no Debian architecture is known for ${process.arch}`);
  const work = join(out, '.deb');
  rmSync(work, { recursive: true, force: true });
  const changelog = readFileSync(join(tree, 'CHANGELOG.md'));
  const put = (path, contents, mode = 0o644) => {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), contents, { mode });
  };
  mkdirSync(join(work, 'usr/lib'), { recursive: true });
  renameSync(tree, join(work, 'usr/lib/acuse'));
  for (const [from, to, mode] of INSTALLED) put(to, readFileSync(join(deploy, from)), mode);
  for (const name of readdirSync(join(deploy, ROLES)))
    put(`usr/lib/acuse/roles/${name}`, readFileSync(join(deploy, ROLES, name)));
  put('usr/share/doc/acuse/changelog.gz', gzipSync(changelog, { level: 9 }));
  const kilobytes = Math.ceil(sizeOf(join(work, 'usr')) / 1024);
  const control = readFileSync(join(deploy, 'debian/control'), 'utf8')
    .replace('@VERSION@', facts.version)
    .replace('@ARCHITECTURE@', architecture)
    .replace('@SIZE@', String(kilobytes));
  put('DEBIAN/control', control);
  for (const name of MAINTAINER_SCRIPTS)
    put(`DEBIAN/${name}`, readFileSync(join(deploy, 'debian', name)), 0o755);
  settle(work, facts.time);
  const name = `acuse_${facts.version}_${architecture}.deb`;
  execFileSync(
    'dpkg-deb',
    // One thread: the number of threads shows in what is made.
    ['--root-owner-group', '-Zzstd', '-z9', '--threads-max=1', '--build', work, join(out, name)],
    { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, SOURCE_DATE_EPOCH: epochOf(facts) } },
  );
  rmSync(work, { recursive: true });
  return name;
}

function epochOf({ time }) {
  return String(time.getTime() / 1000);
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
