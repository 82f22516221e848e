package dev.acuse.shim;

import dev.acuse.Acuse;
import dev.acuse.BatchOutcome;
import dev.acuse.JsonObject;
import dev.acuse.Sent;
import dev.acuse.model.Message;
import dev.acuse.model.Send;
import dev.acuse.verify.LogCheckpoint;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The surface of the library that a shim drives: blocking methods, or futures. */
interface Surface {
  Sent<Message> send(Send message, String key) throws Exception;

  Sent<Message> sendRaw(byte[] content, String key) throws Exception;

  List<BatchOutcome> sendBatch(List<JsonObject> items) throws Exception;

  void download(String id, Path file) throws Exception;

  Message waitUntilSealed(String id, Duration within) throws Exception;

  LogCheckpoint checkpoint(String pinnedKey) throws Exception;

  LogCheckpoint follow(LogCheckpoint saved) throws Exception;

  String checkPromise(Message message, LogCheckpoint checkpoint) throws Exception;

  Object invoke(Map<String, Object> args) throws Exception;

  /** Methods that block. */
  record Blocking(Acuse acuse) implements Surface {
    @Override
    public Sent<Message> send(Send message, String key) {
      return acuse.messages().send(message, key);
    }

    @Override
    public Sent<Message> sendRaw(byte[] content, String key) {
      return acuse.messages().sendRaw(content, key);
    }

    @Override
    public List<BatchOutcome> sendBatch(List<JsonObject> items) {
      return acuse.messages().sendBatch(items);
    }

    @Override
    public void download(String id, Path file) throws Exception {
      acuse.evidence().downloadBundle(id, file);
    }

    @Override
    public Message waitUntilSealed(String id, Duration within) {
      return acuse.evidence().waitUntilSealed(id, within);
    }

    @Override
    public LogCheckpoint checkpoint(String pinnedKey) {
      return acuse.log().checkpoint(pinnedKey);
    }

    @Override
    public LogCheckpoint follow(LogCheckpoint saved) {
      return acuse.log().follow(saved);
    }

    @Override
    public String checkPromise(Message message, LogCheckpoint checkpoint) {
      return acuse.log().checkPromise(message, checkpoint);
    }

    @Override
    public Object invoke(Map<String, Object> args) throws Exception {
      return Reflection.invoke(Acuse.class, acuse, args);
    }
  }

  /** Futures, each waited for and, with {@code cancelAfter} (ms; below 0: never), cancelled. */
  record AsFutures(Acuse acuse, Recording recording, long cancelAfter) implements Surface {
    private <T> T waited(CompletableFuture<T> future) throws Exception {
      if (cancelAfter < 0) {
        return future.get();
      }
      try {
        return future.get(cancelAfter, TimeUnit.MILLISECONDS);
      } catch (TimeoutException late) {
        recording.cancelledAt = System.nanoTime();
        future.cancel(true);
        return future.get();
      }
    }

    @Override
    public Sent<Message> send(Send message, String key) throws Exception {
      return waited(acuse.async().messages().send(message, key));
    }

    @Override
    public Sent<Message> sendRaw(byte[] content, String key) throws Exception {
      return waited(acuse.async().messages().sendRaw(content, key));
    }

    @Override
    public List<BatchOutcome> sendBatch(List<JsonObject> items) throws Exception {
      return waited(acuse.async().messages().sendBatch(items));
    }

    @Override
    public void download(String id, Path file) throws Exception {
      waited(acuse.async().evidence().downloadBundle(id, file));
    }

    @Override
    public Message waitUntilSealed(String id, Duration within) throws Exception {
      return waited(acuse.async().evidence().waitUntilSealed(id, within));
    }

    @Override
    public LogCheckpoint checkpoint(String pinnedKey) throws Exception {
      return waited(acuse.async().log().checkpoint(pinnedKey));
    }

    @Override
    public LogCheckpoint follow(LogCheckpoint saved) throws Exception {
      return waited(acuse.async().log().follow(saved));
    }

    @Override
    public String checkPromise(Message message, LogCheckpoint checkpoint) throws Exception {
      return waited(acuse.async().log().checkPromise(message, checkpoint));
    }

    @Override
    public Object invoke(Map<String, Object> args) throws Exception {
      Object found = Reflection.invoke(dev.acuse.AsyncAcuse.class, acuse.async(), args);
      return found instanceof CompletableFuture<?> future ? waited(future) : found;
    }
  }
}
