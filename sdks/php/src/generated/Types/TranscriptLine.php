<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** TranscriptLine of the contract. */
final class TranscriptLine extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        't_ms' => ['integer', true, false, false],
        'who' => ['string', true, false, false],
        'line' => ['string', true, false, false],
    ];

    /** Milliseconds since the session began. */
    public readonly int $t_ms;
    /** C: this service; S: the server. */
    public readonly string $who;
    /** The line as transmitted; message data, credentials and the token of the return path are cut out. */
    public readonly string $line;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->t_ms = $values['t_ms'] ?? 0;
        $this->who = $values['who'] ?? '';
        $this->line = $values['line'] ?? '';
    }
}
