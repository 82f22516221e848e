package dev.acuse;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Runs calls in threads of their own; cancelling a future interrupts its thread. */
final class Futures {
  private static final AtomicInteger COUNT = new AtomicInteger();

  private static final class Holder {
    static final ExecutorService THREADS =
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, "acuse-" + COUNT.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  /** A future whose cancellation reaches the thread. */
  private static final class Running<T> extends CompletableFuture<T> {
    volatile Future<?> task;

    @Override
    public boolean cancel(boolean interrupt) {
      boolean cancelled = super.cancel(interrupt);
      Future<?> running = task;
      if (cancelled && running != null) {
        running.cancel(true);
      }
      return cancelled;
    }
  }

  <T> CompletableFuture<T> run(Supplier<T> call) {
    Running<T> future = new Running<>();
    future.task =
        Holder.THREADS.submit(
            () -> {
              try {
                future.complete(call.get());
              } catch (RuntimeException | Error failed) {
                future.completeExceptionally(failed);
              }
            });
    if (future.isCancelled()) {
      future.task.cancel(true);
    }
    return future;
  }
}
