<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** AuditActor of the contract. */
final class AuditActor extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'kind' => [['ref', 'AuditActorKind'], true, false, true],
        'id' => ['string', true, true, true],
        'name' => ['string', true, false, true],
    ];

    /** Kind of the actor: a person, an API key, an operator, or Acuse itself. */
    public readonly string $kind;
    /**
     * Null for the command line, for automatic changes and for somebody who has not joined the
     * account.
     */
    public readonly ?string $id;
    /** Their name. */
    public readonly string $name;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->kind = $values['kind'];
        $this->id = $values['id'] ?? null;
        $this->name = $values['name'];
    }
}
