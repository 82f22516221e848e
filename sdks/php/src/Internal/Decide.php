<?php

declare(strict_types=1);

namespace Acuse\Internal;

/**
 * Decides if and when a call is tried again: pure, tested with contract/vectors/client-decisions.json.
 * @internal
 */
final class Decide
{
    public const BASE_DELAY_MS = 500;
    public const MAX_DELAY_MS = 8_000;
    /** A server that wants more has the error returned at once. */
    public const MAX_RETRY_AFTER_MS = 60_000;
    /** Tokens of a client: without them nothing is tried again. */
    public const BUDGET = 500;
    public const RETRY_COST = 5;
    public const TIMEOUT_COST = 10;
    public const SUCCESS_GAIN = 1;

    private const MAX_DIGITS = 9;
    private const MANY_SECONDS = 999_999_999;
    private const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
    private const HTTP_DATE =
        '/\A(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT\z/';

    /** @param string $class of the operation: safe, keyed, repeatable or once */
    public static function decide(string $class, Outcome $outcome, Situation $given): Decision
    {
        $answered = $outcome->kind === Outcome::ANSWER;
        $after = $answered ? self::retryAfterMs($given->headers, $given->now) : null;
        $delay = self::delayMs($given->attempt, $given->u, $after);
        $cost = self::costOf($outcome);
        $because = match (true) {
            !self::retriable($class, $outcome) => 'outcome',
            $given->attempt > $given->maxRetries => 'attempts',
            $after !== null && $after > self::MAX_RETRY_AFTER_MS => 'retry_after',
            $delay >= $given->timeLeft => 'deadline',
            $given->budget < $cost => 'budget',
            default => null,
        };
        return new Decision(
            $because === null,
            $because === null ? $delay : null,
            $because === null ? $given->budget - $cost : $given->budget,
            $after,
            $outcome->unknown(),
            $because,
        );
    }

    /** @param int $retry from 1 */
    public static function delayMs(int $retry, float $u, ?int $retryAfterMs): int
    {
        $base = min(self::MAX_DELAY_MS, self::BASE_DELAY_MS * 2 ** (min($retry, 20) - 1));
        $backoff = (int) floor($base * (0.5 + 0.5 * $u));
        if ($retryAfterMs === null) {
            return $backoff;
        }
        return max($backoff, $retryAfterMs + (int) floor($retryAfterMs / 10 * $u));
    }

    /** Tokens that a retry after this takes. */
    public static function costOf(Outcome $outcome): int
    {
        return $outcome->kind === Outcome::TIMEOUT ? self::TIMEOUT_COST : self::RETRY_COST;
    }

    /** @param int $spent what the retries of the call have cost; 0 when the first attempt succeeded */
    public static function budgetAfterSuccess(int $budget, int $spent): int
    {
        return min(self::BUDGET, $budget + ($spent ?: self::SUCCESS_GAIN));
    }

    /**
     * A DELETE that is answered 404 after an attempt of unknown outcome has deleted.
     * @param list<Outcome> $outcomes
     */
    public static function deleted(array $outcomes): bool
    {
        $last = array_pop($outcomes);
        if ($last->kind !== Outcome::ANSWER) {
            return false;
        }
        if ($last->status >= 200 && $last->status < 300) {
            return true;
        }
        return $last->status === 404 && array_filter($outcomes, static fn ($each) => $each->unknown()) !== [];
    }

    /**
     * Null: there is none, or nothing that can be read. A moment counts from the answer's own Date.
     * RFC 9110 §10.2.3
     * @param array<string, string> $headers
     */
    public static function retryAfterMs(array $headers, int $now): ?int
    {
        $value = self::header($headers, 'retry-after');
        if ($value === null) {
            return null;
        }
        if (preg_match('/\A[0-9]+\z/', $value) === 1) {
            return 1_000 * (strlen($value) > self::MAX_DIGITS ? self::MANY_SECONDS : (int) $value);
        }
        $at = self::httpDateMs($value);
        if ($at === null) {
            return null;
        }
        return max(0, $at - (self::httpDateMs(self::header($headers, 'date') ?? '') ?? $now));
    }

    /** The one form that may be written; the day of the week is not compared. RFC 9110 §5.6.7 */
    private static function httpDateMs(string $text): ?int
    {
        if (preg_match(self::HTTP_DATE, $text, $found) !== 1) {
            return null;
        }
        [, $day, $name, $year, $hour, $minute, $second] = $found;
        $month = array_search($name, self::MONTHS, true);
        if ($month === false || $year < 1970 || $hour > 23 || $minute > 59 || $second > 59) {
            return null;
        }
        if (!checkdate($month + 1, (int) $day, (int) $year)) {
            return null;
        }
        return 1_000 * gmmktime((int) $hour, (int) $minute, (int) $second, $month + 1, (int) $day, (int) $year);
    }

    private static function retriable(string $class, Outcome $outcome): bool
    {
        $again = $class !== 'once';
        return match ($outcome->kind) {
            Outcome::NO_CONNECTION => true,
            Outcome::LOST_ANSWER, Outcome::TIMEOUT => $again,
            Outcome::ANSWER => match ($outcome->status) {
                429 => $outcome->code === 'rate_limited',
                408 => $outcome->code === 'request_timeout',
                default => $again && in_array($outcome->status, [500, 502, 503, 504], true),
            },
            default => false,
        };
    }

    private static function header(array $headers, string $wanted): ?string
    {
        foreach ($headers as $name => $value) {
            if (strtolower((string) $name) === $wanted) {
                return trim($value, " \t");
            }
        }
        return null;
    }
}
