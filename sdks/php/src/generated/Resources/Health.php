<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Resources;

use Acuse\Errors\AcuseError;
use Acuse\Internal\Resource;
use Acuse\Types;

/** Operations of health. */
final class Health extends Resource
{
    /**
     * The process is alive.
     *
     * Answers as soon as the process serves HTTP, whatever the database does. For a supervisor that
     * restarts it.
     *
     * No key needed.
     * @throws AcuseError
     */
    public function live(): Types\Health
    {
        return $this->call('getHealth');
    }

    /**
     * The process is ready.
     *
     * 200 once it has started, the database answers and it is not stopping; else 503. For a load
     * balancer.
     *
     * No key needed.
     * @throws AcuseError
     */
    public function ready(): Types\Health
    {
        return $this->call('getReadiness');
    }
}
