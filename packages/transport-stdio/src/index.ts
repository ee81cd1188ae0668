/**
 * The Model Context Protocol over standard input and output: one message a line, the client starts the server.
 *
 * A server is an effect that ends with its input; {@link run} is all it takes. A client is a layer that starts a
 * command and ends it again, with everything that it has started.
 *
 * @since 0.1.0
 */
export * as McpStdio from "./McpStdio.ts"
