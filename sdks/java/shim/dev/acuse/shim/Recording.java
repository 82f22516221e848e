package dev.acuse.shim;

import dev.acuse.AttemptReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The calls of one request's hook and sleep. It follows the request into threads it starts. */
final class Recording {
  static final InheritableThreadLocal<Recording> CURRENT = new InheritableThreadLocal<>();

  private final List<Object> attempts = new ArrayList<>();
  private final List<Object> sleeps = new ArrayList<>();

  /** When the caller ended the call, nanoseconds, or 0. */
  volatile long cancelledAt;

  synchronized void attempt(AttemptReport report) {
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("operation", report.operation());
    out.put("attempt", report.attempt());
    out.put("status", report.status() == 0 ? null : report.status());
    out.put("code", report.code());
    out.put("request_id", report.requestId());
    out.put("duration_ms", report.durationMs());
    out.put("retry_in_ms", report.retryInMs());
    out.put("error", report.error());
    attempts.add(out);
  }

  synchronized void sleep(long millis) {
    sleeps.add(millis);
  }

  synchronized void into(Map<String, Object> answer) {
    answer.put("attempts", List.copyOf(attempts));
    answer.put("sleeps", List.copyOf(sleeps));
  }
}
