package dev.acuse;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The signatures of one delivery: Standard Webhooks, and Service-Signature. */
final class WebhookSignatures {
  static final Duration TOLERANCE = Duration.ofSeconds(300);
  private static final String PREFIX = "whsec_";

  /** Signatures that are compared; two are sent while a secret is being changed. */
  private static final int MAX_SIGNATURES = 10;

  private final byte[] body;
  private final Map<String, String> headers = new HashMap<>();

  WebhookSignatures(byte[] body, Map<String, ?> given) {
    if (body == null) {
      throw parsed();
    }
    this.body = body;
    given.forEach(
        (name, value) -> {
          Object first = value instanceof List<?> list && !list.isEmpty() ? list.get(0) : value;
          boolean some = first != null && !(first instanceof List) && !first.toString().isEmpty();
          if (name != null && some) {
            headers.putIfAbsent(name.toLowerCase(Locale.ROOT), first.toString());
          }
        });
  }

  static WebhookException parsed() {
    return new WebhookException(
        "parsed_body",
        "The signature covers the bytes as they came, and this is no byte[]: take them with"
            + " @RequestBody byte[] (Spring), request.getInputStream().readAllBytes() (Servlet)"
            + " or an entity of type byte[] (JAX-RS), before anything parses them.");
  }

  static void checkSecrets(List<String> secrets) {
    if (secrets.isEmpty()) {
      throw new WebhookException("bad_secret", "No webhook secret was given.");
    }
    secrets.forEach(WebhookSignatures::key);
  }

  private static byte[] key(String secret) {
    try {
      if (secret != null && secret.startsWith(PREFIX) && secret.length() > PREFIX.length()) {
        // The decoder takes base64 without padding too, as some set-ups cut it off.
        return Base64.getDecoder().decode(secret.substring(PREFIX.length()));
      }
    } catch (IllegalArgumentException malformed) {
      // Said below, without the secret.
    }
    throw new WebhookException(
        "bad_secret", "A webhook secret is whsec_ and base64: copy it again.");
  }

  /** True if a fresh timestamp is part of what was signed. */
  boolean check(List<String> secrets, Duration tolerance, boolean acceptUnstamped, Instant now) {
    String id = headers.get("webhook-id");
    String timestamp = headers.get("webhook-timestamp");
    String signature = headers.get("webhook-signature");
    if (id != null && timestamp != null && signature != null) {
      checkTime(timestamp, tolerance, now);
      checkStandard(id, timestamp, signature, secrets);
      return true;
    }
    boolean none = id == null && timestamp == null && signature == null;
    boolean unstamped =
        none
            && (headers.containsKey("service-signature")
                || headers.containsKey("service-signature-previous"));
    if (!unstamped) {
      throw new WebhookException(
          "missing_header", "webhook-id, webhook-timestamp and webhook-signature are required.");
    }
    if (!acceptUnstamped) {
      throw new WebhookException(
          "unstamped",
          "Only Service-Signature is there, which whoever records it can replay for ever:"
              + " let all headers pass, or call acceptUnstamped().");
    }
    checkService(secrets);
    return false;
  }

  private static void checkTime(String timestamp, Duration tolerance, Instant now) {
    if (!timestamp.matches("[0-9]{1,12}")) {
      throw new WebhookException(
          "malformed_header", "webhook-timestamp is not a number of seconds.");
    }
    long ahead = Long.parseLong(timestamp) - now.getEpochSecond();
    if (Math.abs(ahead) > tolerance.toSeconds()) {
      throw new WebhookException(
          ahead > 0 ? "too_new" : "too_old",
          "The delivery's time is "
              + Math.abs(ahead)
              + " seconds off: a replay, or a clock that is wrong.");
    }
  }

  private void checkStandard(String id, String timestamp, String signature, List<String> secrets) {
    byte[] head = (id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8);
    List<byte[]> given = new ArrayList<>();
    int parts = 0;
    for (String each : signature.split(" +")) {
      boolean counts = !each.isEmpty() && ++parts <= MAX_SIGNATURES;
      if (counts && each.startsWith("v1,")) {
        given.add(each.substring(3).getBytes(StandardCharsets.UTF_8));
      }
    }
    boolean found = false;
    for (String secret : secrets) {
      String made = Base64.getEncoder().encodeToString(hmac(key(secret), head, body));
      for (byte[] each : given) {
        found |= MessageDigest.isEqual(made.getBytes(StandardCharsets.UTF_8), each);
      }
    }
    if (!found) {
      throw new WebhookException("no_match", "No signature fits the body and the secret.");
    }
  }

  private void checkService(List<String> secrets) {
    boolean found = false;
    for (String secret : secrets) {
      byte[] made = hmac(secret.getBytes(StandardCharsets.UTF_8), new byte[0], body);
      byte[] text = ("sha256=" + HexFormat.of().formatHex(made)).getBytes(StandardCharsets.UTF_8);
      for (String name : List.of("service-signature", "service-signature-previous")) {
        String given = headers.getOrDefault(name, "");
        found |= MessageDigest.isEqual(text, given.getBytes(StandardCharsets.UTF_8));
      }
    }
    if (!found) {
      throw new WebhookException("no_match", "No signature fits the body and the secret.");
    }
  }

  static byte[] hmac(byte[] key, byte[] head, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update(head);
      return mac.doFinal(body);
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** The content of the body, once it is known to be genuine. */
  WebhookEvent event(boolean stamped) {
    try {
      Map<String, Object> root = dev.acuse.internal.Reader.object(Engine.parse(body));
      Map<String, Object> data = dev.acuse.internal.Reader.object(root.get("data"));
      String type = java.util.Objects.requireNonNull((String) root.get("type"));
      String createdAt = java.util.Objects.requireNonNull((String) root.get("created_at"));
      String eventId =
          stamped
              ? headers.get("webhook-id")
              : data.get("event_id") instanceof String id ? id : null;
      String webhookId = headers.get("service-webhook-id");
      JsonObject read = readable(type, data);
      return new WebhookEvent(type, createdAt, eventId, webhookId, read, data, stamped);
    } catch (IllegalArgumentException | ClassCastException | NullPointerException malformed) {
      throw new WebhookException("malformed_body", "The body is signed but is not an event.");
    }
  }

  /** A field that a newer server leaves out makes no event unreadable. */
  private static JsonObject readable(String type, Map<String, Object> data) {
    try {
      return EventData.read(type, data);
    } catch (IllegalArgumentException other) {
      return null;
    }
  }
}
