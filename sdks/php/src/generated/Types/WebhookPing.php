<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** WebhookPing of the contract. */
final class WebhookPing extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'delivered' => ['boolean', true, false, true],
        'status_code' => ['integer', true, true, false],
        'duration_ms' => ['integer', true, false, false],
        'error' => ['string', true, true, false],
        'response_headers' => [['map', 'string'], true, true, false],
        'response_excerpt' => ['string', true, true, false],
        'request' => [['ref', 'WebhookPingRequest'], true, false, false],
    ];

    /** The endpoint answered 2xx. */
    public readonly bool $delivered;
    /** null: no answer came. */
    public readonly ?int $status_code;
    /** How long the endpoint took. */
    public readonly int $duration_ms;
    /** Why it was not delivered. */
    public readonly ?string $error;
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
    public readonly ?WebhookPingRequest $request;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->delivered = $values['delivered'];
        $this->status_code = $values['status_code'] ?? null;
        $this->duration_ms = $values['duration_ms'] ?? 0;
        $this->error = $values['error'] ?? null;
        $this->response_headers = $values['response_headers'] ?? null;
        $this->response_excerpt = $values['response_excerpt'] ?? null;
        $this->request = $values['request'] ?? null;
    }
}
