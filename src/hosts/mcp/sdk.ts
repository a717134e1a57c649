// The part of the MCP SDK that HiveMind uses. The build bundles only this: the whole package includes web servers.
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
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js"
