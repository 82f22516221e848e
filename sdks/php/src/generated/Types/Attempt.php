<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Attempt of the contract. */
final class Attempt extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'attempt' => ['integer', true, false, false],
        'started_at' => ['string', true, false, false],
        'finished_at' => ['string', true, false, false],
        'outcome' => ['string', true, false, false],
        'bounce_type' => [['ref', 'BounceType'], true, true, false],
        'bounce' => [['ref', 'Bounce'], false, true, false],
        'deferral' => [['ref', 'Deferral'], false, true, false],
        'reply' => [['ref', 'DecidingReply'], true, true, false],
        'sessions' => [['array', ['ref', 'Session']], true, false, false],
    ];

    /** Number of the attempt, counted from 1. */
    public readonly int $attempt;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $started_at;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $finished_at;
    /** How the attempt ended. */
    public readonly string $outcome;
    /** How it bounced; null unless this attempt ended so. */
    public readonly ?string $bounce_type;
    /** How and why it bounced; null: it did not. */
    public readonly ?Bounce $bounce;
    /** Why it was deferred; null: it was not. */
    public readonly ?Deferral $deferral;
    /** Reply that decided the outcome. */
    public readonly ?DecidingReply $reply;
    /**
     * One entry per host that was tried, in order.
     * @var list<Session>
     */
    public readonly array $sessions;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->attempt = $values['attempt'] ?? 0;
        $this->started_at = $values['started_at'] ?? '';
        $this->finished_at = $values['finished_at'] ?? '';
        $this->outcome = $values['outcome'] ?? '';
        $this->bounce_type = $values['bounce_type'] ?? null;
        $this->bounce = $values['bounce'] ?? null;
        $this->deferral = $values['deferral'] ?? null;
        $this->reply = $values['reply'] ?? null;
        $this->sessions = $values['sessions'] ?? [];
    }
}
