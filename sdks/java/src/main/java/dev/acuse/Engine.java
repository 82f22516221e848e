package dev.acuse;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;

/** Makes calls: attempts, retries, and what their answers mean. */
final class Engine {
  /** Bytes of a JSON answer. */
  static final long MAX_JSON = 16L * 1024 * 1024;

  /** Bytes of an answer that is a file: the largest bundle has 144 MiB. */
  static final long MAX_BYTES = 160L * 1024 * 1024;

  private static final java.util.regex.Pattern CODE =
      java.util.regex.Pattern.compile("[a-z][a-z0-9_]{0,63}");

  private static final Map<Retry.End, String> NAMES =
      Map.of(
          Retry.End.NO_CONNECTION, "ConnectionError",
          Retry.End.TLS, "ConnectionError",
          Retry.End.LOST_ANSWER, "ConnectionError",
          Retry.End.TIMEOUT, "TimeoutError",
          Retry.End.MALFORMED, "ProtocolError",
          Retry.End.CANCELLED, "Cancelled");

  final Options options;
  private final Transport transport;
  private final Budget budget;

  Engine(Options options) {
    this(options.checked(), new Transport(options), new Budget());
  }

  private Engine(Options options, Transport transport, Budget budget) {
    this.options = options;
    this.transport = transport;
    this.budget = budget;
  }

  Engine with(Options changed) {
    return new Engine(changed.checked(), transport, budget);
  }

  /** An answer that counts as a success. */
  record Answer(byte[] body, Response response) {}

  /** An object. */
  <T> T json(Call call, BiFunction<Map<String, Object>, Response, T> read) {
    Progress progress = new Progress();
    Answer answer = call(call, progress);
    try {
      Map<String, Object> root = dev.acuse.internal.Reader.object(parse(answer.body()));
      if (root == null) {
        throw new IllegalArgumentException("null in place of an object");
      }
      return read.apply(root, answer.response());
    } catch (IllegalArgumentException | ClassCastException malformed) {
      String why =
          malformed instanceof ClassCastException ? "not an object" : malformed.getMessage();
      throw new ProtocolException(
          call.operation.name() + " answered what the contract does not know: " + why,
          malformed,
          new CallException.Failure(
              answer.response().attempts(), call.operation.kind() != Retry.Kind.SAFE, call.key),
          answer.response().status());
    }
  }

  /** Bytes as they are. */
  byte[] bytes(Call call) {
    call.bytes = true;
    return call(call, new Progress()).body();
  }

  /** A text. */
  String text(Call call) {
    call.bytes = true;
    return new String(call(call, new Progress()).body(), StandardCharsets.UTF_8);
  }

  /** Nothing but success. */
  void none(Call call) {
    call(call, new Progress());
  }

  /** A send. */
  <T> Sent<T> sent(Call call, BiFunction<Map<String, Object>, Response, T> read) {
    Response[] came = new Response[1];
    T value =
        json(
            call,
            (json, response) -> {
              came[0] = response;
              return read.apply(json, response);
            });
    boolean replayed = came[0].header("idempotent-replayed").filter("true"::equals).isPresent();
    return new Sent<>(value, replayed, call.key, came[0]);
  }

  static Object parse(byte[] body) {
    try {
      return Json.answer(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString());
    } catch (CharacterCodingException malformed) {
      throw new IllegalArgumentException("not UTF-8", malformed);
    }
  }

  /** Where a call is. */
  private static final class Progress {
    int attempt;
    int spent;
    boolean unknown;
    long startNanos;
  }

  private Answer call(Call call, Progress progress) {
    progress.startNanos = System.nanoTime();
    while (true) {
      progress.attempt++;
      Transport.Result result = attempt(call, progress);
      ApiException.Answer error = errorOf(result);
      String code = error == null ? null : error.code();
      // Neither a success nor an error: of another program.
      boolean strange =
          result.end() == Retry.End.ANSWER && result.status() < 400 && result.status() / 100 != 2;
      Retry.End end = strange ? Retry.End.MALFORMED : result.end();
      Retry.Outcome outcome = new Retry.Outcome(end, result.status(), code, firsts(result));
      boolean good = result.end() == Retry.End.ANSWER && result.status() / 100 == 2;
      if (good || call.operation.deletes() && Retry.deleted(progress.unknown, outcome)) {
        budget.give(Retry.gain(progress.spent));
        report(call, progress, result, code, null);
        return new Answer(
            result.body(), new Response(result.status(), lower(result), progress.attempt));
      }
      Retry.Decision decision = decide(call, progress, outcome);
      // A read changes nothing, so nothing about it is unknown.
      progress.unknown |= decision.unknown() && call.operation.kind() != Retry.Kind.SAFE;
      report(call, progress, result, code, decision.retry() ? decision.delay() : null);
      if (!decision.retry()) {
        throw failure(call, progress, result, error, decision.retryAfter());
      }
      pause(call, progress, decision.delay());
    }
  }

  private Transport.Result attempt(Call call, Progress progress) {
    long began = System.nanoTime();
    Duration left = options.deadline.minusNanos(began - progress.startNanos);
    Transport.Result result =
        left.isNegative() || left.isZero()
            ? Transport.Result.failed(
                Retry.End.NO_CONNECTION, "connect", new java.io.IOException("past the deadline"))
            : transport.attempt(call, options, progress.attempt, left);
    return result.took((System.nanoTime() - began) / 1_000_000);
  }

