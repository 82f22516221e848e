package dev.acuse.shim;

import dev.acuse.Acuse;
import dev.acuse.AcuseException;
import dev.acuse.AttachedFile;
import dev.acuse.BatchOutcome;
import dev.acuse.JsonObject;
import dev.acuse.Sent;
import dev.acuse.WebhookEvent;
import dev.acuse.Webhooks;
import dev.acuse.model.Attachment;
import dev.acuse.model.Message;
import dev.acuse.model.Send;
import dev.acuse.verify.LogCheckpoint;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;

/** What the suite can ask for. It only translates. */
final class Ops {
  private final Clients.Lazy client;
  private final Map<String, Object> options;

  Ops(Clients.Lazy client, Map<String, Object> options) {
    this.client = client;
    this.options = options;
  }

  /** With cancel_after_ms the calling thread is interrupted, as Java cancels blocking calls. */
  Object run(String op, Map<String, Object> args, Recording recording) throws Exception {
    long cancelAfter = Values.number(args, "cancel_after_ms", -1);
    if (cancelAfter < 0) {
      Recording.CURRENT.set(recording);
      return run(op, args);
    }
    AtomicReference<Object> result = new AtomicReference<>();
    AtomicReference<Exception> failed = new AtomicReference<>();
    Thread thread =
        new Thread(
            () -> {
              Recording.CURRENT.set(recording);
              try {
                result.set(run(op, args));
              } catch (Exception thrown) {
                failed.set(thrown);
              }
            });
    thread.start();
    thread.join(cancelAfter);
    recording.cancelledAt = System.nanoTime();
    thread.interrupt();
    thread.join();
    if (failed.get() != null) {
      throw failed.get();
    }
    return result.get();
  }

  private Object run(String op, Map<String, Object> args) throws Exception {
    return switch (op) {
      case "info" -> Reflection.info();
      case "send" -> sent(acuse().messages().send(send(args), key(args)));
      case "send_raw" -> sendRaw(args);
      case "send_many" -> sendMany(args);
      case "send_file" -> sendFile(args);
      case "send_batch" -> sendBatch(args);
      case "call" -> Reflection.call(acuse(), args);
      case "list" -> Reflection.list(acuse(), args);
      case "pages" -> Reflection.pages(acuse(), args);
      case "download_bundle" -> download(args);
      case "wait_until_sealed" ->
          acuse()
              .evidence()
              .waitUntilSealed(
                  (String) args.get("message_id"),
                  Duration.ofMillis(Values.number(args, "within_ms", 0)))
              .toJson();
      case "verify_webhook" -> event(verify(args));
      case "verify_bundle" -> Proofs.verify(args);
      case "log_checkpoint" -> point(acuse().log().checkpoint((String) args.get("pinned_key")));
      case "log_follow" -> point(acuse().log().follow(saved(args)));
      case "check_promise" -> promise(args);
      case "roundtrip" -> Reflection.roundtrip(args);
      case "print" -> print(args);
      default -> throw new UnsupportedOperationException("no such op: " + op);
    };
  }

  private Acuse acuse() {
    return client.get();
  }

  private static String key(Map<String, Object> args) {
    return (String) args.get("idempotency_key");
  }

  private static Send send(Map<String, Object> args) {
    return Send.fromJson(Values.object(args.get("message")));
  }

  private static Map<String, Object> sent(Sent<Message> sent) {
    return Values.map(
        "message", sent.message().toJson(),
        "replayed", sent.replayed(),
        "idempotency_key", sent.idempotencyKey(),
        "attempts", sent.attempts(),
        "request_id", sent.response().requestId());
  }

  private Object sendRaw(Map<String, Object> args) {
    byte[] content = Base64.getDecoder().decode((String) args.get("content"));
    return sent(acuse().messages().sendRaw(content, key(args)));
  }

  private Object sendMany(Map<String, Object> args) throws Exception {
    Acuse acuse = acuse();
    Recording recording = Recording.CURRENT.get();
    ExecutorService threads = Executors.newFixedThreadPool((int) Values.number(args, "threads", 1));
    List<Future<Object>> futures = new ArrayList<>();
    for (int i = 0; i < Values.number(args, "count", 0); i++) {
      Map<String, Object> message = new LinkedHashMap<>(Values.object(args.get("message")));
      message.put("subject", message.getOrDefault("subject", "") + " " + i);
      String key = args.get("keys") == null ? null : args.get("keys") + "" + i;
      Callable<Object> task =
          () -> {
            Recording.CURRENT.set(recording);
            try {
              Sent<Message> sent = acuse.messages().send(Send.fromJson(message), key);
              return Values.map("id", sent.message().id(), "replayed", sent.replayed());
            } catch (AcuseException failed) {
              return Values.map("error", Errors.of(failed, null));
            }
          };
      futures.add(threads.submit(task));
    }
    List<Object> results = new ArrayList<>();
    for (Future<Object> future : futures) {
      results.add(future.get());
    }
    threads.shutdown();
    return Values.map("results", results);
  }

