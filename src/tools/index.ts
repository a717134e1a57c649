import { memoryTool } from "./memory.ts"
import { sessionTool } from "./session.ts"
import type { HiveTool } from "./tool.ts"

/** Every tool the model sees. */
export const tools: readonly HiveTool[] = [sessionTool, memoryTool]
