package dev.acuse.shim;

import dev.acuse.Acuse;
import dev.acuse.Json;
import dev.acuse.Options;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One client for each different text of options. */
final class Clients {
  private final Map<String, Acuse> clients = new HashMap<>();

  /** The client of a request, made when an op first wants it. */
  interface Lazy {
    Acuse get();
  }

  Lazy of(Map<String, Object> options) {
    return () -> {
      synchronized (clients) {
        String text = Json.write(options);
        Acuse known = clients.get(text);
        if (known == null) {
          known = Acuse.of(made -> configure(made, options));
          clients.put(text, known);
        }
        return known;
      }
    };
  }

  private static void configure(Options made, Map<String, Object> options) {
    text(options, "api_key", made::apiKey);
    text(options, "base_url", made::baseUrl);
    text(options, "app_info", made::appInfo);
    text(options, "ca_file", file -> made.caFile(Path.of(file)));
    text(options, "proxy", url -> made.proxy(URI.create(url)));
    made.allowInsecure(Boolean.TRUE.equals(options.get("allow_insecure")));
    if (options.get("max_retries") instanceof Number number) {
      made.maxRetries(number.intValue());
    }
    millis(options, "connect_timeout_ms", made::connectTimeout);
    millis(options, "timeout_ms", made::timeout);
    millis(options, "deadline_ms", made::deadline);
    double u = options.get("random") instanceof Number number ? number.doubleValue() : 0;
    made.random(() -> u);
    if (options.get("now_ms") instanceof Number number) {
      made.clock(Clock.fixed(Instant.ofEpochMilli(number.longValue()), ZoneOffset.UTC));
    }
    record(made, options, Recording.CURRENT::get);
  }

  /** The hook and the sleep of a request, which are told to its recording. */
  static void record(Options made, Map<String, Object> options, Supplier<Recording> request) {
    boolean real = "real".equals(options.get("sleep"));
    made.sleep(
        duration -> {
          Recording recording = request.get();
          if (recording != null) {
            recording.sleep(duration.toMillis());
          }
          if (real) {
            Thread.sleep(duration.toMillis());
          } else if (Thread.interrupted()) {
            throw new InterruptedException();
          }
        });
    boolean fails = "throw".equals(options.get("hook"));
    made.onAttempt(
        report -> {
          Recording recording = request.get();
          if (recording != null) {
            recording.attempt(report);
          }
          if (fails) {
            throw new IllegalStateException("the hook throws");
          }
        });
  }

  private static void text(Map<String, Object> options, String name, Consumer<String> set) {
    if (options.get(name) instanceof String text) {
      set.accept(text);
    }
  }

  private static void millis(Map<String, Object> options, String name, Consumer<Duration> set) {
    if (options.get(name) instanceof Number number) {
      set.accept(Duration.ofMillis(number.longValue()));
    }
  }
}
