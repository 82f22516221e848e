<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** MessageParts of the contract. */
final class MessageParts extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'headers' => [['array', ['ref', 'HeaderField']], true, false, false],
        'parts' => [['array', ['ref', 'MessagePart']], true, false, false],
        'links' => [['array', ['ref', 'MessageLink']], true, false, false],
        'remote' => [['array', ['ref', 'RemoteAddress']], true, false, false],
        'truncated' => ['boolean', true, false, false],
    ];

    /**
     * The message's own header fields, in order.
     * @var list<HeaderField>
     */
    public readonly array $headers;
    /**
     * In the order and numbering of the evidence.
     * @var list<MessagePart>
     */
    public readonly array $parts;
    /**
     * Each link of the texts once.
     * @var list<MessageLink>
     */
    public readonly array $links;
    /**
     * Addresses that a mail program fetches if it shows remote content: images, style sheets, frames.
     * @var list<RemoteAddress>
     */
    public readonly array $remote;
    /** True: there are more links or remote addresses than the 1,000 of each that are listed. */
    public readonly bool $truncated;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->headers = $values['headers'] ?? [];
        $this->parts = $values['parts'] ?? [];
        $this->links = $values['links'] ?? [];
        $this->remote = $values['remote'] ?? [];
        $this->truncated = $values['truncated'] ?? false;
    }
}
