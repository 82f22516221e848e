<?php

declare(strict_types=1);

namespace Acuse\Internal;

/** One request over the wire. @internal */
interface Transport
{
    /** Throws what the attempt's sink throws, and nothing of its own. */
    public function request(Attempt $attempt): Reply|Failure;

    /** Ends the connections that no request has. */
    public function close(): void;
}
