<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** WebhookAttempt of the contract. */
final class WebhookAttempt extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'attempt' => ['integer', true, false, false],
        'started_at' => ['string', true, false, false],
        'duration_ms' => ['integer', true, false, false],
        'status_code' => ['integer', true, true, false],
        'error' => ['string', true, true, false],
        'request_headers' => [['map', 'string'], true, false, false],
        'response_headers' => [['map', 'string'], true, true, false],
        'response_excerpt' => ['string', true, true, false],
    ];

    /** Number of the attempt, from 1. */
    public readonly int $attempt;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $started_at;
    /** How long the endpoint took. */
    public readonly int $duration_ms;
    /** Status of the answer. */
    public readonly ?int $status_code;
    /** Failure, if there was no answer. */
    public readonly ?string $error;
    /**
     * Header fields that were sent, without the signatures: recompute those with the secret over body.
     * @var array<string, string>
     */
    public readonly array $request_headers;
    /**
     * Header fields of the answer, by name in lower case: the first 40, 4,096 characters in all;
     * values that open sessions are hidden. null: no answer came, or the message was erased.
     * @var array<string, string>|null
     */
    public readonly ?array $response_headers;
    /**
     * The first 4 KiB of the answer as text, as they came. null: no answer came, or the message was
     * erased.
     */
    public readonly ?string $response_excerpt;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->attempt = $values['attempt'] ?? 0;
        $this->started_at = $values['started_at'] ?? '';
        $this->duration_ms = $values['duration_ms'] ?? 0;
        $this->status_code = $values['status_code'] ?? null;
        $this->error = $values['error'] ?? null;
        $this->request_headers = $values['request_headers'] ?? [];
        $this->response_headers = $values['response_headers'] ?? null;
        $this->response_excerpt = $values['response_excerpt'] ?? null;
    }
}
