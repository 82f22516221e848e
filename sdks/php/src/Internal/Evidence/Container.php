<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

use Acuse\Errors\NotABundleError;

/** The container of a bundle, which must read one way: docs/evidence-format.md, section 8. @internal */
final class Container
{
    public const MAX_FILE = 144 * self::MIB;
    public const MAX_CONTENT = 96 * self::MIB;
    public const MAX_ENTRIES = 512;
    private const KIB = 1_024;
    private const MIB = 1_024 * 1_024;
    private const MARK = 'proof.tlog-proof';
    private const OUTCOME = 'delivery/[0-9]{2}-(?:sent|bounced|cancelled|complained'
        . '|acknowledged|refused|displayed|unanswered)\.';
    /** Names and their most bytes, in the order of the table. */
    private const RULES = [
        'VERIFY\.md' => 256 * self::KIB,
        'report\.pdf' => 16 * self::MIB,
        'manifest\.json' => 64 * self::KIB,
        'openings\.json' => 256 * self::KIB,
        'message\.eml' => 32 * self::MIB,
        'submission\.bin' => 64 * self::MIB,
        'parts/[0-9]{2,3}\.bin' => 32 * self::MIB,
        'proof\.tlog-proof' => 320 * self::KIB,
        'checkpoint\.txt' => 64 * self::KIB,
        'history\.txt' => 128 * self::KIB,
        'outcomes\.note' => 64 * self::KIB,
        'log-end\.note' => 64 * self::KIB,
        '(?:message-)?constancia\.tsr' => 256 * self::KIB,
        'chain/(?:(?:message-)?constancia|(?:delivery|renewal)-[0-9]{2})\.pem' => 256 * self::KIB,
        'revocation/[a-z0-9-]{1,64}\.(?:crl|ocsp)' => 16 * self::MIB,
        'renewal/[0-9]{2}\.sums' => 64 * self::KIB,
        'renewal/[0-9]{2}\.list' => 96 * self::KIB,
        'renewal/[0-9]{2}\.tsr' => 256 * self::KIB,
        self::OUTCOME . 'json' => 64 * self::KIB,
        self::OUTCOME . 'openings\.json' => 64 * self::KIB,
        self::OUTCOME . 'tlog-proof' => 320 * self::KIB,
        self::OUTCOME . 'tsr' => 256 * self::KIB,
        self::OUTCOME . 'transcript\.json' => 4 * self::MIB,
        self::OUTCOME . 'dsn\.eml' => 16 * self::MIB,
        'issued/(?:(?:message-)?constancia|(?:delivery|renewal)-[0-9]{2})\.bin' => 2 * self::MIB,
        'policy\.json' => 512 * self::KIB,
        'SHA256SUMS' => 256 * self::KIB,
    ];
    private const REQUIRED = [
        'VERIFY.md', 'manifest.json', 'openings.json', self::MARK, 'checkpoint.txt', 'constancia.tsr',
        'chain/constancia.pem', 'policy.json', 'SHA256SUMS',
    ];

    /**
     * The entries by name.
     * @return array<string, string>
     * @throws Refused
     * @throws NotABundleError
     */
    public static function read(string $bytes): array
    {
        $isPacked = str_starts_with($bytes, '{') || str_contains($bytes, "PK\x03\x04");
        if (!$isPacked || !str_contains($bytes, self::MARK)) {
            throw new NotABundleError('The file is not a proof bundle: it has no entry proof.tlog-proof.');
        }
        self::need(strlen($bytes) <= self::MAX_FILE, 'more than ' . self::MAX_FILE . ' bytes');
        $entries = $bytes[0] === '{' ? self::ofJson($bytes) : Zip::entries($bytes);
        $files = [];
        $folded = [];
        $size = 0;
        foreach ($entries as [$name, $content]) {
            self::need(!isset($folded[strtolower($name)]), 'a name twice');
            $folded[strtolower($name)] = true;
            $files[$name] = $content;
            $size += strlen($content);
        }
        self::need($size <= self::MAX_CONTENT, 'too many bytes');
        foreach (self::REQUIRED as $name) {
            self::need(isset($files[$name]), "$name is missing");
        }
        return $files;
    }

    /** The row of the table; -1 for a name that no bundle has. */
    public static function rank(string $name): int
    {
        foreach (array_keys(self::RULES) as $row => $form) {
            if (preg_match("~\A$form\z~", $name) === 1) {
                return $row;
            }
        }
        return -1;
    }

    /** Bytes that the entry may have. @throws Refused */
    public static function limitOf(string $name): int
    {
        $row = self::rank($name);
        self::need($row >= 0, 'an entry that no bundle has');
        return array_values(self::RULES)[$row];
    }

    /** @throws Refused */
    public static function need(bool $condition, string $detail): void
    {
        Form::need($condition, 'bundle', $detail);
    }

    /** @return list<array{string, string}> */
    private static function ofJson(string $bytes): array
    {
        $form = Form::fields(StrictJson::read($bytes, 'bundle'), 'bundle', 'type entries');
        self::need($form['type'] === 'acuse/bundle/v1', 'another type');
        $found = [];
        foreach (Form::items($form['entries'], 'bundle', self::MAX_ENTRIES) as $each) {
            $isText = isset($each->text);
            $entry = Form::fields($each, 'bundle', $isText ? 'name text' : 'name base64');
            $name = Form::text($entry['name'], 'bundle');
            $content = Form::text($entry[$isText ? 'text' : 'base64'], 'bundle');
            if (!$isText) {
                $decoded = base64_decode($content, true);
                self::need($decoded !== false && base64_encode($decoded) === $content, 'base64 of another form');
                $content = $decoded;
            }
            self::need(strlen($content) <= self::limitOf($name), "$name is too large");
            $found[] = [$name, $content];
        }
        return $found;
    }
}
