import type { NewReport } from './record-store.ts';
import type { Attempted } from './result.ts';

export function reportOn(_result: Attempted, _hostname: string): NewReport | null {
  return null;
}

export function returnedReport(returned: {
  message: { tenant_id: string; message_id: string };
  bytes: Uint8Array;
  at: Date;
  [key: string]: unknown;
}): NewReport {
  const { message, bytes, at } = returned;
  return {
    tenantId: message.tenant_id,
    messageId: message.message_id,
    action: 'failed',
    report: bytes,
    createdAt: at,
  };
}
