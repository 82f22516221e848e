import { isIP } from 'node:net';
import { isPublicAddress } from '../platform/network/public-address.ts';

/** Names for private use. RFC 6761 §6 */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|test|home\.arpa)\.?$/;

/** True if the URL looks like a development receiver; nothing is resolved. */
function isLocal(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return !isPublicAddress(host);
  // A name without a dot is a container's or a private network's.
  return LOCAL_NAME.test(host) || !host.includes('.');
}

/** Advice for developers after a refused URL. */
export function localAdvice(url: string): string {
  if (!isLocal(url)) return '';
  return ` To receive events during development, run acuse webhooks listen --forward ${forTerminal(url)}: it needs no endpoint. Or start a sandbox with ACUSE_WEBHOOK_ALLOW_PRIVATE=true: it then also calls loopback addresses.`;
}

/** Meant to be pasted: no shell metacharacters. */
function forTerminal(url: string): string {
  return /^[\w:/.[\]-]{1,100}$/.test(url) ? url : 'http://localhost:3000/hook';
}
