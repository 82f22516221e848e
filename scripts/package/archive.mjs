// Files of a release: the archive, the list of their hashes, and its signature.
import { execFileSync } from 'node:child_process';
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Of a whole tree, before it is compressed (bytes). */
const TAR_BYTES_MAX = 1024 * 1024 * 1024;
/** The operating system byte of gzip's header: unknown, wherever it was made. */
const GZIP_OS = { offset: 9, unknown: 255 };

/** A folder as `<name>.tar.gz`: sorted, owned by root, with one time. */
export function packTree(folder, file, time) {
  const tar = execFileSync(
    'tar',
    [
      '--format=ustar',
      '--sort=name',
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      `--mtime=@${time.getTime() / 1000}`,
      '--directory',
      dirname(folder),
      '--create',
      basename(folder),
    ],
    { env: { ...process.env, LC_ALL: 'C' }, maxBuffer: TAR_BYTES_MAX },
  );
  const packed = gzipSync(tar, { level: 6 });
  packed[GZIP_OS.offset] = GZIP_OS.unknown;
  writeFileSync(file, packed);
}

/** SHA256SUMS in the form that `sha256sum --check` reads. */
export function writeSums(folder, names) {
  const lines = [...names].sort().map((name) => {
    const digest = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    return `${digest}  ${name}\n`;
  });
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
}

/** SHA256SUMS.sig: 64 bytes (RFC 8032 §5.1.6), which openssl verifies. The public key lies next to it. */
export function signSums(folder, keyFile) {
  const key = createPrivateKey(readFileSync(keyFile));
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`${keyFile} holds a key of type ${key.asymmetricKeyType}, expected ed25519`);
  writeFileSync(join(folder, 'SHA256SUMS.sig'), sign(null, readFileSync(join(folder, 'SHA256SUMS')), key));
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' });
  writeFileSync(join(folder, 'acuse-release.pub'), publicKey);
}
