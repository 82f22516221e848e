/** Texts of the page of the client libraries. */
export interface ClientsWords {
  readonly title: string;
  readonly lead: (version: string) => string;
  readonly why: string;
  readonly docs: string;
  readonly mcp: string;
  readonly mcpDocs: string;
  readonly file: string;
  readonly missing: string;
  readonly other: string;
}

export const CLIENTS_WORDS: Readonly<Record<'en' | 'es', ClientsWords>> = {
  en: {
    title: 'Client libraries',
    lead: (version) =>
      `This installation runs Acuse ${version} and hands out the client libraries of that version itself. Run the command in your project.`,
    why: 'Install from here, not by the name alone: nobody vouches for these names on public registries. An upgrade of the installation replaces the files, so keep a copy where a build must be repeatable.',
    docs: 'How the libraries work',
    mcp: 'MCP server, for AI agents',
    mcpDocs: 'Rights of agents, and how their programs start it',
    file: 'File',
    missing: 'This installation was built without it.',
    other: 'Español',
  },
  es: {
    title: 'Bibliotecas de cliente',
    lead: (version) =>
      `Esta instalación usa Acuse ${version} y entrega ella misma las bibliotecas de cliente de esa versión. Ejecute el comando en su proyecto.`,
    why: 'Instálelas desde aquí y no solo por su nombre: nadie responde por esos nombres en los registros públicos. Al actualizar la instalación se reemplazan los archivos; guarde una copia si una compilación debe poder repetirse.',
    docs: 'Cómo funcionan las bibliotecas',
    mcp: 'Servidor MCP, para agentes de IA',
    mcpDocs: 'Qué pueden hacer los agentes y cómo lo inician sus programas',
    file: 'Archivo',
    missing: 'Esta instalación se compiló sin ella.',
    other: 'English',
  },
};
