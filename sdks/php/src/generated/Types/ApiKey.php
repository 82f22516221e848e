<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** ApiKey of the contract. */
final class ApiKey extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'id' => ['string', true, false, true],
        'name' => ['string', true, false, false],
        'scopes' => [['array', ['ref', 'Scope']], true, false, false],
        'created_at' => ['string', true, false, false],
        'last_used_at' => ['string', true, true, false],
        'last_used_from' => ['string', false, true, false],
        'senders' => [['array', 'string'], false, true, false],
        'networks' => [['array', 'string'], false, true, false],
        'expires_at' => ['string', false, true, false],
        'read_only' => [['array', ['ref', 'ReadOnlyPart']], false, false, false],
        'needs_approval' => ['boolean', false, false, false],
        'created_by' => [['ref', 'ApiKeyMaker'], false, true, false],
        'grant' => [['ref', 'ApiKeyGrant'], false, true, false],
    ];

    /** UUIDv7. */
    public readonly string $id;
    /** Name given to the key. */
    public readonly string $name;
    /**
     * Scopes of the key.
     * @var list<string>
     */
    public readonly array $scopes;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $created_at;
    /** When the key was last used, to the minute. */
    public readonly ?string $last_used_at;
    /** The IP address that it was then used from. */
    public readonly ?string $last_used_from;
    /**
     * Addresses, and *@domain, that the key may have in From. Null: all.
     * @var list<string>|null
     */
    public readonly ?array $senders;
    /**
     * IP addresses and networks that the key may be used from. Null: all.
     * @var list<string>|null
     */
    public readonly ?array $networks;
    /** When the key stops working. Null: never. */
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
    /** Creator of the key. Null for keys of earlier versions. */
    public readonly ?ApiKeyMaker $created_by;
    /** Of a key that a person gave to an agent's program. Null for other keys. */
    public readonly ?ApiKeyGrant $grant;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->id = $values['id'];
        $this->name = $values['name'] ?? '';
        $this->scopes = $values['scopes'] ?? [];
        $this->created_at = $values['created_at'] ?? '';
        $this->last_used_at = $values['last_used_at'] ?? null;
        $this->last_used_from = $values['last_used_from'] ?? null;
        $this->senders = $values['senders'] ?? null;
        $this->networks = $values['networks'] ?? null;
        $this->expires_at = $values['expires_at'] ?? null;
        $this->read_only = $values['read_only'] ?? null;
        $this->needs_approval = $values['needs_approval'] ?? null;
        $this->created_by = $values['created_by'] ?? null;
        $this->grant = $values['grant'] ?? null;
    }
}
