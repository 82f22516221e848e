import type { BrowserContext } from 'playwright-core';

/** What a browser profile did that it must not. */
export interface Watch {
  /** Reports of the content security policy. */
  readonly violations: string[];
  /** Addresses outside the server that were asked for. */
  readonly foreign: string[];
  /** Errors that no code caught, and what was written to the console as one. */
  readonly faults: string[];
}

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
  context.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${base}/`) && !/^(?:data|blob|about):/.test(url)) seen.foreign.push(url);
  });
  context.on('weberror', (error) => void seen.faults.push(error.error().message));
  context.on('console', (message) => {
    if (/Content Security Policy|Trusted Type/i.test(message.text())) seen.violations.push(message.text());
    // The browser's own line about each answer from 400 on: refusals are what many tests are about.
    else if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      seen.faults.push(message.text());
  });
  return seen;
}
