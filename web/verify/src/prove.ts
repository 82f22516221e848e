import { looksLikeCase } from '@acuse/evidence/case-file';
import { readPinnedPolicy } from '@acuse/evidence/policy';
import { verifyBundle } from '@acuse/evidence/verify';
import { sha256 } from '@noble/hashes/sha2.js';
import { openShare } from '../../shared/api/prove.ts';
import { digest } from '../../shared/evidence/digest.ts';
import { element } from '../../shared/evidence/element.ts';
import { now } from '../../shared/format/clock.ts';
import {
  byId,
  canVerify,
  logEnds,
  message,
  ownPolicy,
  showCase,
  showVerification,
  startPage,
  verifyCase,
} from './page.ts';
import { qrCode } from './qr-code.ts';

/**
 * The program of /prove/{id}: asks for the bundle with the secret that the link's fragment holds, and
 * verifies it here. It asks when its reader presses the button, because programs that scan mail follow every
 * link, and each opening is shown to whoever shared it.
 */

const page = startPage('proveTitle');
const button = byId('open') as HTMLButtonElement;
const [, id = ''] = /^\/prove\/([^/]+)\/?$/.exec(location.pathname) ?? [];
const secret = location.hash.slice(1);

if (!canVerify(page)) {
  // Not opened for nothing: whoever shared it sees each opening.
  button.hidden = true;
} else if (secret === '') {
  button.hidden = true;
  page.show(({ incomplete, incompleteMeans }) => message(incomplete, incompleteMeans));
}
/** Another link pasted into the same tab changes the fragment only. */
addEventListener('hashchange', () => location.reload());

button.addEventListener('click', async () => {
  if (button.disabled) return;
  button.disabled = true;
  page.show(({ opening }) => element('p', opening));
  const opened = await openShare(id, secret);
  if (opened.kind === 'opened') {
    const verify = (bundle: Uint8Array) =>
      verifyBundle(bundle, {
        sha256,
        digest,
        now: now(),
        ends: logEnds(),
        // This service handed it out just now: the keys in it are the service's own.
        trust: 'bundle',
        own: readPinnedPolicy(ownPolicy(), sha256),
      });
    if (looksLikeCase(opened.bundle)) {
      showCase(page, await verifyCase(opened.bundle, verify));
      byId('download').dataset['word'] = 'caseDownload';
      byId('download').textContent = page.words().caseDownload;
    } else showVerification(page, await verify(opened.bundle));
    offerDownload(opened.bundle);
    byId('code').replaceChildren(qrCode(location.href));
    byId('link').textContent = location.href;
    return;
  }
  button.disabled = false;
  if (opened.kind === 'gone') page.show(({ gone, goneMeans }) => message(gone, goneMeans));
  else page.show(({ notOpened, notOpenedMeans }) => message(notOpened, notOpenedMeans(opened.requestId)));
});

/** The bytes that were verified, not a second download of them. */
function offerDownload(bundle: Uint8Array<ArrayBuffer>): void {
  const link = element('a');
  link.href = URL.createObjectURL(new Blob([bundle], { type: 'application/zip' }));
  link.download = `acuse-${id}.zip`;
  byId('download').addEventListener('click', () => link.click());
}
