import { VARIABLES } from '../../config/config-variables.ts';
import { facts, type Lines } from '../output.ts';
import type { MadeAccount } from './install.ts';
import type { Answers } from './question.ts';

export interface Access extends MadeAccount {
  readonly operatorLink: string | null;
}

export function accessLines(
  { operatorLink, tenantId, made }: Access,
  { operator = '' }: Answers,
  command: string,
): Lines[] {
  return [
    facts([
      ['console', operatorLink ?? `${command} operators link ${operator}  (makes a new link)`],
      ['portal', made?.ownerLink ?? `${command} users link ${operator}  (makes a new link)`],
      [
        'API key',
        made === null
          ? `${command} keys create --tenant ${tenantId} --name <name>  (makes a new key)`
          : `${made.key}  (not shown again)`,
      ],
    ]),
  ];
}

const OURS: ReadonlySet<string> = new Set(Object.values(VARIABLES).map(({ name }) => name));

/** The environment's variables that the service reads. */
export function outsideNames(names: readonly string[]): string[] {
  return names
    .filter((name) => OURS.has(name) || name.startsWith('ACUSE_SECRET_') || name === 'NODE_EXTRA_CA_CERTS')
    .sort();
}

export function outsideLine(names: readonly string[]): string {
  return `also in force from the environment, and not written: ${names.join(', ')}`;
}
