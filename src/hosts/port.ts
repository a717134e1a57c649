import type { Injected } from "../context/inject/injector.ts"
import type { SeenMessage, SeenModel } from "../context/inject/seen-message.ts"
import type { ToolCall } from "../gate/call.ts"
import type { Hive, SessionControl } from "../hive/hive.ts"
import type { Log } from "../store/files/log-file.ts"
import type { HiveTool, ToolCaller, ToolReply } from "../tools/tool.ts"
import type { AfterCall, CallResult } from "../turns/after-call.ts"
import type { CountedAnswer } from "../turns/answer-usage.ts"
import type { BetweenTurns } from "../turns/between-turns.ts"
import type { CallsOnly } from "../turns/calls-only.ts"
import type { CompactionRequest } from "../turns/compaction.ts"
import type { Conversations } from "../turns/split-attempt.ts"
import type { UserMessage } from "../turns/user-message.ts"

/** The functions that HiveMind calls. A host without one of these abilities rejects, or returns an empty answer. */
export interface Host extends SessionControl {
  /** The host's working folder, anywhere in the project; relative paths in calls are relative to it. */
  directory: string
  home: string
  userConfig: string | null
  options: unknown
  isConfig: (path: string) => boolean
  parentOf: (session: string) => Promise<string | null>
  /** The last answer of a session; with "to the end", an unfinished answer is returned as "". */
  lastAnswer: (session: string, only?: "to the end") => Promise<string>
  lastSummary: (session: string) => Promise<string>
  lastAnswers: (session: string) => Promise<CountedAnswer[]>
  /** True if HiveMind cannot replace the host's prompt for a summary, but only add text to it. */
  addsToSummaryPrompt?: boolean
  /** Left out by a host that cannot read and create conversations. */
  conversations?: Conversations
  toast: (message: string) => Promise<void>
}

export interface HiveMind {
  protocol: string
  tools: readonly HiveTool[]
  /** Never rejects. */
  runTool(tool: HiveTool, caller: Omit<ToolCaller, "tool">, args: unknown): Promise<ToolReply>
  agentOf(session: string): string | null
  learnParent(session: string, parent: string | null): void

  onUserMessage(message: UserMessage): Promise<void>
  /** Before every request: the text added to each user message, and the old tool output to remove. */
  inject(session: string, messages: readonly SeenMessage[], model: SeenModel | undefined): Promise<Injected>
  /** The reason why a call is refused; undefined if it may run. Never rejects. */
  beforeCall(call: ToolCall): Promise<string | undefined>
  afterCall(result: CallResult): Promise<AfterCall>
  beforeCompaction(session: string, isPromptTaken: boolean): Promise<CompactionRequest | undefined>
  /** Open work that should be done before the turn ends, each as a line; none if governance is off. */
  unmet(session: string): Promise<readonly string[]>
  between: BetweenTurns
  /** For a host that reports only the calls of HiveMind's own tools. */
  callsOnly: CallsOnly
  /** Whether commands may run in a host that cannot ask for permission: only if the user's configuration allows it. */
  mayRunUnasked(): Promise<boolean>

  hive(): Promise<Hive>
  log: Log
  close(): Promise<void>
}
