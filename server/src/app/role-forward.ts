import type { Config } from '../config/config-type.ts';
import type { RoleMailDeps } from '../delivery/return-path/role-mail.ts';
import type { Accept } from '../messages/accept.ts';
import { createSystemMail } from '../people/system-mail/system-mail.ts';
import type { Services } from './services.ts';

/** It must accept mail itself then. */
export function forwardsRoleMail({ roles, roleMailTo }: Config): boolean {
  return roles.includes('return-path') && roleMailTo !== null;
}

/** Null: not configured. */
export function createRoleForward(
  services: Services,
  accept: Accept,
): NonNullable<RoleMailDeps['forward']> | null {
  const { config, domains, secrets, log } = services;
  const { systemSender: sender, roleMailTo: to } = config;
  if (to === null || sender === null || !forwardsRoleMail(config)) return null;
  const sandbox = config.delivery === 'sandbox';
  const mail = createSystemMail({ ...domains, secrets, log, accept, sandbox, sender });
  return async (row, raw) => {
    // Automatic mail is not passed on.
    if (row.kind === 'automatic' || row.kind === 'report') return;
    const subject = `[${row.role}] ${row.subject}`;
    const text = textOf(row);
    const attachment = { filename: `${row.roleMailId}.eml`, content: raw };
    try {
      await mail.send({ to, subject, text, key: `role-mail-${row.roleMailId}`, attachment });
    } catch (error) {
      // It stays in the role mailbox.
      log.warn({ err: error, role: row.role }, 'a mail to a role could not be passed on');
    }
  };
}

function textOf({
  forwardPath,
  from,
  clientAddress,
  problem,
  messageId,
}: Parameters<NonNullable<RoleMailDeps['forward']>>[0]): string {
  const lines = [
    `A mail for ${forwardPath} came from ${from} (${clientAddress}). The original is attached.`,
    ...(problem === null ? [] : [`It is a complaint that was not counted: ${problem}.`]),
    ...(messageId === null ? [] : [`It seems to be about the message ${messageId}.`]),
  ];
  return `${lines.join('\n')}\n`;
}
