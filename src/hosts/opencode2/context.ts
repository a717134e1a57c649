// The part of OpenCode 2's plugin API that HiveMind uses. The beta has no types package: these types were found by trial.

export interface Context {
  options?: unknown
  session: {
    hook(name: "context", run: (event: ContextEvent) => Promise<void>): Promise<unknown>
    get(query: { sessionID: string }): Promise<unknown>
    interrupt(query: { sessionID: string }): Promise<unknown>
  }
  tool: {
    transform(change: (tools: { add(tool: ToolDefinition): void }) => void): Promise<unknown>
    hook(name: "execute.before", run: (event: CallEvent) => Promise<void>): Promise<unknown>
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

type ModelRef = { id: string; providerID: string }

/** Sent before every request of a conversation. Changes to the event reach the model and are not stored. */
export interface ContextEvent {
  sessionID: string
  agent: string
  model: ModelRef
  system: { type: "text"; text: string }[]
  messages: HostMessage[]
}

export interface HostMessage {
  /** Only stored messages have an id: the user's, answers, and the message that OpenCode 2 makes of a compaction. */
  id?: string
  role: "user" | "assistant" | "tool" | "system"
  content: readonly { type: string; text?: string; result?: unknown }[]
  metadata?: unknown
}

export interface CallEvent {
  tool: string
  sessionID: string
  agent: string
  messageID: string
  id: string
  input: unknown
}

export interface AfterEvent extends CallEvent {
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
  execute(
    input: unknown,
    call: Omit<CallEvent, "tool" | "input"> & {
      progress?: (metadata: Record<string, unknown>) => Promise<unknown> | undefined
    },
  ): Promise<{ content: string; metadata?: Record<string, unknown> }>
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
  location?: { directory?: string }
  data?: Readonly<Record<string, unknown>>
}
