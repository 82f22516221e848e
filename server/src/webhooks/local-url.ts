import { isIP } from 'node:net';
import { isPublicAddress } from '../platform/network/public-address.ts';

/** Names that lead nowhere but to a machine or a network of one's own. RFC 6761 §6 */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|test|home\.arpa)\.?$/;

/** Whether a URL looks like a receiver that is being developed; pure: nothing is resolved. */
function isLocal(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return !isPublicAddress(host);
  // A name without a dot is one of a container or of a network of one's own.
  return LOCAL_NAME.test(host) || !host.includes('.');
}

/** What a refused URL is followed by, for who develops a receiver; nothing for others. */
export function localAdvice(url: string): string {
  if (!isLocal(url)) return '';
  return ` To receive events during development, run acuse webhooks listen --forward ${forTerminal(url)}: it needs no endpoint. Or start a sandbox with ACUSE_WEBHOOK_ALLOW_PRIVATE=true: it then also calls loopback addresses.`;
}

/** Shown with the rest of the message, to be pasted: anything that a shell reads differently is left out. */
function forTerminal(url: string): string {
  return /^[\w:/.[\]-]{1,100}$/.test(url) ? url : 'http://localhost:3000/hook';
}
