<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** TemplatePage of the contract. */
final class TemplatePage extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'data' => [['array', ['ref', 'Template']], true, false, true],
        'next_cursor' => ['string', true, true, true],
    ];

    /**
     * The entries, in order.
     * @var list<Template>
     */
    public readonly array $data;
    /** Pass it as after to get the next page; null on the last page. */
    public readonly ?string $next_cursor;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->data = $values['data'];
        $this->next_cursor = $values['next_cursor'] ?? null;
    }
}
