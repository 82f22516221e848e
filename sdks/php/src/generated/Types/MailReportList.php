<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** MailReportList of the contract. */
final class MailReportList extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'data' => [['array', ['ref', 'MailReport']], true, false, true],
    ];

    /**
     * The entries, in order.
     * @var list<MailReport>
     */
    public readonly array $data;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->data = $values['data'];
    }
}
