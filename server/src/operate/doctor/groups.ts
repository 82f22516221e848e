import { anchor } from './anchor.ts';
import { archives } from './archives.ts';
import { authorities } from './authorities.ts';
import { backups } from './backups.ts';
import { certificates } from './certificates.ts';
import { clocks } from './clock.ts';
import { database } from './database.ts';
import { disk } from './disk.ts';
import { dnsOfDomains } from './dns-of-domains.ts';
import { dnsOfHost } from './dns-of-host.ts';
import type { Group } from './examine.ts';
import { journal } from './journal.ts';
import { masterKeys } from './master-keys.ts';
import { mirror } from './mirror.ts';
import { ports } from './ports.ts';
import { proxy } from './proxy.ts';
import { queue } from './queue.ts';
import { recovery } from './recovery.ts';
import { retention } from './retention.ts';
import { roles } from './roles.ts';
import { systemMail } from './system-mail.ts';
import { witnesses } from './witnesses.ts';

export const GROUPS: Readonly<Record<string, Group>> = {
  dns: dnsOfHost,
  domain: dnsOfDomains,
  system_mail: systemMail,
  port: ports,
  proxy,
  certificate: certificates,
  clock: clocks,
  database,
  recovery,
  disk,
  retention,
  master_key: masterKeys,
  anchor,
  mirror,
  archive: archives,
  witness: witnesses,
  journal,
  backup: backups,
  authority: authorities,
  queue,
  role: roles,
};
