package dev.acuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** contract/vectors/client-settings.json: to which address, and through which proxy. */
class SettingsTest {
  private static Iterable<Object> cases(String name) {
    return Vectors.list(Vectors.object(Vectors.read("client-settings.json")).get(name));
  }

  @SuppressWarnings("unchecked")
  private static Map<String, String> env(Map<String, Object> test) {
    return (Map<String, String>) test.get("env");
  }

  @Test
  void theAddressIsTheOneThatWasNamed() {
    for (Object each : cases("addresses")) {
      Map<String, Object> test = Vectors.object(each);
      Options options = new Options().apiKey("acuse_a_b");
      Object given = test.get("given");
      options.baseUrl(given == null ? Options.address(env(test)) : (String) given);
      if (test.get("out") == null) {
        String why = assertThrows(ConfigurationException.class, options::checked).getMessage();
        assertTrue(why.contains("ACUSE_URL"), why);
      } else {
        assertEquals(test.get("out"), options.checked().baseUrl);
      }
    }
  }

  @Test
  void anAddressThatIsNoneSaysWhereItIsSet() {
    for (String address :
        List.of("mail.example.com", "u:secret@x", "https://u:secret@x", "https://u:secret@[")) {
      Options options = new Options().apiKey("acuse_a_b").baseUrl(address);
      var refused = assertThrows(ConfigurationException.class, options::checked);
      assertTrue(
          refused.getMessage().contains("Options.baseUrl, or ACUSE_URL"), refused.getMessage());
      assertFalse(refused.getMessage().contains("secret"), refused.getMessage());
      assertNull(refused.getCause());
    }
  }

  @Test
  void theProxyIsOneOfHttps() {
    for (Object each : cases("proxies")) {
      Map<String, Object> test = Vectors.object(each);
      String found;
      try {
        URI proxy = Options.environmentProxy((String) test.get("address"), env(test));
        found = proxy == null ? null : proxy.toString();
      } catch (ConfigurationException refused) {
        found = "refused";
      }
      assertEquals(test.get("out"), found, test.toString());
    }
  }

  @Test
  void aProxySeesNoKeyInPlainHttp() {
    Options plain =
        new Options()
            .apiKey("acuse_a_b")
            .baseUrl("http://localhost:8025")
            .proxy(URI.create("http://proxy.example.com:3128"));
    assertThrows(ConfigurationException.class, plain::checked);
    plain.allowInsecure(true).checked();
  }

  @Test
  void timesOfTheLanguageAreWrittenAsTheContractHasThem() {
    var moment = java.time.Instant.parse("2026-11-20T09:30:00.005Z");
    var query = MessagesListQuery.of(each -> each.createdAfter(moment));
    assertEquals(Map.of("created_after", "2026-11-20T09:30:00.005Z"), query);
  }
}
