<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** ApiKeyWithSecret of the contract. */
final class ApiKeyWithSecret extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'id' => ['string', true, false, true],
        'name' => ['string', true, false, false],
        'scopes' => [['array', ['ref', 'Scope']], true, false, false],
        'key' => ['string', true, false, true],
        'created_at' => ['string', true, false, false],
        'senders' => [['array', 'string'], false, true, false],
        'networks' => [['array', 'string'], false, true, false],
        'expires_at' => ['string', false, true, false],
        'read_only' => [['array', ['ref', 'ReadOnlyPart']], false, false, false],
        'needs_approval' => ['boolean', false, false, false],
        'created_by' => [['ref', 'ApiKeyMaker'], false, true, false],
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
    /** The API key itself. It is shown only once. */
    public readonly string $key;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $created_at;
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

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->id = $values['id'];
        $this->name = $values['name'] ?? '';
        $this->scopes = $values['scopes'] ?? [];
        $this->key = $values['key'];
        $this->created_at = $values['created_at'] ?? '';
        $this->senders = $values['senders'] ?? null;
        $this->networks = $values['networks'] ?? null;
        $this->expires_at = $values['expires_at'] ?? null;
        $this->read_only = $values['read_only'] ?? null;
        $this->needs_approval = $values['needs_approval'] ?? null;
        $this->created_by = $values['created_by'] ?? null;
    }
}
