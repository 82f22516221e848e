package dev.acuse;

import java.util.Map;

/**
 * A webhook delivery that was signed with the endpoint's secret.
 *
 * @param type of the event, such as {@code email.sent}
 * @param createdAt when it happened, RFC 3339
 * @param eventId the same when the event is delivered again: remember it to do nothing twice
 * @param webhookId the endpoint's id, or null
 * @param data a record of {@code dev.acuse.model}, or null for a type that this version does not
 *     know
 * @param raw the data as it came
 * @param replayProtected false if only {@code Service-Signature} was checked, which says nothing of
 *     when it was sent
 */
public record WebhookEvent(
    String type,
    String createdAt,
    String eventId,
    String webhookId,
    JsonObject data,
    Map<String, Object> raw,
    boolean replayProtected) {
  @Override
  public String toString() {
    return "WebhookEvent{type=" + type + ", eventId=" + eventId + "}";
  }
}
