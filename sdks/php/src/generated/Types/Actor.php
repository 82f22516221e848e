<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Person, key or visitor that asked. */
final class Actor extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'kind' => ['string', true, false, false],
        'id' => ['string', true, false, false],
        'name' => ['string', true, false, false],
    ];

    /** key: an API key. user: a person, in the portal. share: somebody with a shared link. */
    public readonly string $kind;
    /** Id of the key, the person or the share. It may be gone since. */
    public readonly string $id;
    /** Its name at that time: of a share, its note. */
    public readonly string $name;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->kind = $values['kind'] ?? '';
        $this->id = $values['id'] ?? '';
        $this->name = $values['name'] ?? '';
    }
}
