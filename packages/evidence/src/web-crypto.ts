import { EvidenceError } from './errors.ts';

/**
 * Throws where signatures cannot be checked: browsers give WebCrypto to secure contexts only (https,
 * localhost). A verdict made without it would be about the place, not about the evidence.
 */
export function requireWebCrypto(): void {
  if (globalThis.crypto?.subtle === undefined)
    throw new EvidenceError('environment', 'WebCrypto is not available here: open the page by https');
}
