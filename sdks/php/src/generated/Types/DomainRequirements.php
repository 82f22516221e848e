<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** DomainRequirements of the contract. */
final class DomainRequirements extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'domain' => ['string', true, false, false],
        'since' => ['string', true, false, false],
        'requirements' => [['array', ['ref', 'SenderRequirement']], true, false, false],
    ];

    /** The sending domain. */
    public readonly string $domain;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $since;
    /**
     * One for each rule.
     * @var list<SenderRequirement>
     */
    public readonly array $requirements;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->domain = $values['domain'] ?? '';
        $this->since = $values['since'] ?? '';
        $this->requirements = $values['requirements'] ?? [];
    }
}
