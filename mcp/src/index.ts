/** Exports of `@acuse/mcp`, for programs that serve MCP in their own way. */
export { type Config, readConfig, SettingError } from './config.ts';
export { type HttpServer, serveHttp } from './http.ts';
export { createServer } from './server.ts';
export { openSession, type Session, type SessionOptions } from './session.ts';
export { VERSION } from './version.ts';
