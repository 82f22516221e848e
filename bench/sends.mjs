// The kinds of sends that the benches of accepting compare, and what became of a load of them.
import { BATCH_CONNECTIONS, BATCH_ITEMS, CONNECTIONS, loadOf, MESSAGE } from './send-service.mjs';

/** `kind`: certified, plain, batch, or the name of another server, which is sent what certified is. */
export function sends(kind, target, seconds) {
  const batch = kind === 'batch';
  const message = { ...MESSAGE, certified: kind !== 'plain' };
  return loadOf(target, { batch, message, connections: batch ? BATCH_CONNECTIONS : CONNECTIONS, seconds });
}

/**
 * `messages` accepted, and requests `refused` (503, or a batch in part): a machine that stands still for a
 * moment refuses some.
 * Throws where another answer came, or none was accepted.
 */
export function countAccepted(kind, load) {
  const [status, each] = kind === 'batch' ? ['200', BATCH_ITEMS] : ['201', 1];
  const accepted = load.statuses[status] ?? 0;
  const refused = (load.statuses['503'] ?? 0) + (load.statuses.failed ?? 0);
  if (accepted === 0 || accepted + refused !== load.requests)
    throw new Error(`answers of ${kind}: ${JSON.stringify(load.statuses)}`);
  return { messages: accepted * each, refused };
}
