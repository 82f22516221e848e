<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** The request body as it was sent, byte for byte. */
final class WebhookPingRequest extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'headers' => [['map', 'string'], true, false, false],
        'body' => ['string', true, false, false],
    ];

    /**
     * The header fields that were sent.
     * @var array<string, string>
     */
    public readonly array $headers;
    /** The body that was sent. */
    public readonly string $body;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->headers = $values['headers'] ?? [];
        $this->body = $values['body'] ?? '';
    }
}
