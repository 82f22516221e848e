import type { Config } from './config-type.ts';

/** Where a variable belongs, so that a long list reads as a few short ones. */
export const CONFIG_GROUPS = [
  'delivery',
  'http',
  'console',
  'smtp',
  'evidence',
  'retention',
  'limits',
  'webhooks',
  'storage',
  'process',
  'commands',
] as const;
export type ConfigGroup = (typeof CONFIG_GROUPS)[number];

/**
 * When a change of it counts. at_start: at the next start of each process. file_watched: a new path at the
 * next start, new contents of the file without one. by_commands: commands read it, the server does not.
 */
export const CONFIG_READS = ['at_start', 'file_watched', 'by_commands'] as const;
export type ConfigRead = (typeof CONFIG_READS)[number];

export const GROUP_OF: { readonly [Key in keyof Config]: ConfigGroup } = {
  delivery: 'delivery',
  smarthost: 'delivery',
  hostname: 'delivery',
  systemSender: 'delivery',
  dnsServers: 'delivery',
  smtpPort: 'delivery',
  sourcePools: 'delivery',
  privateNetworks: 'delivery',
  port: 'http',
  host: 'http',
  publicUrl: 'http',
  trustProxy: 'http',
  metricsPort: 'http',
  metricsHost: 'http',
  adminHost: 'console',
  adminPort: 'console',
  adminUrl: 'console',
  sandboxSmtpPort: 'smtp',
  returnPathHost: 'smtp',
  returnPathPort: 'smtp',
  tlsCertFile: 'smtp',
  tlsKeyFile: 'smtp',
  submissionHost: 'smtp',
  submissionPort: 'smtp',
  submissionsPort: 'smtp',
  logOrigin: 'evidence',
  logAnchor: 'evidence',
  logMirror: 'evidence',
  journal: 'evidence',
  backupFolder: 'storage',
  backupKeep: 'storage',
  sealIntervalMs: 'evidence',
  renewBeforeMs: 'evidence',
  authorities: 'evidence',
  witnessesFile: 'evidence',
  plainRetentionDays: 'retention',
  certifiedRetentionYears: 'retention',
  currency: 'retention',
  ingestFlushes: 'limits',
  keyRate: 'limits',
  keyBurst: 'limits',
  addressRate: 'limits',
  addressBurst: 'limits',
  keylessRate: 'limits',
  keylessBurst: 'limits',
  webhookAllowPrivate: 'webhooks',
  dataDir: 'storage',
  databaseUrl: 'storage',
  databaseRequestUrl: 'storage',
  databaseWorkerUrl: 'storage',
  databasePrepare: 'storage',
  databasePool: 'storage',
  databaseWaitMs: 'storage',
  masterKeys: 'storage',
  roles: 'process',
  stopDelayMs: 'process',
  logLevel: 'process',
  otlpEndpoint: 'process',
  otlpTracesEndpoint: 'process',
  otelDisabled: 'process',
  otelServiceName: 'process',
  otelSampler: 'process',
  otelSamplerShare: 'process',
  apiUrl: 'commands',
  apiKey: 'commands',
};

/** Every other is read at the start. */
export const READ_OF: { readonly [Key in keyof Config]?: ConfigRead } = {
  tlsCertFile: 'file_watched',
  tlsKeyFile: 'file_watched',
  backupFolder: 'by_commands',
  backupKeep: 'by_commands',
  apiUrl: 'by_commands',
  apiKey: 'by_commands',
};
