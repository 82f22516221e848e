<?php

declare(strict_types=1);

require __DIR__ . '/../autoload.php';

/** Of contract/vectors, with objects as arrays. */
function vectors(string $name): array
{
    return json_decode(vectors_text($name), true, 512, JSON_THROW_ON_ERROR);
}

function vectors_text(string $name): string
{
    return file_get_contents(__DIR__ . "/../../../contract/vectors/$name");
}
