import type { Message, Part, TextPart, ToolPart } from "@opencode-ai/sdk"
import { createInjector } from "../../../../src/context/inject/injector.ts"
import type { Hive } from "../../../../src/hive/hive.ts"
import { injectInto } from "../../../../src/hosts/opencode/messages.ts"
import { derivedId } from "../../../../src/shared/ids.ts"
import { hivePaths } from "../../../../src/store/files/layout.ts"
import { memoryHive } from "../../../support/hive.ts"

export interface HostMessage {
  info: Message
  parts: Part[]
}

/** What the model was sent with a new user message: all messages, with ours in them. */
export type Prompt = readonly HostMessage[]

/** One turn: what the user says, what the model calls and answers. */
export interface Turn {
  user: string
  outputs: readonly string[]
  answer: string
}

const SESSION = "ses_1"
const KEPT_TAIL = 2

/**
 * A conversation as OpenCode keeps it, sent through the real hook before every model step. `prompts` has the request that
 * each user message began, `requests` all of them.
 */
export function scriptedSession(folder: string, windowTokens = 200_000) {
  const made = memoryHive()
  let ids = 0
  // Ids whose beginnings tell them apart, as those of real ones do: the model is shown no more.
  const source = { ...made.source, newId: () => derivedId("scripted", String(++ids)) }
  const hive: Hive = { ...made, source, home: folder, dir: folder }
  const injector = createInjector({
    paths: hivePaths(hive.home),
    evidence: () => undefined,
    files: () => undefined,
    more: "hivemind_memory recall",
    onError: (what, error) => {
      throw new Error(what, { cause: error })
    },
  })
  const hook = injectInto(
    {
      inject: async (session, sent, window) =>
        injector.inject(hive, session, sent, window, await injector.recalledFor(hive, session, sent)),
    },
    new Set(),
    () => windowTokens,
  )
  let stored: HostMessage[] = []
  let count = 0
  const prompts: Prompt[] = []
  const requests: Prompt[] = []

  async function send(): Promise<Prompt> {
    const sent = [...stored]
    await hook(sent)
    requests.push(sent)
    return sent
  }

  function add(role: "user" | "assistant", parts: (id: string) => object[], more: object = {}): string {
    const id = `msg_${String(++count).padStart(5, "0")}`
    const time = { created: hive.source.now(), completed: hive.source.now() }
    const info = {
      id,
      sessionID: SESSION,
      role,
      time,
      agent: "build",
      model: { providerID: "p", modelID: "m" },
      ...more,
    }
    const whole = parts(id).map((part, n) => ({
      id: `prt_${id}_${n}`,
      sessionID: SESSION,
      messageID: id,
      ...part,
    }))
    stored.push({ info, parts: whole } as unknown as HostMessage)
    return id
  }

  return {
    hive,
    prompts,
    requests,
    async turn({ user, outputs, answer }: Turn): Promise<void> {
      add("user", () => [{ type: "text", text: user }])
      prompts.push(await send())
      for (const output of outputs) {
        add("assistant", (id) => [
          {
            type: "tool",
            callID: `call_${id}`,
            tool: "read",
            state: {
              status: "completed",
              input: {},
              output,
              metadata: {},
              time: { start: hive.source.now(), end: hive.source.now() },
            },
          },
        ])
        await send()
      }
      add("assistant", () => [{ type: "text", text: answer }])
    },
    /** The host replaces all but the last messages by a summary. */
    compact(summary: string): void {
      const tail = stored.slice(-KEPT_TAIL)
      stored = []
      const request = add("user", () => [{ type: "compaction", auto: false }])
      add("assistant", () => [{ type: "text", text: summary }], { summary: true, parentID: request })
      stored.push(...tail)
    },
    /** The user takes the last turns back. */
    revert(turns: number): void {
      for (let n = 0; n < turns; n++)
        stored = stored.slice(
          0,
          stored.findLastIndex(({ info }) => info.role === "user"),
        )
    },
  }
}

/** What the model reads of a part. */
export function textOfPart(part: Part): string {
  if (part.type === "text") return (part as TextPart).text
  const { state } = part as ToolPart
  return part.type === "tool" && state.status === "completed" ? state.output : ""
}
