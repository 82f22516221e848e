package dev.acuse;

import dev.acuse.model.BatchItemResult;
import dev.acuse.model.BatchResult;
import dev.acuse.model.Message;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Many sends in few requests, each item with a key of its own. */
final class Batches {
  private static final int MAX_ITEMS = 100;

  /** Addresses in to, cc and bcc of one request's items. */
  private static final int MAX_RECIPIENTS = 1_000;

  /** Bytes of one request's items: the server takes 64 MiB. */
  private static final long MAX_BYTES = 60L * 1024 * 1024;

  /** What an item failed with that another attempt may mend. */
  private static final List<String> AGAIN = List.of("unavailable", "internal_error");

  private final Engine engine;
  private final BatchOutcome[] outcomes;
  private final List<Item> items = new ArrayList<>();

  private record Item(int index, String key, String json, int bytes, int recipients) {}

  Batches(Engine engine, List<? extends JsonObject> given) {
    this.engine = engine;
    this.outcomes = new BatchOutcome[given.size()];
    for (int i = 0; i < given.size(); i++) {
      Map<String, Object> fields = new LinkedHashMap<>(given.get(i).toJson());
      fields.computeIfAbsent("idempotency_key", none -> "auto_" + UUID.randomUUID());
      String key = String.valueOf(fields.get("idempotency_key"));
      try {
        Call.checkKey(key);
        String json = Json.write(fields);
        int bytes = json.getBytes(StandardCharsets.UTF_8).length;
        items.add(new Item(i, key, json, bytes, recipients(fields)));
      } catch (ConfigurationException wrong) {
        outcomes[i] = new BatchOutcome(i, BatchOutcome.FAILED, key, null, wrong);
      }
    }
  }

  private static int recipients(Map<String, Object> fields) {
    int count = 0;
    for (String name : List.of("to", "cc", "bcc")) {
      Object given = fields.get(name);
      count += given instanceof List<?> list ? list.size() : given == null ? 0 : 1;
    }
    return count;
  }

  List<BatchOutcome> run() {
    List<Item> left = items;
    for (int round = 0; !left.isEmpty(); round++) {
      List<Item> again = new ArrayList<>();
      for (List<Item> part : parts(left)) {
        again.addAll(send(part));
      }
      if (round == engine.options.maxRetries || again.isEmpty() || !paused(round)) {
        break;
      }
      left = again;
    }
    return Arrays.asList(outcomes);
  }

  private boolean paused(int round) {
    double seconds =
        Math.min(8, 0.5 * Math.pow(2, round)) * (0.5 + 0.5 * engine.options.random.getAsDouble());
    try {
      engine.options.sleep.sleep(Duration.ofNanos((long) (seconds * 1e9)));
      return true;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static List<List<Item>> parts(List<Item> items) {
    List<List<Item>> out = new ArrayList<>();
    List<Item> part = new ArrayList<>();
    long bytes = 0;
    int recipients = 0;
    for (Item item : items) {
      boolean full =
          part.size() == MAX_ITEMS
              || bytes + item.bytes() > MAX_BYTES
              || recipients + item.recipients() > MAX_RECIPIENTS;
      if (full && !part.isEmpty()) {
        out.add(part);
        part = new ArrayList<>();
        bytes = 0;
        recipients = 0;
      }
      part.add(item);
      bytes += item.bytes() + 1;
      recipients += item.recipients();
    }
    out.add(part);
    return out;
  }

  /** Items that are worth another attempt. */
  private List<Item> send(List<Item> part) {
    StringBuilder body = new StringBuilder("{\"messages\":[");
    for (Item item : part) {
      body.append(body.charAt(body.length() - 1) == '[' ? "" : ",").append(item.json());
    }
    byte[] bytes = body.append("]}").toString().getBytes(StandardCharsets.UTF_8);
    Call call = new Call(Operations.SEND_BATCH).body(bytes, "application/json");
    BatchResult result;
    try {
      result = engine.json(call, BatchResult::fromJson);
    } catch (CallException failed) {
      String status = failed.outcomeUnknown() ? BatchOutcome.UNKNOWN : BatchOutcome.FAILED;
      for (Item item : part) {
        // What refused it in an earlier request stands, unless it may have been accepted since.
        if (outcomes[item.index()] == null || failed.outcomeUnknown()) {
          outcomes[item.index()] = new BatchOutcome(item.index(), status, item.key(), null, failed);
        }
      }
      return List.of();
    }
    return read(part, result);
  }

  private List<Item> read(List<Item> part, BatchResult result) {
    List<Item> again = new ArrayList<>();
    int attempts = result.extra().response().attempts();
    for (Item item : part) {
      CallException.Failure failure = new CallException.Failure(attempts, true, item.key());
      AcuseException missing =
          new ProtocolException(
              "the answer has no result for this item",
              null,
              failure,
              result.extra().response().status());
      outcomes[item.index()] =
          new BatchOutcome(item.index(), BatchOutcome.UNKNOWN, item.key(), null, missing);
    }
    for (BatchItemResult each : result.results()) {
      boolean isEmpty = each.message() == null && each.error() == null;
      if (isEmpty || each.index() < 0 || each.index() >= part.size()) {
        continue;
      }
      Item item = part.get((int) each.index());
      outcomes[item.index()] = outcome(item, each, result.extra().response());
      if (each.error() != null && AGAIN.contains(each.error().code())) {
        again.add(item);
      }
    }
    return again;
  }

  private static BatchOutcome outcome(Item item, BatchItemResult each, Response response) {
    Message message = each.message();
    AcuseException error = null;
    if (each.error() != null) {
      String code = each.error().code();
      ApiException.Answer answer =
          new ApiException.Answer(
              ErrorCode.status(code),
              code,
              Secrets.redact(each.error().message()),
              ErrorCode.fix(code),
              response.requestId(),
              null);
      CallException.Failure failure =
          new CallException.Failure(response.attempts(), false, item.key());
      error = ErrorClasses.of(answer, failure);
    }
    return new BatchOutcome(item.index(), each.status(), item.key(), message, error);
  }
}
