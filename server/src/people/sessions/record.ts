import { type AuditEntry, type AuditSource, appendAccountEvent } from '../../accounts/audit/append.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { Client } from './client.ts';
import { listMemberships } from './members-store.ts';
import type { Person } from './person.ts';

/** Records a change of a person's sign-in: each of their accounts sees it. */
export async function recordOfPerson(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  person: Pick<Person, 'personId' | 'email' | 'name'>,
  client: Client,
  what: string | AuditEntry,
): Promise<void> {
  const entry = typeof what === 'string' ? { action: what } : what;
  for (const { tenantId } of await listMemberships(tx, person.personId))
    await appendAccountEvent(tx, tenantId, sourceOf(person, client), entry, clock.now());
}

export function sourceOf(person: Pick<Person, 'personId' | 'email' | 'name'>, client: Client): AuditSource {
  return {
    kind: 'user',
    id: person.personId,
    name: nameOf(person),
    clientAddress: client.address,
    requestId: client.requestId,
  };
}

/** The name by which records show a person. */
export function nameOf({ name, email }: Pick<Person, 'name' | 'email'>): string {
  return name === '' ? email : name;
}
