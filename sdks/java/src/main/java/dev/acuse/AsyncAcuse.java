package dev.acuse;

/** The operations of a client as futures. Cancelling a future ends its call. */
public final class AsyncAcuse extends Resources.Async {
  AsyncAcuse(Acuse blocking) {
    super(blocking, new Futures());
  }
}