  private Object sendFile(Map<String, Object> args) throws Exception {
    Attachment attachment = AttachedFile.of(Path.of((String) args.get("path")));
    Map<String, Object> message = new LinkedHashMap<>(Values.object(args.get("message")));
    message.put("attachments", List.of(attachment.toJson()));
    return sent(acuse().messages().send(Send.fromJson(message), key(args)));
  }

  private Object sendBatch(Map<String, Object> args) {
    List<JsonObject> items = new ArrayList<>();
    for (Object each : Values.list(args.get("items"))) {
      Map<String, Object> item = Values.object(each);
      items.add(() -> item);
    }
    List<Object> results = new ArrayList<>();
    for (BatchOutcome each : acuse().messages().sendBatch(items)) {
      results.add(
          Values.map(
              "status",
              each.status(),
              "idempotency_key",
              each.idempotencyKey(),
              "message",
              each.message() == null ? null : each.message().toJson(),
              "error",
              each.error() == null ? null : Errors.of(each.error(), null)));
    }
    return Values.map("results", results);
  }

  private Object download(Map<String, Object> args) throws Exception {
    Path file = Path.of((String) args.get("path"));
    acuse().evidence().downloadBundle((String) args.get("message_id"), file);
    return Values.map("bytes", Files.size(file), "peak_bytes", null);
  }

  private static WebhookEvent verify(Map<String, Object> args) {
    String[] secrets =
        Values.list(args.get("secrets")).stream().map(String.class::cast).toArray(String[]::new);
    Webhooks.Verifier verifier = Webhooks.verifier(secrets);
    if (args.get("tolerance") instanceof Number seconds) {
      verifier = verifier.tolerance(Duration.ofSeconds(seconds.longValue()));
    }
    if (args.get("now") instanceof Number seconds) {
      verifier = verifier.at(Instant.ofEpochSecond(seconds.longValue()));
    }
    if (Boolean.TRUE.equals(args.get("accept_unstamped"))) {
      verifier = verifier.acceptUnstamped();
    }
    Map<String, Object> headers = Values.object(args.get("headers"));
    if (args.containsKey("parsed")) {
      return verifier.verify(args.get("parsed"), headers);
    }
    byte[] body =
        args.get("body_base64") instanceof String base64
            ? Base64.getDecoder().decode(base64)
            : String.valueOf(args.get("body")).getBytes(StandardCharsets.UTF_8);
    return verifier.verify(body, headers);
  }

  private static Object event(WebhookEvent event) {
    return Values.map(
        "type", event.type(),
        "created_at", event.createdAt(),
        "data", event.raw(),
        "event_id", event.eventId(),
        "replay_protected", event.replayProtected());
  }

  private static LogCheckpoint saved(Map<String, Object> args) {
    return LogCheckpoint.open((String) args.get("saved"), (String) args.get("pinned_key"));
  }

  private static Object point(LogCheckpoint checkpoint) {
    return Values.map(
        "origin", checkpoint.origin(),
        "tree_size", checkpoint.size(),
        "root_hash", checkpoint.rootHash(),
        "saved", checkpoint.note());
  }

  private Object promise(Map<String, Object> args) {
    Message message = Message.fromJson(Values.object(args.get("message")));
    LogCheckpoint checkpoint = acuse().log().checkpoint((String) args.get("pinned_key"));
    return Values.map("state", acuse().log().checkPromise(message, checkpoint));
  }

  private Object print(Map<String, Object> args) {
    List<Object> texts = new ArrayList<>();
    switch (String.valueOf(args.get("what"))) {
      case "client" -> texts.addAll(List.of(acuse().toString(), acuse().messages().toString()));
      case "event" -> texts.add(verify(args).toString());
      case "request" -> texts.addAll(List.of(send(args).toString(), options.keySet().toString()));
      default -> {
        try {
          texts.add(acuse().messages().send(send(args), key(args)).toString());
        } catch (AcuseException failed) {
          java.io.StringWriter trace = new java.io.StringWriter();
          failed.printStackTrace(new java.io.PrintWriter(trace));
          texts.addAll(List.of(failed.toString(), trace.toString()));
        }
      }
    }
    return Values.map("texts", texts);
  }
}
