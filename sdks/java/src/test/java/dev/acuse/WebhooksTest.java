package dev.acuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.acuse.model.EmailSentData;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WebhooksTest {
  private static final Map<String, Object> VECTORS = Vectors.object(Vectors.read("webhooks.json"));

  private static WebhookEvent verify(Map<String, Object> in) {
    String[] secrets =
        Vectors.list(in.get("secrets")).stream().map(String.class::cast).toArray(String[]::new);
    Webhooks.Verifier verifier =
        Webhooks.verifier(secrets)
            .tolerance(Duration.ofSeconds(((Number) in.get("tolerance")).longValue()))
            .at(Instant.ofEpochSecond(((Number) in.get("now")).longValue()));
    if (Boolean.TRUE.equals(in.get("accept_unstamped"))) {
      verifier = verifier.acceptUnstamped();
    }
    byte[] body = ((String) in.get("body")).getBytes(StandardCharsets.UTF_8);
    return verifier.verify(body, Vectors.object(in.get("headers")));
  }

  @Test
  void checksAsTheVectorsSay() {
    for (Object each : Vectors.list(VECTORS.get("cases"))) {
      Map<String, Object> vector = Vectors.object(each);
      String name = (String) vector.get("name");
      Map<String, Object> out = Vectors.object(vector.get("out"));
      if (out.get("reason") != null) {
        WebhookException refused = assertThrows(WebhookException.class, () -> verify(vector), name);
        assertEquals(out.get("reason"), refused.reason(), name);
        continue;
      }
      WebhookEvent event = verify(vector);
      Map<String, Object> said = new LinkedHashMap<>();
      said.put("type", event.type());
      said.put("created_at", event.createdAt());
      said.put("data", event.raw());
      said.put("event_id", event.eventId());
      said.put("replay_protected", event.replayProtected());
      assertEquals(out.get("event"), said, name);
    }
  }

  @Test
  void readsKnownEventsAndPrintsNoSecret() {
    Map<String, Object> sent =
        Vectors.object(
            Vectors.list(VECTORS.get("cases")).stream()
                .filter(each -> "email.sent".equals(Vectors.object(each).get("name")))
                .findFirst()
                .orElseThrow());
    WebhookEvent event = verify(sent);
    assertInstanceOf(EmailSentData.class, event.data());
    String secret = (String) VECTORS.get("secret");
    assertFalse((event + " " + Webhooks.verifier(secret)).contains(secret.substring(6)));
  }

  @Test
  void refusesWhatWasParsedAlready() {
    Webhooks.Verifier verifier = Webhooks.verifier((String) VECTORS.get("secret"));
    WebhookException refused =
        assertThrows(WebhookException.class, () -> verifier.verify(Map.of("a", 1), Map.of()));
    assertEquals("parsed_body", refused.reason());
  }
}
