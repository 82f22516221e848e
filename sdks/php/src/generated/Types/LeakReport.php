<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** LeakReport of the contract. */
final class LeakReport extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'revoked_keys' => [['array', ['ref', 'LeakedKey']], true, false, true],
        'deleted_webhooks' => [['array', ['ref', 'LeakedWebhook']], true, false, true],
        'changes' => [['array', ['ref', 'AuditEntry']], true, false, true],
        'messages' => [['ref', 'LeakedSends'], true, false, true],
    ];

    /**
     * The key, the keys that it made, and those that these made, if they were not revoked.
     * @var list<LeakedKey>
     */
    public readonly array $revoked_keys;
    /**
     * Webhooks that any of these keys registered.
     * @var list<LeakedWebhook>
     */
    public readonly array $deleted_webhooks;
    /**
     * Changes made with these keys, newest first, at most 100.
     * @var list<AuditEntry>
     */
    public readonly array $changes;
    public readonly LeakedSends $messages;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->revoked_keys = $values['revoked_keys'];
        $this->deleted_webhooks = $values['deleted_webhooks'];
        $this->changes = $values['changes'];
        $this->messages = $values['messages'];
    }
}
