package dev.acuse.shim;

import dev.acuse.AcuseException;
import dev.acuse.ApiException;
import dev.acuse.CallException;
import dev.acuse.CancelledException;
import dev.acuse.ConnectionException;
import dev.acuse.LogException;
import dev.acuse.ProtocolException;
import dev.acuse.WebhookException;
import java.lang.reflect.InvocationTargetException;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Errors in the neutral form of the protocol. */
final class Errors {
  private Errors() {}

  static Map<String, Object> of(Throwable thrown, Recording recording) {
    Throwable failed = thrown;
    while (failed.getCause() != null
        && (failed instanceof InvocationTargetException
            || failed instanceof CompletionException
            || failed instanceof ExecutionException)) {
      failed = failed.getCause();
    }
    Map<String, Object> out = Values.map("class", name(failed), "text", String.valueOf(failed));
    if (failed instanceof CallException call) {
      out.put("attempts", call.attempts());
      out.put("outcome_unknown", call.outcomeUnknown());
      out.put("idempotency_key", call.idempotencyKey());
    }
    if (failed instanceof ProtocolException protocol && protocol.status() != 0) {
      out.put("status", protocol.status());
    }
    if (failed instanceof ConnectionException connection) {
      out.put("phase", connection.phase());
    }
    if (failed instanceof ApiException api) {
      out.put("status", api.status());
      out.put("code", api.code());
      out.put("message", api.serverMessage());
      out.put("fix", api.fix());
      out.put("request_id", api.requestId());
      out.put("retry_after", api.retryAfter().isPresent() ? api.retryAfter().getAsDouble() : null);
    }
    if (failed instanceof WebhookException webhook) {
      out.put("reason", webhook.reason());
    }
    if (failed instanceof LogException log) {
      out.put("reason", log.reason());
    }
    if (recording != null && recording.cancelledAt != 0) {
      out.put("elapsed_ms", (System.nanoTime() - recording.cancelledAt) / 1_000_000);
    }
    return out;
  }

  /** The name that all libraries share. */
  static String name(Throwable failed) {
    if (failed instanceof CancelledException
        || failed instanceof CancellationException
        || failed instanceof InterruptedException) {
      return "Cancelled";
    }
    if (!(failed instanceof AcuseException)) {
      return "ShimError";
    }
    String name = failed.getClass().getSimpleName().replaceAll("Exception$", "Error");
    return name.equals("CallTimeoutError") ? "TimeoutError" : name;
  }
}
