export const MESSAGE_STATUSES = [
  /** In no queue yet. */
  'scheduled',
  'queued',
  'sent',
  'deferred',
  'bounced',
  /** Before any server took it (docs/decisions/0012). */
  'cancelled',
  'complained',
] as const;

export type MessageStatus = (typeof MESSAGE_STATUSES)[number];
