import { once } from 'node:events';
import { createServer } from 'node:net';

/** Listens for a moment: whether a start could. `host` absent: on all addresses. Throws as listening does. */
export function tryPort(variable: string, port: number, host?: string): Promise<void> {
  return listening(variable, async () => {
    const probe = createServer().listen({ port, host });
    await once(probe, 'listening');
    probe.close();
    await once(probe, 'close');
  });
}

/** Reports an unusable address with the variable that sets it. */
export async function listening<T>(variable: string, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const { code, address, port } = error as { code?: unknown; address?: string; port?: number };
    const advice = ADVICE[String(code)]?.(variable, address);
    if (advice === undefined) throw error;
    throw new Error(`cannot listen on ${address} port ${port}: ${advice}`, { cause: error });
  }
}

const ADVICE: Record<string, (variable: string, address: string | undefined) => string> = {
  EADDRINUSE: (variable, address) =>
    `the port is in use by another program; stop that program, or set ${variable} to another port${isEvery(address) && HOSTS[variable] !== undefined ? `, or ${HOSTS[variable]} to an address that it leaves free` : ''}`,
  EACCES: (variable) =>
    `this user may not use that port; set ${variable} to one above 1023, or give the program CAP_NET_BIND_SERVICE`,
  EADDRNOTAVAIL: (variable) =>
    `that is not an address of this machine; ${HOSTS[variable] ?? 'its host'} must name one that is`,
};

const isEvery = (address: string | undefined) => address === '::' || address === '0.0.0.0';

/** The address's variable, by the port's variable. */
const HOSTS: Readonly<Record<string, string>> = {
  ACUSE_PORT: 'ACUSE_HOST',
  ACUSE_ADMIN_PORT: 'ACUSE_ADMIN_HOST',
  ACUSE_METRICS_PORT: 'ACUSE_METRICS_HOST',
  ACUSE_RETURN_PATH_PORT: 'ACUSE_RETURN_PATH_HOST',
  ACUSE_SUBMISSION_PORT: 'ACUSE_SUBMISSION_HOST',
  ACUSE_SUBMISSIONS_PORT: 'ACUSE_SUBMISSION_HOST',
};
