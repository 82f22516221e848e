<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Resources;

use Acuse\Errors\AcuseError;
use Acuse\Internal\Resource;
use Acuse\Types;

/** Operations of shares. */
final class Shares extends Resource
{
    /**
     * Open a shared proof.
     *
     * Content of a shared link: a proof bundle that shows what its owner disclosed, as a ZIP, or with
     * `Accept: application/json` as one JSON document. A link to a case file opens a ZIP of bundles
     * with an index to print, whatever is accepted. The link is `/prove/{id}#{secret}`. A link that is
     * wrong, has expired or was revoked answers 404, each alike. Every opening is in the access log of
     * the account.
     *
     * No key needed.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function open(string $id, #[\SensitiveParameter] array|Types\OpenShare $body): string
    {
        return $this->call('openShare', path: ['id' => $id], body: $body);
    }

    /**
     * Open a shared proof as JSON.
     *
     * Content of a shared link: a proof bundle that shows what its owner disclosed, as a ZIP, or with
     * `Accept: application/json` as one JSON document. A link to a case file opens a ZIP of bundles
     * with an index to print, whatever is accepted. The link is `/prove/{id}#{secret}`. A link that is
     * wrong, has expired or was revoked answers 404, each alike. Every opening is in the access log of
     * the account.
     *
     * No key needed.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function openJson(
        string $id,
        #[\SensitiveParameter] array|Types\OpenShare $body,
    ): Types\ProofBundle {
        return $this->call('openShareJson', path: ['id' => $id], body: $body);
    }
}
