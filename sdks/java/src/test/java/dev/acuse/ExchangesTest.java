package dev.acuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.acuse.model.BatchItem;
import dev.acuse.model.NewApiKey;
import dev.acuse.model.Send;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** contract/vectors/exchanges.json, played by a raw server. */
class ExchangesTest {
  private static final Pattern UNSHOWN =
      Pattern.compile(
          "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\x{61c}\\x{200e}\\x{200f}\\x{2028}-\\x{202e}\\x{2066}-\\x{2069}]");

  private static Map<String, Object> file() throws IOException {
    return object(Vectors.read("exchanges.json"));
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> object(Object value) {
    return (Map<String, Object>) value;
  }

  static List<String> names() throws IOException {
    return ((List<?>) file().get("cases"))
        .stream().map(each -> (String) object(each).get("name")).toList();
  }

  private static Map<String, Object> named(Map<String, Object> file, String name) {
    for (Object each : (List<?>) file.get("cases")) {
      if (name.equals(object(each).get("name"))) {
        return object(each);
      }
    }
    throw new AssertionError(name);
  }

  @ParameterizedTest
  @MethodSource("names")
  void exchange(String name) throws Exception {
    Map<String, Object> file = file();
    Map<String, Object> test = named(file, name);
    try (ExchangePeer peer = new ExchangePeer(test)) {
      Acuse acuse = Acuse.of(options -> configure(options, file, test, peer.url()));
      check(file, test, peer, error(acuse, file, test));
    }
  }

  private static Options configure(
      Options options, Map<String, Object> file, Map<String, Object> test, String url) {
    options
        .apiKey((String) file.get("api_key"))
        .baseUrl(url)
        .maxRetries(((Long) test.get("max_retries")).intValue())
        .sleep(none -> {})
        .random(() -> 0);
    if (test.get("limit_ms") == null) {
      return options;
    }
    Duration limit = Duration.ofMillis((Long) test.get("limit_ms"));
    return options.timeout(limit).deadline(limit).connectTimeout(limit);
  }

  private static AcuseException error(
      Acuse acuse, Map<String, Object> file, Map<String, Object> test) {
    if (test.get("cancel_after_ms") != null) {
      Thread caller = Thread.currentThread();
      Thread ends =
          new Thread(
              () -> {
                try {
                  Thread.sleep((Long) test.get("cancel_after_ms"));
                } catch (InterruptedException never) {
                  return;
                }
                caller.interrupt();
              });
      ends.start();
    }
    try {
      return call(acuse, file, (String) test.get("call"));
    } catch (AcuseException failed) {
      return failed;
    } finally {
      Thread.interrupted();
    }
  }

  private static AcuseException call(Acuse acuse, Map<String, Object> file, String call) {
    String id = (String) file.get("id");
    String key = (String) file.get("idempotency_key");
    String from = "a@sandbox.test";
    String to = "b@sandbox.test";
    switch (call) {
      case "send" -> acuse.messages().send(Send.builder(from, to).text("Hi").build(), key);
      case "batch" -> {
        BatchItem item = BatchItem.builder(key, from, to).text("Hi").build();
        return acuse.messages().sendBatch(List.of(item)).get(0).error();
      }
      case "read" -> acuse.messages().get(id);
      case "list" -> acuse.messages().list().first();
      case "create" -> acuse.apiKeys().create(NewApiKey.builder("a", List.of("send")).build());
      default -> acuse.webhooks().delete(id);
    }
    return null;
  }

  private static void check(
      Map<String, Object> file, Map<String, Object> test, ExchangePeer peer, AcuseException error) {
    Map<String, Object> out = object(test.get("out"));
    String found =
        error == null
            ? "ok"
            : switch (error.getClass().getSimpleName()) {
              case "CallTimeoutException" -> "TimeoutError";
              case "CancelledException" -> "Cancelled";
              default -> error.getClass().getSimpleName().replaceAll("Exception$", "Error");
            };
    assertTrue(found.equals(out.get("class")) || found.equals(out.get("or")), found + ": " + error);
    if (out.get("requests") != null) {
      assertEquals(out.get("requests"), (long) peer.requests.get(), "requests");
    }
    if (out.get("taken_max") != null) {
      assertTrue(peer.taken.get() <= (Long) out.get("taken_max"), "bytes taken");
    }
    if (error == null) {
      return;
    }
    for (String text : List.of(error.getMessage(), error.toString())) {
      assertFalse(UNSHOWN.matcher(text).find(), text);
      assertFalse(text.contains("canarycanary"), text);
      assertFalse(text.endsWith("null"), text);
    }
    if (error instanceof CallException failed) {
      if (Boolean.TRUE.equals(out.get("key"))) {
        assertEquals(file.get("idempotency_key"), failed.idempotencyKey());
      }
      // The JDK does not tell whether a handshake was over before the time was.
      if (!test.containsKey("tls") && !found.equals("Cancelled")) {
        assertEquals(out.get("outcome_unknown"), failed.outcomeUnknown(), "outcomeUnknown");
      }
    }
    if (error instanceof ApiException refused) {
      assertEquals(out.get("status"), (long) refused.status());
      assertEquals(out.get("code"), refused.code());
      if (out.get("retry_after") != null) {
        assertEquals(
            ((Number) out.get("retry_after")).doubleValue(), refused.retryAfter().orElse(-1));
      }
      if (out.get("message") != null) {
        assertNotNull(refused.serverMessage());
        assertTrue(
            refused.serverMessage().startsWith((String) out.get("message")),
            refused.serverMessage());
      }
    }
  }
}
