<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** BatchItemResult of the contract. */
final class BatchItemResult extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'index' => ['integer', true, false, true],
        'status' => ['string', true, false, true],
        'message' => [['ref', 'Message'], false, false, false],
        'error' => [['ref', 'ErrorDetail'], false, false, false],
    ];

    /** Index of the item in the request. */
    public readonly int $index;
    /** The outcome of this item. */
    public readonly string $status;
    /** The message, if it was created or replayed. */
    public readonly ?Message $message;
    /** Present only for failed items. */
    public readonly ?ErrorDetail $error;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->index = $values['index'];
        $this->status = $values['status'];
        $this->message = $values['message'] ?? null;
        $this->error = $values['error'] ?? null;
    }
}
