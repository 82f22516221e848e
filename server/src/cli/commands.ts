import { apiCommands } from './api.ts';
import { backupCommands, restoreRunCommands } from './backup.ts';
import type { Command } from './command.ts';
import { configCommands } from './config.ts';
import { dbCommands } from './db.ts';
import { demoCommands } from './demo.ts';
import { discloseCommands } from './disclose.ts';
import { doctorCommands } from './doctor.ts';
import { domainCommands } from './domains.ts';
import { fsckCommands } from './fsck.ts';
import { keyCommands } from './keys.ts';
import { logCommands } from './log.ts';
import { messageCommands } from './messages.ts';
import { monitorCommands } from './monitor.ts';
import { operatorCommands } from './operators.ts';
import { queueCommands } from './queue.ts';
import { restoreCommands } from './restore.ts';
import { retentionCommands } from './retention.ts';
import { sealingCommands } from './sealing.ts';
import { senderCommands } from './senders.ts';
import { serveCommands } from './serve.ts';
import { suppressionCommands } from './suppressions.ts';
import { tenantCommands } from './tenants.ts';
import { userCommands } from './users.ts';
import { verifyCommands } from './verify.ts';
import { webhookCommands } from './webhooks.ts';
import { witnessCommands } from './witness.ts';

/** Every command, in the order in which the help lists them. */
export const COMMANDS: readonly Command[] = [
  ...serveCommands,
  ...doctorCommands,
  ...demoCommands,
  ...messageCommands,
  ...apiCommands,
  ...webhookCommands,
  ...verifyCommands,
  ...discloseCommands,
  ...fsckCommands,
  ...logCommands,
  ...backupCommands,
  ...restoreCommands,
  ...restoreRunCommands,
  ...sealingCommands,
  ...monitorCommands,
  ...witnessCommands,
  ...tenantCommands,
  ...keyCommands,
  ...userCommands,
  ...domainCommands,
  ...senderCommands,
  ...suppressionCommands,
  ...queueCommands,
  ...retentionCommands,
  ...operatorCommands,
  ...dbCommands,
  ...configCommands,
];
