<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** ApiKeyMaker of the contract. */
final class ApiKeyMaker extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'kind' => [['ref', 'AuditActorKind'], true, false, false],
        'id' => ['string', true, true, false],
        'name' => ['string', true, false, false],
    ];

    /** Kind of the creator. */
    public readonly string $kind;
    /** Null for the command line. */
    public readonly ?string $id;
    /** Name of the person or of the key. */
    public readonly string $name;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->kind = $values['kind'] ?? '';
        $this->id = $values['id'] ?? null;
        $this->name = $values['name'] ?? '';
    }
}
