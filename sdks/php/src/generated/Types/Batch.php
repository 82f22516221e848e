<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Batch of the contract. */
final class Batch extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'messages' => [['array', ['ref', 'BatchItem']], true, false, true],
    ];

    /**
     * The messages, each with its own idempotency key.
     * @var list<BatchItem>
     */
    public readonly array $messages;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->messages = $values['messages'];
    }
}
