package dev.acuse;

/** Webhook endpoints, as futures. */
public final class AsyncWebhooks extends AsyncWebhooksOperations {
  AsyncWebhooks(Webhooks blocking, Futures futures) {
    super(blocking, futures);
  }
}
