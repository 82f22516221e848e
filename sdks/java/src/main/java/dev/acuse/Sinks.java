package dev.acuse;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** Where the body of an answer goes: memory up to a limit, or a file. */
final class Sinks {
  private Sinks() {}

  /** The body is larger than it may be. */
  static final class TooLarge extends IOException {
    private static final long serialVersionUID = 1L;

    TooLarge(long limit) {
      super("the answer is larger than " + limit + " bytes");
    }
  }

  /** Takes the chunks of one body, in order. */
  private interface Sink {
    void write(ByteBuffer chunk) throws IOException;

    byte[] finish() throws IOException;

    void abort();
  }

  /** When the newest bytes came, for whoever waits. */
  static final class Progress {
    volatile long at = System.nanoTime();
    volatile boolean body;
  }

  private static final long BROKEN = -2;

  /** Answers other than 2xx go to memory in any case. */
  static BodyHandler<byte[]> handler(Path file, long limit, Progress progress) {
    return info -> {
      progress.body = true;
      progress.at = System.nanoTime();
      boolean good = info.statusCode() >= 200 && info.statusCode() < 300;
      long length = expected(info);
      Sink sink = good && file != null ? new FileSink(file) : new MemorySink(limit);
      return new Subscriber(sink, length, progress);
    };
  }

  /** -1 where nothing says it; -2 where it is none (RFC 9112 §6.3). */
  private static long expected(ResponseInfo info) {
    List<String> lengths = info.headers().allValues("content-length").stream().distinct().toList();
    if (lengths.isEmpty()) {
      return -1;
    }
    return lengths.size() == 1 && lengths.get(0).matches("[0-9]{1,15}")
        ? Long.parseLong(lengths.get(0))
        : BROKEN;
  }

  private static final class MemorySink implements Sink {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final long limit;

    MemorySink(long limit) {
      this.limit = limit;
    }

    @Override
    public void write(ByteBuffer chunk) throws IOException {
      if (out.size() + (long) chunk.remaining() > limit) {
        throw new TooLarge(limit);
      }
      byte[] bytes = new byte[chunk.remaining()];
      chunk.get(bytes);
      out.write(bytes);
    }

    @Override
    public byte[] finish() {
      return out.toByteArray();
    }

    @Override
    public void abort() {
      out.reset();
    }
  }

  private static final class FileSink implements Sink {
    private final Path file;
    private FileChannel channel;

    FileSink(Path file) {
      this.file = file;
    }

    private FileChannel open() throws IOException {
      if (channel == null) {
        channel =
            FileChannel.open(
                file,
                StandardOpenOption.WRITE,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING);
      }
      return channel;
    }

    @Override
    public void write(ByteBuffer chunk) throws IOException {
      while (chunk.hasRemaining()) {
        open().write(chunk);
      }
    }

    @Override
    public byte[] finish() throws IOException {
      open().force(true);
      channel.close();
      return new byte[0];
    }

    @Override
    public void abort() {
      try {
        if (channel != null) {
          channel.close();
        }
      } catch (IOException closed) {
        // Nothing more can be done, and the file is removed by whoever named it.
      }
    }
  }

  private static final class Subscriber implements BodySubscriber<byte[]> {
    private final Sink sink;
    private final long expected;
    private final Progress progress;
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private Flow.Subscription subscription;
    private long size;

    Subscriber(Sink sink, long expected, Progress progress) {
      this.sink = sink;
      this.expected = expected;
      this.progress = progress;
    }

    @Override
    public CompletionStage<byte[]> getBody() {
      return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      this.subscription = subscription;
      if (expected == BROKEN) {
        subscription.cancel();
        onError(new IOException("the length of the answer is none"));
        return;
      }
      subscription.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> chunks) {
      try {
        for (ByteBuffer chunk : chunks) {
          size += chunk.remaining();
          sink.write(chunk);
        }
        progress.at = System.nanoTime();
        subscription.request(1);
      } catch (IOException failed) {
        subscription.cancel();
        onError(failed);
      }
    }

    @Override
    public void onError(Throwable failed) {
      sink.abort();
      body.completeExceptionally(failed);
    }

    @Override
    public void onComplete() {
      try {
        if (expected >= 0 && size != expected) {
          throw new IOException("the body ends after " + size + " of " + expected + " bytes");
        }
        body.complete(sink.finish());
      } catch (IOException failed) {
        onError(failed);
      }
    }
  }
}
