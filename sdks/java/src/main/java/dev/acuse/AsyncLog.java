package dev.acuse;

/** The transparency log, as futures. */
public final class AsyncLog extends AsyncLogOperations {
  AsyncLog(Log blocking, Futures futures) {
    super(blocking, futures);
  }
}
