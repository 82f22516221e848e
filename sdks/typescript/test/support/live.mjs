// The service that tests run against: that of ACUSE_URL and ACUSE_API_KEY, which test/run.mjs starts.
import { Acuse } from '@acuse/client';

const { ACUSE_URL: url, ACUSE_API_KEY: key } = process.env;

/** For `describe`: skipped, with the reason, where no service runs. */
export const live = { skip: url === undefined && 'no service: set ACUSE_URL, or use test/run.mjs' };

export function client(options = {}) {
  return new Acuse({ apiKey: key, baseUrl: url, ...options });
}

/** A message to the sandbox's mailbox. */
export function draft(fields = {}) {
  return {
    from: 'billing@sandbox.test',
    to: 'delivered@sandbox.test',
    subject: 'Invoice 1',
    text: 'Hello.',
    ...fields,
  };
}

/** Until `find` answers something; a service delivers in its own time. */
export async function eventually(find) {
  for (let tries = 0; tries < 300; tries++) {
    const found = await find();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('it did not happen');
}