  /** Takes the tokens of a retry too: two threads must not spend the same ones. */
  private Retry.Decision decide(Call call, Progress progress, Retry.Outcome outcome) {
    long passed = (System.nanoTime() - progress.startNanos) / 1_000_000;
    double u = options.random.getAsDouble();
    synchronized (budget) {
      Retry.State state =
          new Retry.State(
              progress.attempt,
              options.maxRetries,
              u,
              budget.tokens(),
              options.deadline.toMillis() - passed,
              options.clock.millis());
      Retry.Decision decision = Retry.decide(call.operation.kind(), outcome, state);
      if (decision.retry()) {
        int cost = state.budget() - decision.budget();
        progress.spent += cost;
        budget.take(cost);
      }
      return decision;
    }
  }

  private void pause(Call call, Progress progress, long millis) {
    try {
      options.sleep.sleep(Duration.ofMillis(millis));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CancelledException(
          call.operation.name() + " was cancelled between two attempts",
          interrupted,
          new CallException.Failure(progress.attempt, progress.unknown, call.key));
    }
  }

  private static Map<String, java.util.List<String>> lower(Transport.Result result) {
    Map<String, java.util.List<String>> out = new TreeMap<>();
    result
        .headers()
        .forEach((name, each) -> out.put(name.toLowerCase(java.util.Locale.ROOT), each));
    return out;
  }

  private static String first(Transport.Result result, String name) {
    java.util.List<String> values = lower(result).get(name);
    return values == null || values.isEmpty() ? null : values.get(0);
  }

  private static Map<String, String> firsts(Transport.Result result) {
    Map<String, String> out = new TreeMap<>();
    lower(result).forEach((name, each) -> out.put(name, each.isEmpty() ? "" : each.get(0)));
    return out;
  }

  /** The content of an answer other than 2xx, null for others. */
  private static ApiException.Answer errorOf(Transport.Result result) {
    int status = result.status();
    if (result.end() != Retry.End.ANSWER || status < 400) {
      return null;
    }
    String requestId = Secrets.redact(first(result, "request-id"));
    try {
      Map<String, Object> root = dev.acuse.internal.Reader.object(parse(result.body()));
      Map<String, Object> error = dev.acuse.internal.Reader.object(root.get("error"));
      String code = (String) error.get("code");
      String message = Secrets.redact((String) error.get("message"));
      if (code != null && message != null && CODE.matcher(code).matches()) {
        String fix = ErrorCode.fix(code);
        return new ApiException.Answer(status, code, message, fix, requestId, null);
      }
    } catch (IllegalArgumentException | ClassCastException | NullPointerException other) {
      // A proxy or load balancer answered: its page is no error of the API, and is not shown.
    }
    String text = "an answer that is not an error of the API; a proxy may have made it";
    return new ApiException.Answer(status, "http_" + status, text, null, requestId, null);
  }

  /** The text of a failure; the JDK leaves the text away where a name has no address. */
  private static String said(Throwable cause) {
    for (Throwable each = cause; each != null; each = each.getCause()) {
      if (each instanceof java.nio.channels.UnresolvedAddressException) {
        return "the name of the host is not known";
      }
      if (each.getMessage() != null) {
        return each.getMessage();
      }
    }
    return cause.getClass().getSimpleName();
  }

  private AcuseException failure(
      Call call,
      Progress progress,
      Transport.Result result,
      ApiException.Answer error,
      Long retryAfter) {
    CallException.Failure failure =
        new CallException.Failure(progress.attempt, progress.unknown, call.key);
    if (error != null) {
      return ErrorClasses.of(
          new ApiException.Answer(
              error.status(),
              error.code(),
              error.message(),
              error.fix(),
              error.requestId(),
              retryAfter == null ? null : retryAfter / 1000.0),
          failure);
    }
    String what = call.operation.name();
    Throwable cause = result.failure();
    String why = cause == null ? "" : ": " + Secrets.redact(said(cause));
    // Java's own words do not have the address.
    String where = " to " + options.baseUrl;
    String phase = result.phase();
    return switch (result.end()) {
      case ANSWER ->
          new ProtocolException(
              what + " answered " + result.status() + ", which is not followed",
              null,
              failure,
              result.status());
      case MALFORMED -> new ProtocolException(what + why, cause, failure, result.status());
      case TIMEOUT ->
          new CallTimeoutException(phase, what + " got no answer in time", cause, failure);
      case CANCELLED -> new CancelledException(what + " was cancelled", cause, failure);
      case NO_CONNECTION ->
          cause instanceof java.net.http.HttpConnectTimeoutException
              ? new CallTimeoutException(
                  phase, what + ": no connection" + where + " in time", cause, failure)
              : new ConnectionException(
                  phase, what + ": no connection" + where + why, cause, failure);
      case TLS ->
          new ConnectionException(phase, what + ": no secure connection" + why, cause, failure);
      default -> new ConnectionException(phase, what + ": no answer" + why, cause, failure);
    };
  }

  /** The name that all libraries share of the error that an answer means, or null. */
  private static String errorName(Transport.Result result) {
    ApiException.Answer error = errorOf(result);
    if (error == null) {
      return null;
    }
    ApiException made = ErrorClasses.of(error, new CallException.Failure(1, false, null));
    return made.getClass().getSimpleName().replaceAll("Exception$", "Error");
  }

  private static String nameOf(Transport.Result result) {
    boolean late = result.failure() instanceof java.net.http.HttpConnectTimeoutException;
    return late ? "TimeoutError" : NAMES.get(result.end());
  }

  private void report(
      Call call, Progress progress, Transport.Result result, String code, Long retryInMs) {
    if (options.onAttempt == null) {
      return;
    }
    String failed = result.failure() == null ? errorName(result) : nameOf(result);
    try {
      options.onAttempt.accept(
          new AttemptReport(
              call.operation.name(),
              progress.attempt,
              result.status(),
              code,
              Secrets.redact(first(result, "request-id")),
              result.tookMs(),
              retryInMs,
              failed));
    } catch (RuntimeException ignored) {
      // A hook observes; it cannot fail a call.
    }
  }
}
