<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Resources;

use Acuse\Errors\AcuseError;
use Acuse\Internal\Resource;
use Acuse\Types;

/** Operations of log. */
final class Log extends Resource
{
    use \Acuse\Internal\FollowsLog;

    /**
     * The log's keys.
     *
     * The verifier key (C2SP signed-note) that checkpoints and promises are signed with. A log that
     * signs checkpoints with ML-DSA-44 as well has that key on a second line.
     *
     * No key needed.
     * @throws AcuseError
     */
    public function key(): string
    {
        return $this->call('getLogKey');
    }

    /**
     * A tile or an entry bundle.
     *
     * `/log/tile/<L>/<N>[.p/<W>]` and `/log/tile/entries/<N>[.p/<W>]` (C2SP tlog-tiles). An entry is a
     * canonical hash.
     *
     * No key needed.
     * @param string $path `<L>/<N>[.p/<W>]` or `entries/<N>[.p/<W>]`: has slashes of its own.
     * @throws AcuseError
     */
    public function tile(string $path): string
    {
        return $this->call('getLogTile', path: ['path' => $path]);
    }

    /**
     * The constancia over a checkpoint.
     *
     * The time-stamp over the three-line text of the checkpoint of this size, the note it stands in,
     * and what pins its authority. `previous_tree_size` leads to the batch before.
     *
     * No key needed.
     * @param string $treeSize Size of a checkpoint.
     * @throws AcuseError
     */
    public function certificate(string $treeSize): Types\LogCertificate
    {
        return $this->call('getLogCertificate', path: ['tree_size' => $treeSize]);
    }
}
