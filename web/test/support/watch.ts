import type { BrowserContext } from 'playwright-core';

/** Forbidden acts of a browser profile. */
export interface Watch {
  /** Reports of the content security policy. */
  readonly violations: string[];
  /** Addresses outside the server that were asked for. */
  readonly foreign: string[];
  /** Uncaught errors, and errors written to the console. */
  readonly faults: string[];
}

/**
 * Lines that the browser itself writes: about each answer from 400 on, since refusals are what many tests are
 * about, and about scripts of messages, which their frames keep from running.
 */
const OWN_LINES = /^(?:Failed to load resource|Blocked script execution in)/;

/** Every page of the context is watched from its first byte on. */
export async function watch(context: BrowserContext, base: string): Promise<Watch> {
  const seen: Watch = { violations: [], foreign: [], faults: [] };
  await context.exposeBinding('acuseReport', (_source, report: string) => void seen.violations.push(report));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const report = `${event.violatedDirective} ${event.blockedURI} ${event.sample}`;
      (window as unknown as { acuseReport(report: string): void }).acuseReport(report);
    });
  });
  // Passkeys need a name: of the same server.
  const named = base.replace('//127.0.0.1:', '//localhost:');
  context.on('request', (request) => {
    const url = request.url();
    const isOurs = url.startsWith(`${base}/`) || url.startsWith(`${named}/`);
    if (!isOurs && !/^(?:data|blob|about):/.test(url)) seen.foreign.push(url);
  });
  context.on('weberror', (error) => void seen.faults.push(error.error().message));
  context.on('console', (message) => {
    if (/Content Security Policy|Trusted Type/i.test(message.text())) seen.violations.push(message.text());
    else if (message.type() === 'error' && !OWN_LINES.test(message.text())) seen.faults.push(message.text());
  });
  return seen;
}
