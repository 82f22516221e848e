<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** VerificationRecord of the contract. */
final class VerificationRecord extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'id' => ['string', true, false, true],
        'created_at' => ['string', true, false, false],
        'message_id' => ['string', true, false, false],
        'result' => ['string', true, false, false],
        'actor' => [['ref', 'Actor'], true, false, false],
        'client_address' => ['string', true, false, false],
    ];

    /** UUIDv7. */
    public readonly string $id;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $created_at;
    /** The id as given in the query. */
    public readonly string $message_id;
    /** valid, invalid, or the code of the error that was answered; opened: of a share. */
    public readonly string $result;
    public readonly ?Actor $actor;
    /** IP address that asked, as this server saw it. */
    public readonly string $client_address;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->id = $values['id'];
        $this->created_at = $values['created_at'] ?? '';
        $this->message_id = $values['message_id'] ?? '';
        $this->result = $values['result'] ?? '';
        $this->actor = $values['actor'] ?? null;
        $this->client_address = $values['client_address'] ?? '';
    }
}
