import type { SMTPServerSession } from 'smtp-server';
import { networkOf } from '../network/network.ts';

/** Clients of each network now, and the sessions that count in it: one may close before it was ever counted. */
export function createClientCount(max: number) {
  const networks = new Map<string, number>();
  const counted = new WeakSet<SMTPServerSession>();
  return {
    /** False when there are too many. */
    add(session: SMTPServerSession): boolean {
      const network = networkOf(session.remoteAddress);
      const count = (networks.get(network) ?? 0) + 1;
      networks.set(network, count);
      counted.add(session);
      return count <= max;
    },
    remove(session: SMTPServerSession): void {
      if (!counted.delete(session)) return;
      const network = networkOf(session.remoteAddress);
      const count = (networks.get(network) ?? 1) - 1;
      if (count <= 0) networks.delete(network);
      else networks.set(network, count);
    },
  };
}

/** Counts up by one a call, for each session. */
export function createTally(): (session: SMTPServerSession) => number {
  const counts = new WeakMap<SMTPServerSession, number>();
  return (session) => {
    const count = (counts.get(session) ?? 0) + 1;
    counts.set(session, count);
    return count;
  };
}
