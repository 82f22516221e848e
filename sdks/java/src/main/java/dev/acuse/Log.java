package dev.acuse;

/** The transparency log. */
public final class Log extends LogOperations {
  Log(Engine engine) {
    super(engine);
  }
}
