import type { SMTPServerSession } from 'smtp-server';
import { Counts } from '../counts.ts';
import { networkOf } from '../network/network.ts';

/** How many of one owner there are at once. */
export interface Tenancy<Member extends object> {
  /** False when the owner has too many with this one, which is counted all the same until it leaves. */
  add(member: Member, owner: string): boolean;
  /** One that was never added, or left before, changes nothing. */
  remove(member: Member): void;
  count(owner: string): number;
}

export function createTenancy<Member extends object>(max: number): Tenancy<Member> {
  const counts = new Counts();
  const owners = new WeakMap<Member, string>();
  return {
    add(member, owner) {
      owners.set(member, owner);
      return counts.add(owner, 1) <= max;
    },
    remove(member) {
      const owner = owners.get(member);
      if (owner === undefined) return;
      owners.delete(member);
      counts.add(owner, -1);
    },
    count: (owner) => counts.of(owner),
  };
}

/** What a session's network is counted by. */
export function networkOfSession(session: SMTPServerSession): string {
  return networkOf(session.remoteAddress);
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
