package dev.acuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.acuse.examples.First;
import dev.acuse.examples.Quickstart;
import dev.acuse.model.Send;
import dev.acuse.testing.FakeAcuse;
import dev.acuse.testing.SignedWebhook;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ReadmeTest {
  private static List<String> blocks(String file, String pattern) throws Exception {
    Matcher found =
        Pattern.compile(pattern, Pattern.DOTALL).matcher(Files.readString(Path.of(file)));
    List<String> out = new ArrayList<>();
    while (found.find()) {
      out.add(found.group(1).stripIndent().strip());
    }
    return out;
  }

  @Test
  void showsTheExampleThatRuns() throws Exception {
    List<String> shown = blocks("README.md", "```java\n(.*?)```");
    String example = "examples/dev/acuse/examples/Quickstart.java";
    List<String> code = new ArrayList<>();
    String first = Files.readString(Path.of("examples/dev/acuse/examples/First.java"));
    code.add(first.replaceAll("(?ms)^package [^\n]*\n| */\\*\\*.*?\\*/\n", "").strip());
    code.addAll(blocks(example, "// README: (?!end)[a-z]+\n(.*?)\n *// README: end"));
    assertEquals(code, shown);
  }

  @Test
  void theExampleRuns() throws Exception {
    try (FakeAcuse fake = new FakeAcuse()) {
      First.send(fake.client());
      assertEquals("Invoice 1", fake.sent().get(0).get("subject"));
    }
    String secret = "whsec_gqt1+L1O3uCyOBXWUFwJvfT+SRWzoxpGBBm1p0Kz9GY=";
    String json = "{\"type\":\"x.y\",\"created_at\":\"2026-11-20T09:30:00.000Z\",\"data\":{}}";
    SignedWebhook signed = SignedWebhook.sign(json, "x.y", secret, Instant.now());
    assertEquals("x.y", Quickstart.receive(signed.body(), signed.headers(), secret).type());
    SignedWebhook now = SignedWebhook.sign(json, secret);
    assertEquals("x.y", Quickstart.receive(now.body(), now.headers(), secret).type());
    assertThrows(IllegalArgumentException.class, () -> SignedWebhook.sign("{}", secret));
  }

  @Test
  void aSecretThatIsNoneIsRefusedWithItsForm() {
    for (String secret : List.of("", "c2VjcmV0", "whsec_x", "whsec_a b=")) {
      var refused =
          assertThrows(
              IllegalArgumentException.class,
              () -> SignedWebhook.sign("{\"data\":{}}", "x.y", secret, Instant.now()));
      assertTrue(refused.getMessage().contains("whsec_ and base64"), secret);
    }
  }

  @Test
  void theExampleRunsAgainstASandbox() {
    String key = System.getenv("ACUSE_API_KEY");
    org.junit.jupiter.api.Assumptions.assumeTrue(key != null, "needs ACUSE_API_KEY of a sandbox");
    Acuse acuse = Acuse.fromEnv();
    First.main(new String[0]);
    Send item =
        Send.builder("billing@sandbox.test", "delivered@sandbox.test").text("Hello.").build();
    Quickstart.many(acuse, List.of(item));
    assertTrue(acuse.account().get().sandbox());
  }
}
