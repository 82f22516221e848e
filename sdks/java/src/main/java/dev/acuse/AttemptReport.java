package dev.acuse;

/**
 * The outcome of one attempt, for a hook: it holds no body and no secret.
 *
 * @param operation resource and method, such as {@code messages.send}
 * @param attempt from 1
 * @param status the HTTP status, 0 without an answer
 * @param code the error code, or null
 * @param requestId the server's id of the request, or null
 * @param durationMs how long the attempt took
 * @param retryInMs when the next one follows, or null
 * @param error the error's name in every library, such as {@code ServerError}, or null
 */
public record AttemptReport(
    String operation,
    int attempt,
    int status,
    String code,
    String requestId,
    long durationMs,
    Long retryInMs,
    String error) {}
