import type { Command } from './command.ts';

interface Group {
  /** One word, or two if another group has the first. */
  readonly names: readonly string[];
  load(): Promise<readonly Command[]>;
}

/** In help order. Loaded lazily: most need little. */
const GROUPS: readonly Group[] = [
  { names: ['serve'], load: async () => (await import('./serve.ts')).serveCommands },
  { names: ['setup'], load: async () => (await import('./setup.ts')).setupCommands },
  { names: ['doctor'], load: async () => (await import('./doctor.ts')).doctorCommands },
  { names: ['attack'], load: async () => (await import('./attack.ts')).attackCommands },
  { names: ['chaos'], load: async () => (await import('./chaos.ts')).chaosCommands },
  { names: ['demo'], load: async () => (await import('./demo.ts')).demoCommands },
  { names: ['messages'], load: async () => (await import('./messages.ts')).messageCommands },
  { names: ['api'], load: async () => (await import('./api.ts')).apiCommands },
  { names: ['webhooks'], load: async () => (await import('./webhooks.ts')).webhookCommands },
  { names: ['verify'], load: async () => (await import('./verify.ts')).verifyCommands },
  { names: ['disclose'], load: async () => (await import('./disclose.ts')).discloseCommands },
  { names: ['fsck'], load: async () => (await import('./fsck.ts')).fsckCommands },
  { names: ['log'], load: async () => (await import('./log.ts')).logCommands },
  { names: ['backup'], load: async () => (await import('./backup.ts')).backupCommands },
  { names: ['restore'], load: async () => (await import('./restore.ts')).restoreCommands },
  { names: ['restore run'], load: async () => (await import('./backup.ts')).restoreRunCommands },
  { names: ['restore drill'], load: async () => (await import('./restore-drill.ts')).drillCommands },
  { names: ['archive'], load: async () => (await import('./archive.ts')).archiveCommands },
  { names: ['upgrade'], load: async () => (await import('./upgrade.ts')).upgradeCommands },
  { names: ['sealing', 'renew'], load: async () => (await import('./sealing.ts')).sealingCommands },
  { names: ['psc'], load: async () => (await import('./psc.ts')).pscCommands },
  { names: ['monitor'], load: async () => (await import('./monitor.ts')).monitorCommands },
  { names: ['witness'], load: async () => (await import('./witness.ts')).witnessCommands },
  { names: ['tenants'], load: async () => (await import('./tenants.ts')).tenantCommands },
  { names: ['keys'], load: async () => (await import('./keys.ts')).keyCommands },
  { names: ['users'], load: async () => (await import('./users.ts')).userCommands },
  { names: ['domains'], load: async () => (await import('./domains.ts')).domainCommands },
  { names: ['senders'], load: async () => (await import('./senders.ts')).senderCommands },
  { names: ['suppressions'], load: async () => (await import('./suppressions.ts')).suppressionCommands },
  { names: ['role-mail'], load: async () => (await import('./role-mail.ts')).roleMailCommands },
  { names: ['queue'], load: async () => (await import('./queue.ts')).queueCommands },
  {
    names: ['retention', 'messages erase'],
    load: async () => (await import('./retention.ts')).retentionCommands,
  },
  { names: ['operators'], load: async () => (await import('./operators.ts')).operatorCommands },
  { names: ['master-key'], load: async () => (await import('./master-key.ts')).masterKeyCommands },
  { names: ['db'], load: async () => (await import('./db.ts')).dbCommands },
  { names: ['config'], load: async () => (await import('./config.ts')).configCommands },
];

export async function allCommands(): Promise<readonly Command[]> {
  return (await Promise.all(GROUPS.map(({ load }) => load()))).flat();
}

export async function commandsFor(argv: readonly string[]): Promise<readonly Command[]> {
  if (argv[0] === '--version') return [];
  const names = [argv.slice(0, 2).join(' '), argv[0] ?? ''];
  for (const name of names) {
    const commands = (await GROUPS.find((group) => group.names.includes(name))?.load()) ?? [];
    if (commands.some((command) => names.includes(command.name))) return commands;
  }
  return allCommands();
}
