package dev.acuse.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.acuse.Acuse;
import dev.acuse.BatchOutcome;
import dev.acuse.RefusedException;
import dev.acuse.Webhooks;
import dev.acuse.model.Send;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class FakeAcuseTest {
  private static final Send MESSAGE =
      Send.builder("a@sandbox.test", Sandbox.address("delivered", "t1")).text("T").build();

  @Test
  void knowsKeysReplaysAndRefusals() throws Exception {
    try (FakeAcuse fake = new FakeAcuse()) {
      Acuse acuse = fake.client();
      assertFalse(acuse.messages().send(MESSAGE, "k").replayed());
      var again = acuse.messages().send(MESSAGE, "k");
      assertTrue(again.replayed());
      assertEquals("queued", acuse.messages().get(again.message().id()).status());
      Send other = Send.builder("a@sandbox.test", "b@sandbox.test").text("T").build();
      assertThrows(RefusedException.class, () -> acuse.messages().send(other, "k"));
      fake.refuse(422, "recipient_suppressed");
      var refused = assertThrows(RefusedException.class, () -> acuse.messages().send(other, "k2"));
      assertEquals("recipient_suppressed", refused.code());
      fake.refuse(503, "unavailable");
      assertEquals(2, acuse.messages().send(other, "k3").attempts());
      assertEquals(2, fake.sent().size());
    }
  }

  @Test
  void takesBatches() throws Exception {
    try (FakeAcuse fake = new FakeAcuse()) {
      Acuse acuse = fake.client();
      var first = acuse.messages().send(MESSAGE, "k");
      Send other = Send.builder("a@sandbox.test", "b@sandbox.test").text("T").build();
      var done =
          acuse
              .messages()
              .sendBatch(List.of(MESSAGE.keyed("k"), other.keyed("k"), other.keyed("l")));
      assertEquals(
          List.of("replayed", "failed", "created"),
          done.stream().map(BatchOutcome::status).toList());
      assertEquals(first.message().id(), done.get(0).message().id());
      assertEquals(2, fake.sent().size());
    }
  }

  @Test
  void signsDeliveries() {
    String secret = "whsec_gqt1+L1O3uCyOBXWUFwJvfT+SRWzoxpGBBm1p0Kz9GY=";
    String json = "{\"type\":\"x.y\",\"created_at\":\"2026-11-20T09:30:00.000Z\",\"data\":{}}";
    SignedWebhook signed = SignedWebhook.sign(json, "x.y", secret, Instant.now());
    var event = Webhooks.verify(signed.body(), signed.headers(), secret);
    assertEquals("x.y", event.type());
    assertTrue(event.replayProtected());
    assertTrue(!event.eventId().isEmpty());
    String named = json.replace("{}}", "{\"event_id\":\"e1\"}}");
    SignedWebhook own = SignedWebhook.sign(named, "x.y", secret, Instant.now());
    assertEquals("e1", Webhooks.verify(own.body(), own.headers(), secret).eventId());
  }
}
