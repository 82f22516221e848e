package dev.acuse;

import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Decides if and when a call is tried again: one pure function, the same in every library. */
final class Retry {
  /** Tokens of a client that was just made, and the most that it ever has. */
  static final int FULL_BUDGET = 500;

  private static final int COST = 5;
  private static final int TIMEOUT_COST = 10;
  private static final int FIRST_SUCCESS_GAIN = 1;
  private static final double FIRST_DELAY_MS = 500;
  private static final double MAX_DELAY_MS = 8000;
  private static final long MAX_RETRY_AFTER_MS = 60_000;

  /** Seconds of a Retry-After with more digits than anybody means. */
  private static final long MANY_SECONDS = 999_999_999;

  /** IMF-fixdate. RFC 9110 §5.6.7 */
  private static final Pattern DATE =
      Pattern.compile(
          "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\\d\\d) ([A-Z][a-z]{2}) (\\d{4})"
              + " (\\d\\d):(\\d\\d):(\\d\\d) GMT");

  private static final List<String> MONTHS =
      List.of("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec");

  private Retry() {}

  /** The retries that an operation allows, as {@code x-acuse-retry} in the contract says. */
  enum Kind {
    SAFE,
    KEYED,
    REPEATABLE,
    ONCE;

    static Kind of(String name) {
      return valueOf(name.toUpperCase(Locale.ROOT));
    }
  }

  /** How an attempt ended. */
  enum End {
    NO_CONNECTION,
    TLS,
    LOST_ANSWER,
    TIMEOUT,
    MALFORMED,
    CANCELLED,
    ANSWER
  }

  /** Status, code and headers are those of an answer. */
  record Outcome(End end, int status, String code, Map<String, String> headers) {}

  /** Times in milliseconds; timeLeft may be negative. */
  record State(int attempt, int maxRetries, double u, int budget, long timeLeft, long now) {}

  /** delay is null without a retry, retryAfter where nothing was asked for; milliseconds. */
  record Decision(
      boolean retry, Long delay, int budget, Long retryAfter, boolean unknown, String because) {}

  static Decision decide(Kind kind, Outcome outcome, State state) {
    Long retryAfter =
        outcome.end() == End.ANSWER ? retryAfter(outcome.headers(), state.now()) : null;
    boolean unknown = unknown(outcome);
    String because = null;
    long delay = 0;
    int cost = outcome.end() == End.TIMEOUT ? TIMEOUT_COST : COST;
    if (!allows(kind, outcome)) {
      because = "outcome";
    } else if (state.attempt() > state.maxRetries()) {
      because = "attempts";
    } else if (retryAfter != null && retryAfter > MAX_RETRY_AFTER_MS) {
      because = "retry_after";
    } else {
      delay = delay(state.attempt(), state.u(), retryAfter);
      if (delay >= state.timeLeft()) {
        because = "deadline";
      } else if (state.budget() < cost) {
        because = "budget";
      }
    }
    if (because != null) {
      return new Decision(false, null, state.budget(), retryAfter, unknown, because);
    }
    return new Decision(true, delay, state.budget() - cost, retryAfter, unknown, null);
  }

  /** A DELETE has succeeded if what an earlier attempt may have deleted is not there any more. */
  static boolean deleted(boolean unknownBefore, Outcome outcome) {
    return unknownBefore && outcome.end() == End.ANSWER && outcome.status() == 404;
  }

  /** Success returns what the retries of its call have cost, success at the first try adds one. */
  static int gain(int spent) {
    return spent > 0 ? spent : FIRST_SUCCESS_GAIN;
  }

  static long delay(int attempt, double u, Long retryAfter) {
    double power = FIRST_DELAY_MS * Math.pow(2, attempt - 1.0);
    long delay = (long) Math.floor(Math.min(MAX_DELAY_MS, power) * (0.5 + 0.5 * u));
    if (retryAfter == null) {
      return delay;
    }
    return Math.max(delay, retryAfter + (long) Math.floor(retryAfter / 10.0 * u));
  }

  private static boolean unknown(Outcome outcome) {
    return switch (outcome.end()) {
      case NO_CONNECTION, TLS -> false;
      case ANSWER -> outcome.status() >= 500;
      default -> true;
    };
  }

  private static boolean allows(Kind kind, Outcome outcome) {
    return switch (outcome.end()) {
      case NO_CONNECTION -> true;
      case LOST_ANSWER, TIMEOUT -> kind != Kind.ONCE;
      case ANSWER ->
          switch (outcome.status()) {
            case 408 -> ErrorCode.REQUEST_TIMEOUT.equals(outcome.code());
            case 429 -> ErrorCode.RATE_LIMITED.equals(outcome.code());
            case 500, 502, 503, 504 -> kind != Kind.ONCE;
            default -> false;
          };
      default -> false;
    };
  }

  private static Long retryAfter(Map<String, String> headers, long now) {
    String value = null;
    Long date = null;
    for (Map.Entry<String, String> each : headers.entrySet()) {
      if (each.getKey().equalsIgnoreCase("retry-after")) {
        value = trimmed(each.getValue());
      } else if (each.getKey().equalsIgnoreCase("date")) {
        date = moment(trimmed(each.getValue()));
      }
    }
    if (value == null) {
      return null;
    }
    if (value.matches("[0-9]+")) {
      return 1000 * (value.length() > 9 ? MANY_SECONDS : Long.parseLong(value));
    }
    Long moment = moment(value);
    return moment == null ? null : Math.max(0, moment - (date == null ? now : date));
  }

  private static String trimmed(String value) {
    return value.replaceAll("^[ \t]+|[ \t]+$", "");
  }

  /** Milliseconds since 1970, or null for anything but an HTTP date from then on. */
  static Long moment(String text) {
    Matcher date = DATE.matcher(text);
    if (!date.matches()) {
      return null;
    }
    try {
      LocalDateTime time =
          LocalDateTime.of(
              Integer.parseInt(date.group(3)),
              MONTHS.indexOf(date.group(2)) + 1,
              Integer.parseInt(date.group(1)),
              Integer.parseInt(date.group(4)),
              Integer.parseInt(date.group(5)),
              Integer.parseInt(date.group(6)));
      long seconds = time.toEpochSecond(ZoneOffset.UTC);
      return seconds < 0 ? null : seconds * 1000;
    } catch (DateTimeException none) {
      return null;
    }
  }
}
