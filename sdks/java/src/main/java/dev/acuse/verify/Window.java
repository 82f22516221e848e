package dev.acuse.verify;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

/** From when until when a key or an authority is trusted; null is no bound. */
record Window(Instant from, Instant until) {
  static final Set<String> FIELDS = Set.of("from", "until");
  static final Window ALWAYS = new Window(null, null);

  static Window read(Map<String, Object> object) {
    Window window = new Window(bound(object, "from"), bound(object, "until"));
    boolean sound =
        window.from == null || window.until == null || window.from.isBefore(window.until);
    Refused.unless(sound, "until is not after from");
    return window;
  }

  private static Instant bound(Map<String, Object> object, String name) {
    return object.containsKey(name) ? time(object.get(name)) : null;
  }

  /** Throws for a date that does not exist. */
  static Instant time(Object value) {
    try {
      return Instant.parse(Doc.text(value, Doc.TIME));
    } catch (DateTimeException none) {
      throw new Refused("no such time");
    }
  }

  boolean holds(Instant at) {
    return (from == null || !at.isBefore(from)) && (until == null || at.isBefore(until));
  }
}
