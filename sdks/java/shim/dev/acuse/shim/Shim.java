package dev.acuse.shim;

import dev.acuse.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Speaks the protocol of sdks/conformance: a JSON request a line in, a JSON answer a line out. */
public final class Shim {
  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

  private Shim() {}

  /**
   * Runs until the end of standard input.
   *
   * @param arguments {@code async}: drives the futures
   * @throws IOException if standard input cannot be read
   */
  public static void main(String[] arguments) throws IOException {
    Clients clients = new Clients();
    boolean futures = List.of(arguments).contains("async");
    ExecutorService threads =
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task);
              thread.setDaemon(true);
              return thread;
            });
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String request = line;
      threads.submit(() -> answer(request, clients, futures));
    }
    System.exit(0);
  }

  private static void answer(String line, Clients clients, boolean futures) {
    Map<String, Object> request = Values.object(Json.parse(line));
    Recording recording = new Recording();
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("id", request.get("id"));
    try {
      Map<String, Object> options = Values.object(request.get("options"));
      Map<String, Object> args = Values.object(request.get("args"));
      Ops ops = new Ops(clients.of(options), options, recording, futures);
      answer.put("result", ops.run((String) request.get("op"), args));
    } catch (Throwable failed) {
      answer.put("error", Errors.of(failed, recording));
    }
    recording.into(answer);
    String text = Json.write(answer);
    synchronized (OUT) {
      OUT.println(text);
    }
  }
}
