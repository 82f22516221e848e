package dev.acuse;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Consumer;

/**
 * The client of one Acuse service with one API key. It serves all threads, virtual ones too: make
 * one and keep it. Its methods block; {@link #async} gives the same as futures.
 *
 * <pre>{@code
 * var acuse = Acuse.fromEnv();
 * var sent = acuse.messages().send(Send.builder("billing@sandbox.test", "delivered@sandbox.test")
 *     .subject("Invoice 1").text("Hello.").build(), "invoice-1");
 * }</pre>
 */
public final class Acuse extends Resources {
  /** The version of this library. */
  public static final String VERSION = "1.0.0";

  private final Engine engine;
  private final AsyncAcuse async;

  private Acuse(Engine engine) {
    super(engine);
    this.engine = engine;
    this.async = new AsyncAcuse(this);
  }

  /**
   * A client for {@code ACUSE_URL} with {@code ACUSE_API_KEY}.
   *
   * @return a client
   * @throws ConfigurationException without a key, and for an address that would leak it
   */
  public static Acuse fromEnv() {
    return of(options -> {});
  }

  /**
   * A client with options.
   *
   * @param set changes what {@link #fromEnv} would use
   * @return a client
   * @throws ConfigurationException without a key, and for an address that would leak it
   */
  public static Acuse of(Consumer<Options> set) {
    Options options = new Options();
    set.accept(options);
    return new Acuse(new Engine(options));
  }

  /**
   * A view of this client with other options, which shares its connections and its budget for
   * retries.
   *
   * @param set changes some
   * @return another client
   */
  public Acuse withOptions(Consumer<Options> set) {
    Options options = engine.options.copy();
    set.accept(options);
    return new Acuse(engine.with(options));
  }

  /**
   * Sends messages of the {@link Outbox} that are due, each once, however often and from wherever
   * this is called. Why a message waits or was refused stands in the table.
   *
   * @param connection one of its own, in no transaction
   * @param limit the most messages that the call takes on
   * @return how many came to their end, sent or refused
   * @throws SQLException what the database says
   */
  public int sendOutbox(Connection connection, int limit) throws SQLException {
    return Outbox.sendDue(engine, connection, limit);
  }

  /**
   * The same operations as futures.
   *
   * @return the asynchronous form
   */
  public AsyncAcuse async() {
    return async;
  }

  @Override
  public String toString() {
    return "Acuse{" + engine.options + "}";
  }
}
