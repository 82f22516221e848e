package dev.acuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.acuse.model.Send;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What no vector has; exchanges and sdks/conformance have the wire. */
class TransportTest {
  private static final Send MESSAGE =
      Send.builder("a@sandbox.test", "delivered@sandbox.test").subject("S").text("T").build();

  @Test
  void printsNoBody() {
    assertEquals("Send{...}", MESSAGE.toString());
  }

  @Test
  void namesTheAddressThatItCannotReach() throws java.io.IOException {
    String address;
    try (var unused = new java.net.ServerSocket(0)) {
      address = "http://127.0.0.1:" + unused.getLocalPort();
    }
    Acuse acuse = Acuse.of(o -> o.apiKey("acuse_a_b").baseUrl(address).maxRetries(0));
    var refused = assertThrows(ConnectionException.class, () -> acuse.account().get());
    String said = refused.getMessage();
    assertTrue(said.contains("no connection to " + address + ": "), said);
  }

  @Test
  void refusesBeforeAnyRequest() {
    assertThrows(ConfigurationException.class, () -> Acuse.of(o -> o.apiKey("acuse a\n")));
    Acuse acuse = Acuse.of(o -> o.apiKey("acuse_a_b").baseUrl("http://localhost"));
    for (String key : List.of("", "a\r\nb", "é", "x".repeat(256))) {
      assertThrows(ConfigurationException.class, () -> acuse.messages().send(MESSAGE, key));
    }
  }
}
