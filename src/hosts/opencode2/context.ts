// The part of OpenCode 2's plugin API that HiveMind uses. It is beta and has no types package; found by running it.

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
  agent: { transform(change: (agents: Drafts<AgentDraft>) => void): Promise<unknown> }
  command: {
    list(): Promise<{ location: { directory: string } }>
    transform(change: (commands: Drafts<CommandDraft>) => void): Promise<unknown>
  }
  catalog: {
    model: { list(): Promise<{ data: readonly (ModelRef & { limit?: { context?: number } })[] }> }
  }
  event: { subscribe(): AsyncIterable<HostEvent> }
}

export interface Drafts<T> {
  update(name: string, change: (draft: T) => void): void
}

interface ModelRef {
  id: string
  providerID: string
}

/** Before every request of a conversation. Changes reach the model and are not stored. */
export interface ContextEvent {
  sessionID: string
  agent: string
  model: ModelRef
  system: { type: "text"; text: string }[]
  messages: HostMessage[]
}

export interface HostMessage {
  /** Only of stored messages: the user's, an answer, the checkpoint of a compaction. */
  id?: string
  role: "user" | "assistant" | "tool" | "system"
  content: readonly HostPart[]
  /** Only of messages that the user or a plugin has sent. */
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
  /** Missing in events of a session's turns. */
  location?: { directory?: string }
  data?: Readonly<Record<string, unknown>>
}
