import type { SamplerName } from '../platform/tracing/tracing.ts';
import type { DnsServer, Smarthost, SourcePool } from './config-values.ts';

/** Everything that the environment says; config-variables.ts says what each value means. */
export interface Config {
  readonly port: number;
  readonly host: string;
  readonly metricsPort: number | null;
  readonly metricsHost: string;
  readonly publicUrl: string;
  readonly adminHost: string;
  readonly adminPort: number;
  readonly adminUrl: string;
  readonly trustProxy: readonly string[] | null;
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  readonly databaseRequestUrl: string | null;
  readonly databaseWorkerUrl: string | null;
  readonly databasePrepare: boolean;
  readonly databasePool: number;
  readonly databaseWaitMs: number;
  readonly masterKeys: readonly Buffer[] | null;
  readonly roles: readonly Role[];
  readonly stopDelayMs: number;
  readonly logLevel: LogLevel;
  readonly otlpEndpoint: string | null;
  readonly otlpTracesEndpoint: string | null;
  readonly otelDisabled: boolean;
  readonly otelServiceName: string;
  readonly otelSampler: SamplerName;
  readonly otelSamplerShare: number;
  readonly delivery: DeliveryMode;
  readonly smarthost: Smarthost | null;
  readonly hostname: string;
  readonly systemSender: string | null;
  readonly dnsServers: readonly DnsServer[] | null;
  readonly smtpPort: number;
  readonly sourcePools: readonly SourcePool[] | null;
  readonly privateNetworks: readonly string[] | null;
  readonly sandboxSmtpPort: number;
  readonly returnPathHost: string;
  readonly returnPathPort: number;
  readonly tlsCertFile: string | null;
  readonly tlsKeyFile: string | null;
  readonly submissionHost: string;
  readonly submissionPort: number | null;
  readonly submissionsPort: number | null;
  readonly logOrigin: string;
  readonly logAnchor: string | null;
  readonly logMirror: string | null;
  readonly s3Region: string;
  readonly s3Endpoint: string;
  readonly s3PathStyle: boolean;
  readonly s3AccessKeyId: string | null;
  readonly s3SecretAccessKey: string | null;
  readonly s3SessionToken: string | null;
  readonly journal: string | null;
  readonly backupFolder: string | null;
  readonly backupKeep: number | null;
  readonly sealIntervalMs: number;
  readonly renewBeforeMs: number;
  readonly plainRetentionDays: number;
  readonly certifiedRetentionYears: number;
  readonly currency: string;
  readonly authorities: readonly string[] | null;
  readonly witnessesFile: string | null;
  readonly ingestFlushes: number;
  readonly keyRate: number;
  readonly keyBurst: number;
  readonly addressRate: number;
  readonly addressBurst: number;
  readonly keylessRate: number;
  readonly keylessBurst: number;
  readonly webhookAllowPrivate: boolean;
  readonly apiUrl: string | null;
  readonly apiKey: string | null;
}

export type DeliveryMode = 'sandbox' | 'direct' | 'smarthost';
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** What one process may do. */
export const ROLES = [
  'api',
  'portal',
  'submission',
  'delivery',
  'sealing',
  'webhooks',
  'return-path',
  'admin',
] as const;
export type Role = (typeof ROLES)[number];
