package dev.acuse;

import dev.acuse.model.Message;
import dev.acuse.verify.LogCheckpoint;
import java.util.concurrent.CompletableFuture;

/** The transparency log, as futures. */
public final class AsyncLog extends AsyncLogOperations {
  AsyncLog(Log blocking, Futures futures) {
    super(blocking, futures);
  }

  /**
   * The newest checkpoint, as {@link Log#checkpoint(String)} gives it.
   *
   * @param pinnedKey the log's verifier key
   * @return a checkpoint
   */
  public CompletableFuture<LogCheckpoint> checkpoint(String pinnedKey) {
    return futures.run(() -> blocking.checkpoint(pinnedKey));
  }

  /**
   * Proves that the log has only grown, as {@link Log#follow} does.
   *
   * @param saved what was seen before
   * @return the newest checkpoint
   */
  public CompletableFuture<LogCheckpoint> follow(LogCheckpoint saved) {
    return futures.run(() -> blocking.follow(saved));
  }

  /**
   * Did the log do what it promised? See {@link Log#checkPromise}.
   *
   * @param message with its promise
   * @param checkpoint of the log
   * @return kept, pending or broken
   */
  public CompletableFuture<String> checkPromise(Message message, LogCheckpoint checkpoint) {
    return futures.run(() -> blocking.checkPromise(message, checkpoint));
  }
}
