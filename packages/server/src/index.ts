/**
 * The request a handler answers: what it says about itself, its client, and the way back to it.
 *
 * @since 0.1.0
 */
export * as McpRequest from "./McpRequest.ts"

/**
 * A Model Context Protocol server: features are layers, and a server is a layer made of them.
 *
 * @since 0.1.0
 */
export * as McpServer from "./McpServer.ts"

/**
 * Progress of the request that is being answered.
 *
 * @since 0.1.0
 */
export * as Progress from "./Progress.ts"

/**
 * Named conditions that decide which features a request can see.
 *
 * A feature that is hidden from a request is left out of lists and answers exactly as one that does not exist.
 *
 * @since 0.1.0
 */
export * as Visibility from "./Visibility.ts"
