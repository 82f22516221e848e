<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Resources;

use Acuse\Errors\AcuseError;
use Acuse\Internal\Resource;
use Acuse\Listing;
use Acuse\Types;

/** Operations of templates. */
final class Templates extends Resource
{
    /**
     * Create a template.
     *
     * Saves the first version. The parts are parsed: a syntax error or an unknown filter answers 400
     * and names the place.
     *
     * Scope: `messages:send`.
     * @throws AcuseError
     */
    public function create(#[\SensitiveParameter] array|Types\NewTemplate $body): Types\Template
    {
        return $this->call('createTemplate', body: $body);
    }

    /**
     * List templates.
     *
     * The templates of the account in their current version, newest first.
     *
     * Scope: `messages:send` or `evidence:read`.
     * @param int|null $limit Number of entries to return.
     * @param string|null $after next_cursor of the previous page.
     * @return Listing<Types\Template, Types\TemplatePage>
     * @throws AcuseError
     */
    public function list(?int $limit = null, ?string $after = null): Listing
    {
        return $this->listOf('listTemplates', query: ['limit' => $limit, 'after' => $after]);
    }

    /**
     * Read a template.
     *
     * Its current version, with the variants for other languages.
     *
     * Scope: `messages:send` or `evidence:read`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function get(string $id): Types\Template
    {
        return $this->call('getTemplate', path: ['id' => $id]);
    }

    /**
     * Change a template.
     *
     * A change of content makes a new version; messages sent before keep theirs. null removes text,
     * html or a variant; variants that are not named stay.
     *
     * Scope: `messages:send`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function update(
        string $id,
        #[\SensitiveParameter] array|Types\TemplateChange $body,
    ): Types\Template {
        return $this->call('updateTemplate', path: ['id' => $id], body: $body);
    }

    /**
     * Delete a template.
     *
     * Messages that were sent with it keep their content. Its name can be used again.
     *
     * Scope: `messages:send`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function delete(string $id): void
    {
        $this->call('deleteTemplate', path: ['id' => $id]);
    }

    /**
     * List a template's versions.
     *
     * Versions of the template, newest first; the first is the current one. To restore one, change the
     * template to its content.
     *
     * Scope: `messages:send` or `evidence:read`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @param int|null $limit Number of entries to return.
     * @param string|null $after next_cursor of the previous page.
     * @return Listing<Types\TemplateVersion, Types\TemplateVersionPage>
     * @throws AcuseError
     */
    public function listVersions(string $id, ?int $limit = null, ?string $after = null): Listing
    {
        return $this->listOf(
            'listTemplateVersions',
            path: ['id' => $id],
            query: ['limit' => $limit, 'after' => $after],
        );
    }

    /**
     * Preview a template before it is saved.
     *
     * Renders the given content with these variables; nothing is saved or sent.
     *
     * Scope: `messages:send`.
     * @throws AcuseError
     */
    public function renderDraft(
        #[\SensitiveParameter] array|Types\TemplateDraft $body,
    ): Types\RenderedDraft {
        return $this->call('renderTemplateDraft', body: $body);
    }

    /**
     * Preview a template.
     *
     * Renders the current version with these variables; nothing is sent.
     *
     * Scope: `messages:send`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function render(
        string $id,
        #[\SensitiveParameter] array|Types\RenderRequest $body,
    ): Types\RenderedTemplate {
        return $this->call('renderTemplate', path: ['id' => $id], body: $body);
    }
}
