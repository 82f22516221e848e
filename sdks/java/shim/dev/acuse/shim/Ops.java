package dev.acuse.shim;

import dev.acuse.Acuse;
import dev.acuse.AcuseException;
import dev.acuse.AsyncAcuse;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;

/** The operations that the suite can ask for. It only translates. */
final class Ops {
  private final Clients.Lazy client;
  private final Map<String, Object> options;

  private final Recording recording;
  private final boolean futures;
  private long cancelAfter;

  Ops(Clients.Lazy client, Map<String, Object> options, Recording recording, boolean futures) {
    this.client = client;
    this.options = options;
    this.recording = recording;
    this.futures = futures;
  }

  /** With cancel_after_ms the future is cancelled, or the thread of a blocking call interrupted. */
  Object run(String op, Map<String, Object> args) throws Exception {
    cancelAfter = Values.number(args, "cancel_after_ms", -1);
    Recording.CURRENT.set(recording);
    if (cancelAfter < 0 || futures) {
      return perform(op, args);
    }
    AtomicReference<Object> result = new AtomicReference<>();
    AtomicReference<Exception> failed = new AtomicReference<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                result.set(perform(op, args));
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

  private Object perform(String op, Map<String, Object> args) throws Exception {
    return switch (op) {
      case "info" -> Reflection.info(futures ? AsyncAcuse.class : Acuse.class);
      case "send" -> sent(surface().send(send(args), key(args)));
      case "send_raw" -> sendRaw(args);
      case "send_many" -> sendMany(args);
      case "send_file" -> sendFile(args);
      case "send_batch" -> sendBatch(args);
      case "call" -> Reflection.shown(surface().invoke(args));
      case "list" -> Reflection.list(surface().invoke(args), args);
      case "pages" -> Reflection.pages(surface().invoke(args), args);
      case "download_bundle" -> download(args);
      case "wait_until_sealed" ->
          surface()
              .waitUntilSealed(
                  (String) args.get("message_id"),
                  Duration.ofMillis(Values.number(args, "within_ms", 0)))
              .toJson();
      case "verify_webhook" -> event(verify(args));
      case "verify_bundle" -> Proofs.verify(args);
      case "log_checkpoint" -> point(surface().checkpoint((String) args.get("pinned_key")));
      case "log_follow" -> point(surface().follow(saved(args)));
      case "check_promise" -> promise(args);
      case "roundtrip" -> Reflection.roundtrip(args);
      case "print" -> print(args);
      default -> throw new UnsupportedOperationException("no such op: " + op);
    };
  }

  /** Futures run in threads of the library's own: their client is told where to record. */
  private Acuse acuse() {
    return futures
        ? client.get().withOptions(made -> Clients.record(made, options, () -> recording))
        : client.get();
  }

  private Surface surface() {
    return futures
        ? new Surface.AsFutures(acuse(), recording, cancelAfter)
        : new Surface.Blocking(acuse());
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

  private Object sendRaw(Map<String, Object> args) throws Exception {
    byte[] content = Base64.getDecoder().decode((String) args.get("content"));
    return sent(surface().sendRaw(content, key(args)));
  }

  /** So many threads, each with one send after the other, or as many futures at once. */
  private Object sendMany(Map<String, Object> args) throws Exception {
    Acuse acuse = acuse();
    int threads = (int) Values.number(args, "threads", 1);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    Semaphore free = new Semaphore(threads);
    List<CompletableFuture<Sent<Message>>> sends = new ArrayList<>();
    for (int i = 0; i < Values.number(args, "count", 0); i++) {
      Map<String, Object> message = new LinkedHashMap<>(Values.object(args.get("message")));
      message.put("subject", message.getOrDefault("subject", "") + " " + i);
      String key = args.get("keys") == null ? null : args.get("keys") + "" + i;
      Send send = Send.fromJson(message);
      free.acquire();
      CompletableFuture<Sent<Message>> future =
          futures
              ? acuse.async().messages().send(send, key)
              : CompletableFuture.supplyAsync(() -> recorded(acuse, send, key), pool);
      sends.add(future.whenComplete((sent, failed) -> free.release()));
    }
    List<Object> results = new ArrayList<>();
    for (CompletableFuture<Sent<Message>> each : sends) {
      results.add(outcome(each));
    }
    pool.shutdown();
    return Values.map("results", results);
  }

  private Sent<Message> recorded(Acuse acuse, Send send, String key) {
    Recording.CURRENT.set(recording);
    return acuse.messages().send(send, key);
  }

  private static Object outcome(CompletableFuture<Sent<Message>> send) throws Exception {
    try {
      Sent<Message> sent = send.get();
      return Values.map("id", sent.message().id(), "replayed", sent.replayed());
    } catch (ExecutionException failed) {
      return Values.map("error", Errors.of(failed, null));
    }
  }

  private Object sendFile(Map<String, Object> args) throws Exception {
    Attachment attachment = AttachedFile.of(Path.of((String) args.get("path")));
    Map<String, Object> message = new LinkedHashMap<>(Values.object(args.get("message")));
    message.put("attachments", List.of(attachment.toJson()));
    return sent(surface().send(Send.fromJson(message), key(args)));
  }

  private Object sendBatch(Map<String, Object> args) throws Exception {
    List<JsonObject> items = new ArrayList<>();
    for (Object each : Values.list(args.get("items"))) {
      Map<String, Object> item = Values.object(each);
      items.add(() -> item);
    }
    List<Object> results = new ArrayList<>();
    for (BatchOutcome each : surface().sendBatch(items)) {
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
    surface().download((String) args.get("message_id"), file);
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

  private Object promise(Map<String, Object> args) throws Exception {
    Message message = Message.fromJson(Values.object(args.get("message")));
    LogCheckpoint checkpoint = surface().checkpoint((String) args.get("pinned_key"));
    return Values.map("state", surface().checkPromise(message, checkpoint));
  }

  private Object print(Map<String, Object> args) throws Exception {
    List<Object> texts = new ArrayList<>();
    switch (String.valueOf(args.get("what"))) {
      case "client" -> texts.addAll(List.of(acuse().toString(), acuse().messages().toString()));
      case "event" -> texts.add(verify(args).toString());
      case "request" -> texts.addAll(List.of(send(args).toString(), options.keySet().toString()));
      default -> {
        try {
          texts.add(surface().send(send(args), key(args)).toString());
        } catch (AcuseException | ExecutionException failed) {
          java.io.StringWriter trace = new java.io.StringWriter();
          failed.printStackTrace(new java.io.PrintWriter(trace));
          texts.addAll(List.of(failed.toString(), trace.toString()));
        }
      }
    }
    return Values.map("texts", texts);
  }
}
