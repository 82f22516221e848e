import { newId } from '../../platform/ids.ts';
import type { Log } from '../../platform/logger.ts';
import type { Mail } from './mail-words.ts';
import type { Person } from './person.ts';
import type { SystemMail } from './system-mail.ts';

/** A notice that changes nothing: its failure is nobody's but the log's. */
export async function tell(
  { mail, log }: { readonly mail: SystemMail | null; readonly log: Log },
  person: Pick<Person, 'personId' | 'email'>,
  words: Mail,
): Promise<void> {
  try {
    await mail?.send({ to: person.email, ...words, key: `notice-${newId()}` });
  } catch (error) {
    log.warn({ err: error, userId: person.personId }, 'a notice to a person was not accepted');
  }
}
