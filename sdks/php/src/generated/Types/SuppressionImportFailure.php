<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** SuppressionImportFailure of the contract. */
final class SuppressionImportFailure extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'line' => ['integer', true, false, false],
        'error' => [['ref', 'ErrorDetail'], true, false, false],
    ];

    /** Line of the file, from 1. */
    public readonly int $line;
    /** Why the line was refused. */
    public readonly ?ErrorDetail $error;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->line = $values['line'] ?? 0;
        $this->error = $values['error'] ?? null;
    }
}
