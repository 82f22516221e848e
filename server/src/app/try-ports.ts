import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../config/config-type.ts';
import { type Listener, listenersOf } from '../operate/doctor/listeners.ts';
import { listening } from '../platform/network/listen.ts';

/** Tries all ports before a first start creates data. Throws as listening does. */
export async function tryPorts(config: Config): Promise<void> {
  for (const listener of listenersOf(config))
    await listening(listener.variable, () => listenForAMoment(listener));
}

async function listenForAMoment({ host, port }: Listener): Promise<void> {
  const probe = createServer().listen(port, host);
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
}
