<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Resources;

use Acuse\Errors\AcuseError;
use Acuse\Internal\Resource;
use Acuse\Listing;
use Acuse\Types;

/** Operations of api keys. */
final class ApiKeys extends Resource
{
    /**
     * Create an API key.
     *
     * The key itself is shown only in this answer. A key cannot grant a scope that it lacks, and
     * passes on what narrows it.
     *
     * Scope: `api_keys:write`.
     * @throws AcuseError
     */
    public function create(#[\SensitiveParameter] array|Types\NewApiKey $body): Types\ApiKeyWithSecret
    {
        return $this->call('createApiKey', body: $body);
    }

    /**
     * List API keys.
     *
     * API keys that are not revoked, newest first.
     *
     * Scope: `api_keys:write`.
     * @param int|null $limit Number of entries to return.
     * @param string|null $after next_cursor of the previous page.
     * @return Listing<Types\ApiKey, Types\ApiKeyPage>
     * @throws AcuseError
     */
    public function list(?int $limit = null, ?string $after = null): Listing
    {
        return $this->listOf('listApiKeys', query: ['limit' => $limit, 'after' => $after]);
    }

    /**
     * Revoke an API key.
     *
     * Takes effect immediately and cannot be undone: the next request with the key answers 401. A key
     * can revoke itself.
     *
     * Scope: `api_keys:write`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function revoke(string $id): void
    {
        $this->call('revokeApiKey', path: ['id' => $id]);
    }
}
