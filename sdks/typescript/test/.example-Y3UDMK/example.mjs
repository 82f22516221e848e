import { verifyWebhook, WebhookError } from '@acuse/client';

/** `rawBody`: the bytes as they came; `secret`: that of the endpoint, or both while it is being rotated. */
export async function receive(rawBody, headers, secret) {
  try {
    const event = await verifyWebhook(rawBody, headers, secret);
    if (event.type === 'email.bounced') console.log(event.data.message_id, event.event_id);
    return 204;
  } catch (error) {
    if (error instanceof WebhookError) return 400;
    throw error;
  }
}
