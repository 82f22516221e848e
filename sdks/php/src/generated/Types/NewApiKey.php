<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** NewApiKey of the contract. */
final class NewApiKey extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'name' => ['string', true, false, true],
        'scopes' => [['array', ['ref', 'Scope']], true, false, true],
        'senders' => [['array', 'string'], false, true, false],
        'networks' => [['array', 'string'], false, true, false],
        'expires_at' => ['string', false, true, false],
        'read_only' => [['array', ['ref', 'ReadOnlyPart']], false, true, false],
        'needs_approval' => ['boolean', false, true, false],
    ];

    /** Name to recognize the key by. */
    public readonly string $name;
    /**
     * Scopes of the key.
     * @var list<string>
     */
    public readonly array $scopes;
    /**
     * Addresses, and *@domain, that the key may have in From. All, when omitted.
     * @var list<string>|null
     */
    public readonly ?array $senders;
    /**
     * IP addresses and networks that the key may be used from. All, when omitted.
     * @var list<string>|null
     */
    public readonly ?array $networks;
    /** When the key stops working (RFC 3339). */
    public readonly ?string $expires_at;
    /**
     * Kinds that the key may read but not change, although messages:send would let it. domains
     * includes their senders.
     * @var list<string>|null
     */
    public readonly ?array $read_only;
    /**
     * Each send waits until a person approves it in the portal. Until then it is refused as
     * approval_required; repeated after that, it is answered with the message.
     */
    public readonly ?bool $needs_approval;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->name = $values['name'];
        $this->scopes = $values['scopes'];
        $this->senders = $values['senders'] ?? null;
        $this->networks = $values['networks'] ?? null;
        $this->expires_at = $values['expires_at'] ?? null;
        $this->read_only = $values['read_only'] ?? null;
        $this->needs_approval = $values['needs_approval'] ?? null;
    }
}
