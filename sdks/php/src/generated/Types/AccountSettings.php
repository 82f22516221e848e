<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** AccountSettings of the contract. */
final class AccountSettings extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'default_certified' => ['boolean', true, false, false],
        'quota_messages_month' => ['integer', true, false, false],
        'quota_plain_messages_month' => ['integer', true, false, false],
        'price_per_message_cents' => ['integer', true, false, false],
        'price_per_plain_message_cents' => ['integer', true, false, false],
        'require_ready_domains' => ['boolean', false, false, false],
        'plain_record_days' => ['integer', false, false, false],
    ];

    /** True: a send that does not set certified is certified; always applies to message/rfc822. */
    public readonly bool $default_certified;
    /** Monthly quota of certified messages. */
    public readonly int $quota_messages_month;
    /** Monthly quota of plain messages. */
    public readonly int $quota_plain_messages_month;
    /** Price per certified message, in cents. */
    public readonly int $price_per_message_cents;
    /** Price per plain message, in cents. */
    public readonly int $price_per_plain_message_cents;
    /** A send from a domain that is verified and not ready is refused as domain_not_verified. */
    public readonly ?bool $require_ready_domains;
    /**
     * Days after which a plain message is deleted with its record; sent again, its Idempotency-Key is
     * refused as accepted_before.
     */
    public readonly ?int $plain_record_days;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->default_certified = $values['default_certified'] ?? false;
        $this->quota_messages_month = $values['quota_messages_month'] ?? 0;
        $this->quota_plain_messages_month = $values['quota_plain_messages_month'] ?? 0;
        $this->price_per_message_cents = $values['price_per_message_cents'] ?? 0;
        $this->price_per_plain_message_cents = $values['price_per_plain_message_cents'] ?? 0;
        $this->require_ready_domains = $values['require_ready_domains'] ?? null;
        $this->plain_record_days = $values['plain_record_days'] ?? null;
    }
}
