<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Resources;

use Acuse\Errors\AcuseError;
use Acuse\Internal\Resource;
use Acuse\Types;

/** Operations of account. */
final class Account extends Resource
{
    /**
     * Read the account.
     *
     * State and settings of the account, and its use of both quotas in this UTC month, with the price.
     *
     * Scope: `evidence:read`.
     * @throws AcuseError
     */
    public function get(): Types\Account
    {
        return $this->call('getAccount');
    }
}
