import type { SMTPServerSession } from 'smtp-server';
import { Counts } from '../counts.ts';
import { networkOf } from '../network/network.ts';

export interface Tenancy<Member extends object> {
  /** False: too many, counted all the same until it leaves. */
  add(member: Member, owner: string): boolean;
  /** Does nothing for an unknown member. */
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

export function networkOfSession(session: SMTPServerSession): string {
  return networkOf(session.remoteAddress);
}

export function createTally(): (session: SMTPServerSession) => number {
  const counts = new WeakMap<SMTPServerSession, number>();
  return (session) => {
    const count = (counts.get(session) ?? 0) + 1;
    counts.set(session, count);
    return count;
  };
}
