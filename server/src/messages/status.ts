/** What a message can be, in the order of its life. */
export const MESSAGE_STATUSES = [
  /** Accepted and promised, and not to be sent before its send_at: in no queue yet. */
  'scheduled',
  'queued',
  'sent',
  'deferred',
  'bounced',
  /** Called back before any server took it: it neither failed nor was sent (docs/decisions/0012). */
  'cancelled',
  'complained',
] as const;

export type MessageStatus = (typeof MESSAGE_STATUSES)[number];
