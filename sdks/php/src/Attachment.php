<?php

declare(strict_types=1);

namespace Acuse;

use Acuse\Errors\ConfigurationError;

/** Files for a message's `attachments`. */
final class Attachment
{
    /** By extension; everything else is application/octet-stream. The same table in all libraries. */
    private const MEDIA_TYPES = [
        'csv' => 'text/csv',
        'doc' => 'application/msword',
        'docx' => 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
        'eml' => 'message/rfc822',
        'gif' => 'image/gif',
        'gz' => 'application/gzip',
        'htm' => 'text/html',
        'html' => 'text/html',
        'ics' => 'text/calendar',
        'jpeg' => 'image/jpeg',
        'jpg' => 'image/jpeg',
        'json' => 'application/json',
        'md' => 'text/markdown',
        'pdf' => 'application/pdf',
        'png' => 'image/png',
        'pptx' => 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
        'svg' => 'image/svg+xml',
        'txt' => 'text/plain',
        'webp' => 'image/webp',
        'xls' => 'application/vnd.ms-excel',
        'xlsx' => 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
        'xml' => 'application/xml',
        'zip' => 'application/zip',
    ];

    /**
     * @return array{filename: string, content_type: string, content: string} an item of `attachments`
     * @throws ConfigurationError the file cannot be read
     */
    public static function fromFile(string $path): array
    {
        $content = is_file($path) ? @file_get_contents($path) : false;
        if ($content === false) {
            throw new ConfigurationError("The attachment cannot be read: $path.");
        }
        $extension = strtolower(pathinfo($path, PATHINFO_EXTENSION));
        return [
            'filename' => basename($path),
            'content_type' => self::MEDIA_TYPES[$extension] ?? 'application/octet-stream',
            'content' => base64_encode($content),
        ];
    }
}
