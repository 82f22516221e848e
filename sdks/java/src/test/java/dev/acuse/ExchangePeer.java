package dev.acuse;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Plays the answers of one case of exchanges.json. */
final class ExchangePeer implements AutoCloseable {
  private static final Pattern LENGTH = Pattern.compile("(?i)content-length: (\\d+)");

  final AtomicInteger requests = new AtomicInteger();
  final AtomicLong taken = new AtomicLong();
  private final Map<String, Object> test;
  private final ServerSocket server;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  ExchangePeer(Map<String, Object> test) throws IOException {
    this.test = test;
    server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
    start(this::accept);
  }

  String url() {
    return (test.containsKey("tls") ? "https" : "http") + "://127.0.0.1:" + server.getLocalPort();
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        open.add(socket);
        start(() -> serve(socket));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      boolean more = true;
      while (more && read(socket.getInputStream())) {
        more = play(socket);
      }
    } catch (IOException gone) {
      // The client ended it.
    } catch (InterruptedException never) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean read(InputStream in) throws IOException {
    StringBuilder data = new StringBuilder();
    byte[] buffer = new byte[65_536];
    while (!whole(data.toString())) {
      int count = in.read(buffer);
      if (count < 0) {
        return false;
      }
      data.append(new String(buffer, 0, count, StandardCharsets.ISO_8859_1));
    }
    requests.incrementAndGet();
    return true;
  }

  private boolean whole(String data) {
    if (test.containsKey("tls")) {
      return !data.isEmpty();
    }
    int over = data.indexOf("\r\n\r\n");
    Matcher length = LENGTH.matcher(over < 0 ? "" : data.substring(0, over));
    return over >= 0
        && data.length() >= over + 4 + (length.find() ? Integer.parseInt(length.group(1)) : 0);
  }

  private boolean play(Socket socket) throws IOException, InterruptedException {
    List<?> answers = (List<?>) test.get("answers");
    Map<?, ?> script = (Map<?, ?>) answers.get(Math.min(requests.get(), answers.size()) - 1);
    for (Object step : (List<?>) script.get("steps")) {
      write(socket.getOutputStream(), (Map<?, ?>) step);
    }
    if ("reset".equals(script.get("end"))) {
      socket.setSoLinger(true, 0);
    }
    if ("hold".equals(script.get("end"))) {
      while (socket.getInputStream().read() >= 0) {
        continue;
      }
    }
    return "keep".equals(script.get("end"));
  }

  private void write(OutputStream out, Map<?, ?> step) throws IOException, InterruptedException {
    byte[] bytes =
        step.containsKey("base64")
            ? Base64.getDecoder().decode((String) step.get("base64"))
            : ((String) step.get("text")).getBytes(StandardCharsets.UTF_8);
    long times = step.containsKey("times") ? (Long) step.get("times") : 1;
    for (long n = 0; times == 0 || n < times; n++) {
      out.write(bytes);
      taken.addAndGet(bytes.length);
      if (step.containsKey("every_ms")) {
        Thread.sleep((Long) step.get("every_ms"));
      }
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket each : open) {
      each.close();
    }
  }
}
