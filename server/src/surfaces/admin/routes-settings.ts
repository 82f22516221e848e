import { Type } from 'typebox';
import { describeConfig } from '../../config/config.ts';
import { CONFIG_GROUPS, CONFIG_READS } from '../../config/variable.ts';
import { presentRetention, RETENTION_COUNTS } from '../../operate/retention/present.ts';
import { readRetentionStatus } from '../../operate/retention/retention-run.ts';
import { COUNTED_MAX } from '../../platform/database/shared-read.ts';
import { count, named, nullable, Timestamp } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { BY_SUPPORT } from './access.ts';
import type { AdminDeps } from './deps.ts';

const Retention = named('RetentionStatus', {
  plain_days: count('Retention period of the content of plain messages, in days.'),
  record_days: count('Days that the record of a plain message is kept, unless its account has other days.'),
  certified_years: count('Retention period of the evidence of certified messages, in years.'),
  plain_due: count('Plain messages past their period whose content is still there.'),
  records_due: count('Records of plain messages past their period.'),
  records_deleted: count('Records of plain messages that were deleted.'),
  records_begin_at: nullable(
    Timestamp,
    'When an installation that comes from an earlier version begins to delete records; null: it does.',
  ),
  certified_past: count('Certified messages past their period: only an operator erases them.'),
  deleted_after_days: count('Messages whose content was deleted because their period was over.'),
  last_deleted_at: nullable(Timestamp),
  erased: count('Messages that were erased on request.'),
  last_erased_at: nullable(Timestamp),
  at_least: Type.Array(Type.Enum([...RETENTION_COUNTS], { $id: 'RetentionCount' }), {
    description: `Counts that stopped after ${COUNTED_MAX} messages: there may be more.`,
  }),
});

const Setting = named('Setting', {
  name: Type.String({ examples: ['ACUSE_PORT'] }),
  value: nullable(Type.String({ examples: ['8025'] }), 'Secrets are masked; null: there is none.'),
  source: Type.Enum(['environment', 'default']),
  expected: Type.String({ description: 'Form of its value.', examples: ['a port'] }),
  doc: Type.String({ description: 'Purpose of the setting.' }),
  group: Type.Enum([...CONFIG_GROUPS], { description: 'Where it belongs.' }),
  read: Type.Enum([...CONFIG_READS], {
    description:
      'When a change counts: at_start, at the next start; file_watched, new contents of the file at once; by_commands, the server does not read it.',
  }),
});
const Configuration = named('Configuration', { settings: Type.Array(Setting) });

export function settingsRoutes(doors: Doors, deps: AdminDeps): void {
  const { config, db, clock } = deps;
  doors.get(
    '/retention',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'getRetention',
        summary: 'Read how long content is kept',
        response: { 200: Retention },
      },
    },
    async () => {
      const { plainRetentionDays: plainDays, plainRecordDays: recordDays } = config;
      const certifiedYears = config.certifiedRetentionYears;
      return presentRetention(
        await readRetentionStatus({ db, clock, plainDays, recordDays, certifiedYears }),
      );
    },
  );

  doors.get(
    '/configuration',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'getConfiguration',
        summary: 'Read the settings of this process',
        description: 'As acuse config shows them. They come from environment variables only.',
        response: { 200: Configuration },
      },
    },
    async () => ({ settings: describeConfig(config) }),
  );
}
