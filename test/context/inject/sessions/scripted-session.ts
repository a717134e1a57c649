import type { Message, Part, TextPart, ToolPart } from "@opencode-ai/sdk"
import type { Hive } from "../../../../src/hive/hive.ts"
import { injectInto } from "../../../../src/hosts/opencode/messages.ts"
import { derivedId } from "../../../../src/shared/ids.ts"
import { memoryHive } from "../../../support/hive.ts"
import { injectorIn } from "../../at-work.ts"

export interface HostMessage {
  info: Message
  parts: Part[]
}

export type Prompt = readonly HostMessage[]

export interface Turn {
  user: string
  outputs: readonly string[]
  answer: string
}

const SESSION = "ses_1"
const KEPT_TAIL = 2

/** A conversation as OpenCode keeps it, sent through the real hook. `prompts` begins with each user message, `requests` has all. */
export function scriptedSession(folder: string, windowTokens = 200_000) {
  const made = memoryHive()
  let ids = 0
  // Ids whose first characters differ, because the model is shown no more.
  const source = { ...made.source, newId: () => derivedId("scripted", String(++ids)) }
  const hive: Hive = { ...made, source, home: folder, dir: folder }
  const injector = injectorIn(hive.home, { more: "hivemind_memory recall" })
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
    compact(summary: string): void {
      const tail = stored.slice(-KEPT_TAIL)
      stored = []
      const request = add("user", () => [{ type: "compaction", auto: false }])
      add("assistant", () => [{ type: "text", text: summary }], { summary: true, parentID: request })
      stored.push(...tail)
    },
  }
}

export function textOfPart(part: Part): string {
  if (part.type === "text") return (part as TextPart).text
  const { state } = part as ToolPart
  return part.type === "tool" && state.status === "completed" ? state.output : ""
}
