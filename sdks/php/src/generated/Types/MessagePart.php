<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** MessagePart of the contract. */
final class MessagePart extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'index' => ['integer', true, false, false],
        'media_type' => ['string', true, false, false],
        'filename' => ['string', true, true, false],
        'disposition' => ['string', true, true, false],
        'content_id' => ['string', true, true, false],
        'size_bytes' => ['integer', true, false, false],
        'sha256' => ['string', true, false, false],
    ];

    /** Place of the part among all, from 0; containers are not counted. */
    public readonly int $index;
    /** In lower case, without parameters, as the message says. */
    public readonly string $media_type;
    /** As the message says: make it safe before you use it as a path. */
    public readonly ?string $filename;
    /** inline or attachment; null if the part does not say. */
    public readonly ?string $disposition;
    /** The Content-ID that cid: addresses in HTML refer to. */
    public readonly ?string $content_id;
    /** Bytes of the decoded content. */
    public readonly int $size_bytes;
    /** SHA-256, lower-case hex. */
    public readonly string $sha256;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->index = $values['index'] ?? 0;
        $this->media_type = $values['media_type'] ?? '';
        $this->filename = $values['filename'] ?? null;
        $this->disposition = $values['disposition'] ?? null;
        $this->content_id = $values['content_id'] ?? null;
        $this->size_bytes = $values['size_bytes'] ?? 0;
        $this->sha256 = $values['sha256'] ?? '';
    }
}
