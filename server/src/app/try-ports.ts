import type { Config } from '../config/config-type.ts';
import { listenersOf } from '../operate/doctor/listeners.ts';
import { tryPort } from '../platform/network/listen.ts';

/** Tries all ports before a first start creates data. Throws as listening does. */
export async function tryPorts(config: Config): Promise<void> {
  for (const { variable, port, host } of listenersOf(config)) await tryPort(variable, port, host);
}
