// The used part of the official SDK. The build bundles it into this one file: the whole package brings web servers along.
export { Server } from "@modelcontextprotocol/sdk/server/index.js"
export { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
export type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js"
export type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
export type { CallToolResult, ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js"
export {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js"
