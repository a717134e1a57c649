// What is used of OpenCode 2's plugin API, which has no types package yet. Seen by running it; it calls itself beta.

export interface Context {
  options?: unknown
  session: {
    hook(name: "context", run: (event: ContextEvent) => Promise<void>): Promise<unknown>
    get(query: { sessionID: string }): Promise<unknown>
    interrupt(query: { sessionID: string }): Promise<unknown>
  }
  tool: {
    transform(change: (tools: { add(tool: ToolDefinition): void }) => void): Promise<unknown>
    hook(name: "execute.before", run: (event: BeforeEvent) => Promise<void>): Promise<unknown>
    hook(name: "execute.after", run: (event: AfterEvent) => Promise<void>): Promise<unknown>
  }
  agent: {
    transform(
      change: (agents: { update(name: string, change: (draft: AgentDraft) => void): void }) => void,
    ): Promise<unknown>
  }
  command: {
    list(): Promise<{ location: { directory: string } }>
    transform(
      change: (commands: { update(name: string, change: (draft: CommandDraft) => void): void }) => void,
    ): Promise<unknown>
  }
  catalog: { model: { list(): Promise<{ data: readonly ModelInfo[] }> } }
  event: { subscribe(): AsyncIterable<HostEvent> }
}

export interface ModelRef {
  id: string
  providerID: string
}

interface ModelInfo extends ModelRef {
  limit?: { context?: number }
}

/** Before every request of a conversation. What is changed here reaches the model and is not stored. */
export interface ContextEvent {
  sessionID: string
  agent: string
  model: ModelRef
  system: { type: "text"; text: string }[]
  messages: HostMessage[]
}

export interface HostMessage {
  /** Of what is stored: a user's words, an answer, the checkpoint of a compaction. */
  id?: string
  role: "user" | "assistant" | "tool" | "system"
  content: readonly HostPart[]
  /** Only of what a user or a plugin has sent. */
  metadata?: unknown
}

type HostPart = { type: string; text?: string; result?: unknown }

interface CallEvent {
  tool: string
  sessionID: string
  agent: string
  messageID: string
  id: string
}

export interface BeforeEvent extends CallEvent {
  input: unknown
}

export interface AfterEvent extends CallEvent {
  input: unknown
  status: "completed" | "error"
  result?: {
    output?: unknown
    content: { type: string; text?: string }[]
    metadata?: Readonly<Record<string, unknown>>
  }
  error?: { message: string }
}

export interface ToolDefinition {
  name: string
  description: string
  input: unknown
  options: { codemode: boolean }
  execute(input: unknown, call: Omit<CallEvent, "tool"> & { progress?: Progress }): Promise<ToolResult>
}

type Progress = (metadata: Record<string, unknown>) => Promise<unknown> | undefined

export interface ToolResult {
  content: string
  metadata?: Record<string, unknown>
}

export interface AgentDraft {
  description?: string
  mode?: string
  system?: string
  permissions?: readonly { action: string; resource: string; effect: string }[]
}

export interface CommandDraft {
  description?: string
  template?: string
}

export interface HostEvent {
  type: string
  created?: number
  /** Left out of what concerns a session's turns. */
  location?: { directory?: string }
  data?: Readonly<Record<string, unknown>>
}
