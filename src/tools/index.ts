import { anchorTool } from "./anchor.ts"
import { codemapTool } from "./codemap.ts"
import { cycleTool } from "./cycle.ts"
import { delegateTool } from "./delegate.ts"
import { hierarchyTool } from "./hierarchy.ts"
import { inspectTool } from "./inspect.ts"
import { memoryTool } from "./memory.ts"
import { planTool } from "./plan.ts"
import { scanTool } from "./scan.ts"
import { sessionTool } from "./session.ts"
import { shellTool } from "./shell.ts"
import { taskTool } from "./task.ts"
import type { HiveTool } from "./tool.ts"

export const tools: readonly HiveTool[] = [
  sessionTool,
  planTool,
  taskTool,
  delegateTool,
  shellTool,
  memoryTool,
  anchorTool,
  inspectTool,
  hierarchyTool,
  cycleTool,
  scanTool,
  codemapTool,
]
