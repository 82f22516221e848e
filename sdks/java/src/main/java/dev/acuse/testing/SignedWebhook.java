package dev.acuse.testing;

import dev.acuse.Json;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A delivery as the service signs it, for tests of a receiver.
 *
 * @param body the bytes of the request
 * @param headers of the request
 */
public record SignedWebhook(byte[] body, Map<String, String> headers) {
  private static final String PREFIX = "whsec_";

  /**
   * Signs an event as it would be sent now.
   *
   * @param json the body: an object with type, created_at and data
   * @param secret of the endpoint, {@code whsec_…}
   * @return a delivery, with {@code data.event_id} as its id, or with a new one
   */
  public static SignedWebhook sign(String json, String secret) {
    if (Json.parse(json) instanceof Map<?, ?> event && event.get("type") instanceof String type) {
      return sign(json, type, secret, Instant.now());
    }
    throw new IllegalArgumentException("The body of a webhook is an object with a type.");
  }

  /**
   * Signs an event.
   *
   * @param json the body: an object with type, created_at and data
   * @param type of the event
   * @param secret of the endpoint, {@code whsec_…}
   * @param at when it is sent
   * @return a delivery, with {@code data.event_id} as its id, or with a new one
   */
  public static SignedWebhook sign(String json, String type, String secret, Instant at) {
    byte[] body = json.getBytes(StandardCharsets.UTF_8);
    String time = String.valueOf(at.getEpochSecond());
    String id = idOf(Json.parse(json));
    byte[] head = (id + "." + time + ".").getBytes(StandardCharsets.UTF_8);
    byte[] key = keyOf(secret);
    byte[] whole = secret.getBytes(StandardCharsets.UTF_8);
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Content-Type", "application/json");
    headers.put("Service-Event", type);
    headers.put("Service-Webhook-Id", "test-endpoint");
    headers.put("webhook-id", id);
    headers.put("webhook-timestamp", time);
    headers.put(
        "Service-Signature", "sha256=" + HexFormat.of().formatHex(hmac(whole, new byte[0], body)));
    headers.put(
        "webhook-signature", "v1," + Base64.getEncoder().encodeToString(hmac(key, head, body)));
    return new SignedWebhook(body, headers);
  }

  private static byte[] keyOf(String secret) {
    try {
      if (secret.startsWith(PREFIX)) {
        return Base64.getDecoder().decode(secret.substring(PREFIX.length()));
      }
    } catch (IllegalArgumentException notBase64) {
      // Said below.
    }
    throw new IllegalArgumentException(
        "A webhook secret is whsec_ and base64, such as whsec_c2VjcmV0IG9mIGEgdGVzdA==.");
  }

  private static String idOf(Object event) {
    return event instanceof Map<?, ?> fields
            && fields.get("data") instanceof Map<?, ?> data
            && data.get("event_id") instanceof String id
        ? id
        : UUID.randomUUID().toString();
  }

  private static byte[] hmac(byte[] key, byte[] head, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update(head);
      return mac.doFinal(body);
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @Override
  public String toString() {
    return "SignedWebhook{" + headers.get("Service-Event") + "}";
  }
}
