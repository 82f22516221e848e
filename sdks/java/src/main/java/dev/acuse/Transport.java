package dev.acuse;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.TrustManagerFactory;

/**
 * Requests over java.net.http, one attempt at a time. HTTP/1.1 only: before version 24 the JDK's
 * HTTP/2 fails POSTs when a server ends a connection. The JDK itself sends a GET again when a
 * reused connection was closed, and connects twice when it is refused; it never sends anything else
 * again.
 */
final class Transport {
  /** Requests at once, of one client. */
  private static final int MAX_AT_ONCE = 100;

  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int BYTES_PER_SECOND = 256 * 1024;

  private final Options options;
  private final Semaphore permits = new Semaphore(MAX_AT_ONCE, true);
  private HttpClient client;
  private long usedAt;

  Transport(Options options) {
    this.options = options;
    this.client = options.httpClient == null ? build(options) : options.httpClient;
    this.usedAt = System.nanoTime();
  }

  /** One attempt's end. phase and failure are null with an answer. */
  record Result(
      Retry.End end,
      int status,
      Map<String, List<String>> headers,
      byte[] body,
      String phase,
      Throwable failure,
      long tookMs) {
    static Result failed(Retry.End end, String phase, Throwable failure) {
      return new Result(end, 0, Map.of(), new byte[0], phase, failure, 0);
    }

    Result took(long millis) {
      return new Result(end, status, headers, body, phase, failure, millis);
    }
  }

  /** After a minute without a request its connections are dropped: the server closes them soon. */
  private synchronized HttpClient client() {
    long now = System.nanoTime();
    if (options.httpClient == null && now - usedAt > IDLE_NANOS) {
      client = build(options);
    }
    usedAt = now;
    return client;
  }

  private static HttpClient build(Options options) {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(options.connectTimeout)
            .proxy(options.proxySelector());
    if (options.caFile != null) {
      builder.sslContext(trusting(options.caFile));
    }
    return builder.build();
  }

  private static SSLContext trusting(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int count = 0;
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        store.setCertificateEntry("ca-" + count++, each);
      }
      if (count == 0) {
        throw new ConfigurationException("The CA file has no certificate.");
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException unreadable) {
      throw new ConfigurationException("The CA file cannot be read as PEM: " + file);
    }
  }

  /** Never throws for what the network does; InterruptedException becomes an end of its own. */
  Result attempt(Call call, Options view, int attempt, Duration left) {
    Duration limit = view.timeout;
    if (call.body != null) {
      limit = limit.plusSeconds(call.body.length / BYTES_PER_SECOND);
    }
    limit = limit.compareTo(left) < 0 ? limit : left;
    try {
      if (!permits.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS)) {
        return Result.failed(
            Retry.End.NO_CONNECTION, "connect", new IOException("too many requests at once"));
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return Result.failed(Retry.End.CANCELLED, "connect", interrupted);
    }
    try {
      return send(call, request(call, view, attempt), limit);
    } finally {
      permits.release();
    }
  }

  private Result send(Call call, HttpRequest request, Duration limit) {
    Sinks.Progress progress = new Sinks.Progress();
    long bodyLimit = call.bytes ? Engine.MAX_BYTES : Engine.MAX_JSON;
    CompletableFuture<HttpResponse<byte[]>> future =
        client().sendAsync(request, Sinks.handler(call.file, bodyLimit, progress));
    try {
      HttpResponse<byte[]> response = await(future, call, limit, progress);
      return new Result(
          Retry.End.ANSWER,
          response.statusCode(),
          response.headers().map(),
          response.body(),
          null,
          null,
          0);
    } catch (TimeoutException late) {
      future.cancel(true);
      return Result.failed(Retry.End.TIMEOUT, "receive", late);
    } catch (InterruptedException interrupted) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      return Result.failed(Retry.End.CANCELLED, "receive", interrupted);
    } catch (ExecutionException failed) {
      return failure(failed.getCause());
    } catch (java.util.concurrent.CancellationException cancelled) {
      return Result.failed(Retry.End.CANCELLED, "receive", cancelled);
    }
  }

  /** A file may take as long as bytes keep coming; everything else must be whole in time. */
  private static HttpResponse<byte[]> await(
      CompletableFuture<HttpResponse<byte[]>> future,
      Call call,
      Duration limit,
      Sinks.Progress progress)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (call.file == null) {
      return future.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    }
    long start = System.nanoTime();
    while (true) {
      long now = System.nanoTime();
      long left = progress.body ? progress.at + STALL_NANOS - now : start + limit.toNanos() - now;
      if (left <= 0) {
        throw new TimeoutException("no bytes for too long");
      }
      try {
        return future.get(Math.min(left, POLL_NANOS), TimeUnit.NANOSECONDS);
      } catch (TimeoutException notYet) {
        continue;
      }
    }
  }

  private static HttpRequest request(Call call, Options view, int attempt) {
    String base = view.baseUrl.replaceAll("/+$", "");
    HttpRequest.BodyPublisher body =
        call.body == null
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofByteArray(call.body);
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(URI.create(base + call.target()))
            .version(HttpClient.Version.HTTP_1_1)
            .method(call.operation.method(), body)
            .setHeader("Authorization", "Bearer " + view.apiKey)
            .setHeader("User-Agent", userAgent(view))
            .setHeader("Acuse-Attempt", String.valueOf(attempt));
    if (call.operation.accept() != null) {
      builder.setHeader("Accept", call.operation.accept());
    }
    call.headers.forEach(builder::setHeader);
    return builder.build();
  }

  private static String userAgent(Options view) {
    String base =
        "acuse-java/%s (java/%s; %s)"
            .formatted(
                Acuse.VERSION,
                Runtime.version().feature(),
                System.getProperty("os.name", "unknown").replaceAll("[^ -~]", ""));
    return view.appInfo == null ? base : base + " " + view.appInfo;
  }

  /** The meaning of an exception of java.net.http for the call. */
  private static Result failure(Throwable cause) {
    for (Throwable each = cause; each != null; each = each.getCause()) {
      if (each instanceof Sinks.TooLarge) {
        return Result.failed(Retry.End.MALFORMED, "receive", each);
      }
      if (each instanceof SSLHandshakeException || each instanceof SSLPeerUnverifiedException) {
        return Result.failed(Retry.End.TLS, "tls", cause);
      }
      boolean unconnected =
          each instanceof ConnectException
              || each instanceof HttpConnectTimeoutException
              || each instanceof UnresolvedAddressException;
      if (unconnected) {
        return Result.failed(Retry.End.NO_CONNECTION, "connect", cause);
      }
    }
    if (cause instanceof HttpTimeoutException) {
      return Result.failed(Retry.End.TIMEOUT, "receive", cause);
    }
    String text = String.valueOf(cause.getMessage());
    if (text.startsWith("Tunnel failed")) {
      return Result.failed(Retry.End.NO_CONNECTION, "connect", cause);
    }
    return Result.failed(Retry.End.LOST_ANSWER, "receive", cause);
  }
}
