import type { Config } from '../config/config-type.ts';
import type { RoleMailDeps } from '../delivery/return-path/role-mail.ts';
import type { Accept } from '../messages/accept.ts';
import { takeOfDay } from '../people/sessions/day-limits.ts';
import { createSystemMail } from '../people/system-mail/system-mail.ts';
import { holdersOf } from '../platform/network/network.ts';
import type { Services } from './services.ts';

/** It must accept mail itself then. */
export function forwardsRoleMail({ roles, roleMailTo }: Config): boolean {
  return roles.includes('return-path') && roleMailTo !== null;
}

type RoleForward = NonNullable<RoleMailDeps['forward']>;

/** Mails forwarded per day, per network and in all: anybody may write to a role. */
const NETWORK_MAX_A_DAY = 50;
const PASSED_ON_MAX_A_DAY = 500;
/** Bytes forwarded of one mail: as many as the role mailbox keeps. */
const PASSED_ON_BYTES = 65_536;

/** Null: not configured. */
export function createRoleForward(services: Services, accept: Accept): RoleForward | null {
  const { config, domains, secrets, log } = services;
  const { systemSender: sender, roleMailTo: to } = config;
  if (to === null || sender === null || !forwardsRoleMail(config)) return null;
  const { db, clock } = services;
  const sandbox = config.delivery === 'sandbox';
  const mail = createSystemMail({ ...domains, secrets, log, accept, sandbox, sender });
  return async (row, raw) => {
    // Automatic mail is not passed on.
    if (row.kind === 'automatic' || row.kind === 'report') return;
    const subject = `[${row.role}] ${row.subject}`;
    const content = raw.subarray(0, PASSED_ON_BYTES);
    const text = textOf(row, content.length < raw.length);
    const attachment = { filename: `${row.roleMailId}.eml`, content };
    try {
      const limits = [
        { subject: `role-mail:${holdersOf(row.clientAddress)[0]}`, max: NETWORK_MAX_A_DAY, whose: '' },
        { subject: 'role-mail', max: PASSED_ON_MAX_A_DAY, whose: '' },
      ];
      const full = await db.asSessions((tx) => takeOfDay(tx, limits, clock.now()));
      if (full !== null) {
        log.info({ role: row.role, client: row.clientAddress }, 'a mail to a role stays in the role mailbox');
        return;
      }
      await mail.send({ to, subject, text, key: `role-mail-${row.roleMailId}`, attachment });
    } catch (error) {
      // It stays in the role mailbox.
      log.warn({ err: error, role: row.role }, 'a mail to a role could not be passed on');
    }
  };
}

function textOf(
  { forwardPath, from, clientAddress, problem, messageId }: Parameters<RoleForward>[0],
  isCut: boolean,
): string {
  const lines = [
    `A mail for ${forwardPath} came from ${from} (${clientAddress}). ${isCut ? 'Its beginning' : 'The original'} is attached.`,
    ...(problem === null ? [] : [`It is a complaint that was not counted: ${problem}.`]),
    ...(messageId === null ? [] : [`It seems to be about the message ${messageId}.`]),
  ];
  return `${lines.join('\n')}\n`;
}
