package dev.acuse;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/** Answers requests with what a test wrote down, over raw sockets; the last answer is repeated. */
final class FaultServer implements AutoCloseable {
  /** Reads the request and closes the connection. */
  static final String DROP = "drop";

  /** Reads the request and says nothing. */
  static final String HANG = "hang";

  private final ServerSocket socket;
  private final Deque<String> script = new ArrayDeque<>();
  final List<String> requests = Collections.synchronizedList(new ArrayList<>());

  FaultServer(String... answers) throws IOException {
    script.addAll(List.of(answers));
    socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
  }

  String url() {
    return "http://127.0.0.1:" + socket.getLocalPort();
  }

  Acuse client() {
    return Acuse.of(
        options ->
            options.apiKey("acuse_id_canary").baseUrl(url()).sleep(none -> {}).random(() -> 0));
  }

  static String answer(int status, String headers, String body) {
    int length = body.getBytes(StandardCharsets.UTF_8).length;
    return "HTTP/1.1 "
        + status
        + " x\r\n"
        + headers
        + "Content-Length: "
        + length
        + "\r\n\r\n"
        + body;
  }

  static String error(int status, String code) {
    return answer(status, "", "{\"error\":{\"code\":\"" + code + "\",\"message\":\"m\"}}");
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
      InputStream in = connection.getInputStream();
      OutputStream out = connection.getOutputStream();
      while (read(in)) {
        String next = next();
        if (next.equals(HANG)) {
          in.read();
          return;
        }
        if (next.equals(DROP)) {
          return;
        }
        out.write(next.getBytes(StandardCharsets.UTF_8));
        out.flush();
        if (next.contains("Content-Length: 9999") || next.contains("chunked")) {
          return;
        }
      }
    } catch (IOException gone) {
      // The client ended it.
    }
  }

  private synchronized String next() {
    return script.size() > 1 ? script.poll() : script.peek();
  }

  private boolean read(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
      int each = in.read();
      if (each < 0) {
        return false;
      }
      head.write(each);
    }
    String text = head.toString(StandardCharsets.ISO_8859_1);
    String lower = text.toLowerCase(Locale.ROOT);
    int at = lower.indexOf("content-length: ");
    int length = at < 0 ? 0 : Integer.parseInt(lower.substring(at + 16).split("\r\n", 2)[0]);
    requests.add(text + new String(in.readNBytes(length), StandardCharsets.UTF_8));
    return true;
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
