import { warningElement } from "../context/pack/warning-item.ts"
import { errorText } from "../gate/refusal-text.ts"
import type { Told } from "../schemas/told.ts"
import type { toldFile } from "../store/files/told-file.ts"
import type { ToolReply } from "../tools/tool.ts"
import type { AfterCall } from "./after-call.ts"
import type { CompactionRequest } from "./before-compaction.ts"

/** Keeps what a model reads of us within a turn, so that somebody can look at it later. Nobody waits for it. */
export function toldInTurn(file: Pick<ReturnType<typeof toldFile>, "add">, now: () => number) {
  function add(kind: Told["kind"], session: string, tool: string | null, text: string): void {
    const shown = text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text
    file.add({ at: new Date(now()).toISOString(), session, kind, tool, text: shown })
  }
  return {
    reply(session: string, tool: string, reply: ToolReply): void {
      // What a command prints is its own, and may be long.
      const isRun = "exit" in reply && "output" in reply
      const shown = isRun ? { ...reply, output: "(printed by the command)" } : reply
      add("reply", session, tool, reply.status === "error" ? errorText(reply) : JSON.stringify(shown))
    },
    refusal: (session: string, tool: string, text: string) => add("refusal", session, tool, text),
    after(session: string, tool: string, { notes, warnings }: AfterCall): void {
      for (const note of notes) add("note", session, tool, note)
      for (const warning of warnings) add("warning", session, tool, warningElement(warning))
    },
    compaction(session: string, request: CompactionRequest): void {
      add("compaction", session, null, "prompt" in request ? request.prompt : request.context)
    },
  }
}

const MAX_CHARS = 12_000
