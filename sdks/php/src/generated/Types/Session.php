<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Session of the contract. */
final class Session extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'mx' => ['string', true, false, false],
        'address' => ['string', true, false, false],
        'port' => ['integer', true, false, false],
        'local_address' => ['string', true, true, false],
        'earlier_messages' => ['integer', true, false, false],
        'tls_policy' => ['string', true, false, false],
        'tls' => [['ref', 'SessionTls'], true, true, false],
        'reply' => [['ref', 'Reply'], true, true, false],
        'stage' => ['string', true, false, false],
        'error' => [['ref', 'SessionError'], true, true, false],
        'transcript' => [['array', ['ref', 'TranscriptLine']], true, false, false],
    ];

    /** Host name of the mail server. */
    public readonly string $mx;
    /** IP address of the mail server. */
    public readonly string $address;
    /** Port of the server. */
    public readonly int $port;
    /** IP address of this service on that connection. */
    public readonly ?string $local_address;
    /** Number of messages that the same connection had carried before. */
    public readonly int $earlier_messages;
    /** Policy that decided the use of TLS; under mta-sts and dane nothing is sent in plain text. */
    public readonly string $tls_policy;
    /** TLS of the connection; null: plain text. */
    public readonly ?SessionTls $tls;
    /** The server’s last reply. */
    public readonly ?Reply $reply;
    /** The SMTP step to which the reply or the error belongs. */
    public readonly string $stage;
    /** Failure outside the conversation, such as a time-out. */
    public readonly ?SessionError $error;
    /**
     * The lines of both sides, in order.
     * @var list<TranscriptLine>
     */
    public readonly array $transcript;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->mx = $values['mx'] ?? '';
        $this->address = $values['address'] ?? '';
        $this->port = $values['port'] ?? 0;
        $this->local_address = $values['local_address'] ?? null;
        $this->earlier_messages = $values['earlier_messages'] ?? 0;
        $this->tls_policy = $values['tls_policy'] ?? '';
        $this->tls = $values['tls'] ?? null;
        $this->reply = $values['reply'] ?? null;
        $this->stage = $values['stage'] ?? '';
        $this->error = $values['error'] ?? null;
        $this->transcript = $values['transcript'] ?? [];
    }
}
