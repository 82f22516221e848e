package dev.acuse.testing;

import dev.acuse.Acuse;
import dev.acuse.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A service for tests that runs in this JVM, on a loopback port of its own: it takes sends and
 * batches, knows their keys and replays, and refuses what a test tells it to refuse. Everything
 * else answers 404.
 */
public final class FakeAcuse implements AutoCloseable {
  private final ServerSocket socket;
  private final Map<String, Map<String, Object>> byKey = new LinkedHashMap<>();
  private final Map<String, Map<String, Object>> bodies = new LinkedHashMap<>();
  private final Deque<String[]> refusals = new ArrayDeque<>();

  /**
   * Begins to listen.
   *
   * @throws IOException if there is no free port
   */
  public FakeAcuse() throws IOException {
    socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "fake-acuse");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * A client of this service that does not wait between attempts.
   *
   * @return a client
   */
  public Acuse client() {
    return Acuse.of(
        options ->
            options
                .apiKey("acuse_test_key")
                .baseUrl("http://127.0.0.1:" + socket.getLocalPort())
                .sleep(none -> {}));
  }

  /**
   * Answers the next request with an error.
   *
   * @param status such as 422
   * @param code such as {@code recipient_suppressed}
   * @return this
   */
  public synchronized FakeAcuse refuse(int status, String code) {
    refusals.add(new String[] {String.valueOf(status), code});
    return this;
  }

  /**
   * Everything sent, in order, each message once; a composed message as {@code raw}.
   *
   * @return the JSON of each send, without its key
   */
  public synchronized List<Map<String, Object>> sent() {
    return List.copyOf(bodies.values());
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> object(Object value) {
    return (Map<String, Object>) value;
  }

  private void accept() {
    try {
      while (true) {
        Socket connection = socket.accept();
        start(() -> serve(connection));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void serve(Socket connection) {
    try (connection) {
      FakeRequest request = FakeRequest.read(connection.getInputStream());
      while (request != null) {
        byte[] answer = answer(request).getBytes(StandardCharsets.UTF_8);
        connection.getOutputStream().write(answer);
        connection.getOutputStream().flush();
        request = FakeRequest.read(connection.getInputStream());
      }
    } catch (IOException gone) {
      // The client ended it.
    }
  }

  private synchronized String answer(FakeRequest request) {
    String[] refusal = refusals.poll();
    if (refusal != null) {
      return error(Integer.parseInt(refusal[0]), refusal[1]);
    }
    String[] path = request.path().split("/");
    if (request.line().startsWith("POST /v1/messages ")) {
      return send(request);
    }
    if (request.line().startsWith("POST /v1/messages/batch ")) {
      return batch(request.body());
    }
    for (Map<String, Object> each : byKey.values()) {
      if (request.line().startsWith("GET ") && each.get("id").equals(path[path.length - 1])) {
        return response(200, "", Json.write(each));
      }
    }
    return error(404, "not_found");
  }

  private String send(FakeRequest request) {
    Accepted done = accept(request.headers().get("idempotency-key"), given(request));
    if (done.code() != null) {
      return error(done.status(), done.code());
    }
    String replayed = done.status() == 200 ? "Idempotent-Replayed: true\r\n" : "";
    return response(done.status(), replayed, Json.write(done.message()));
  }

  private static Map<String, Object> given(FakeRequest request) {
    String type = request.headers().getOrDefault("content-type", "");
    return type.startsWith("application/json")
        ? object(Json.parse(request.body()))
        : Map.of("raw", request.body());
  }

  private String batch(String body) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    List.of("created", "replayed", "failed").forEach(each -> counts.put(each, 0));
    List<Map<String, Object>> results = new ArrayList<>();
    for (Object item : (List<?>) object(Json.parse(body)).get("messages")) {
      Map<String, Object> given = new LinkedHashMap<>(object(item));
      Accepted done = accept((String) given.remove("idempotency_key"), given);
      String status =
          done.code() != null ? "failed" : done.status() == 200 ? "replayed" : "created";
      counts.merge(status, 1, Integer::sum);
      Map<String, Object> result = new LinkedHashMap<>();
      result.put("index", results.size());
      result.put("status", status);
      result.put(
          done.code() == null ? "message" : "error",
          done.code() == null ? done.message() : fault(done.code()));
      results.add(result);
    }
    Map<String, Object> answer = new LinkedHashMap<>(counts);
    answer.put("results", results);
    return response(200, "", Json.write(answer));
  }

  /** A send's end: 201, 200 for a replay, or a refusal by its code. */
  private record Accepted(int status, Map<String, Object> message, String code) {}

  private Accepted accept(String key, Map<String, Object> given) {
    if (key == null) {
      return new Accepted(400, null, "missing_idempotency_key");
    }
    if (byKey.containsKey(key)) {
      return given.equals(bodies.get(key))
          ? new Accepted(200, byKey.get(key), null)
          : new Accepted(422, null, "idempotency_key_reused");
    }
    bodies.put(key, given);
    byKey.put(key, FakeRequest.message(key, given, Instant.now()));
    return new Accepted(201, byKey.get(key), null);
  }

  private static String error(int status, String code) {
    return response(status, "", Json.write(Map.of("error", fault(code))));
  }

  private static Map<String, Object> fault(String code) {
    Map<String, Object> error = new LinkedHashMap<>();
    error.put("code", code);
    error.put("message", "The test wants it.");
    return error;
  }

  private static String response(int status, String headers, String body) {
    int length = body.getBytes(StandardCharsets.UTF_8).length;
    String id = "Request-Id: " + UUID.randomUUID() + "\r\n";
    String type = "Content-Type: application/json\r\n";
    String head = "HTTP/1.1 " + status + " fake\r\n" + id + type + headers;
    return head + "Content-Length: " + length + "\r\n\r\n" + body;
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException ignored) {
      // It is closed as far as anyone can close it.
    }
  }
}
