<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** SuppressionImport of the contract. */
final class SuppressionImport extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'created' => ['integer', true, false, false],
        'known' => ['integer', true, false, false],
        'failed' => ['integer', true, false, false],
        'failures' => [['array', ['ref', 'SuppressionImportFailure']], true, false, false],
    ];

    /** Addresses that were added. */
    public readonly int $created;
    /** Lines whose address was on the list, or stands further up in the file. */
    public readonly int $known;
    /** Lines that were refused. */
    public readonly int $failed;
    /**
     * Each refused line with its reason.
     * @var list<SuppressionImportFailure>
     */
    public readonly array $failures;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->created = $values['created'] ?? 0;
        $this->known = $values['known'] ?? 0;
        $this->failed = $values['failed'] ?? 0;
        $this->failures = $values['failures'] ?? [];
    }
}
