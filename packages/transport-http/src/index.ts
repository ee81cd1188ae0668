/**
 * The Model Context Protocol over HTTP: a server as routes of the application's own router or as a web-standard handler,
 * and a client on Effect's `HttpClient`.
 *
 * On Node, `NodeMcpHttp` serves the same at less cost.
 *
 * @since 0.1.0
 */
export * as McpHttp from "./McpHttp.ts"
