<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Account of the contract. */
final class Account extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'id' => ['string', true, false, true],
        'name' => ['string', true, false, false],
        'status' => [['ref', 'AccountStatus'], true, false, false],
        'sandbox' => ['boolean', true, false, false],
        'created_at' => ['string', true, false, false],
        'api_key' => [['ref', 'CallingKey'], true, true, false],
        'settings' => [['ref', 'AccountSettings'], true, false, false],
        'usage' => [['ref', 'AccountUsage'], true, false, false],
    ];

    /** UUIDv7. */
    public readonly string $id;
    /** Name of the account, as its operator wrote it. */
    public readonly string $name;
    /** Only an active account may send. */
    public readonly string $status;
    /** Mail of this account goes only to the built-in mailbox. */
    public readonly bool $sandbox;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $created_at;
    /** The API key that this request was made with; null in the portal. */
    public readonly ?CallingKey $api_key;
    /** Settings that the operator made for the account. */
    public readonly ?AccountSettings $settings;
    /** Use of the account this UTC month, and its quotas. */
    public readonly ?AccountUsage $usage;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->id = $values['id'];
        $this->name = $values['name'] ?? '';
        $this->status = $values['status'] ?? '';
        $this->sandbox = $values['sandbox'] ?? false;
        $this->created_at = $values['created_at'] ?? '';
        $this->api_key = $values['api_key'] ?? null;
        $this->settings = $values['settings'] ?? null;
        $this->usage = $values['usage'] ?? null;
    }
}
