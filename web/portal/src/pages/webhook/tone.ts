import type { WebhookDeliveryStatus } from '../../../../shared/api/portal-types.ts';
import type { Tone } from '../../../../shared/ui/status.tsx';

const TONES: Readonly<Record<WebhookDeliveryStatus, Tone>> = {
  delivered: 'sent',
  pending: 'waiting',
  failed: 'failed',
};

export function toneOf(status: WebhookDeliveryStatus): Tone {
  return TONES[status];
}
