import { headOf } from "../../src/graph/read-head.ts"
import { defaultConfig } from "../../src/schemas/config.ts"
import type { Mem } from "../../src/schemas/knowledge.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { beliefsFrom } from "../../test/context/inject/oracle/beliefs.ts"
import type { Truth } from "../../test/context/inject/oracle/compare.ts"
import { untruths } from "../../test/context/inject/oracle/compare.ts"
import type { ModelRequest } from "../../test/live/bed/model-request.ts"

/** The graph as it is now, to compare with what a model can conclude from a request. */
export async function untrueIn(project: string, session: string) {
  const store = openFileStore(project, { source: systemSource })
  await store.ready()
  const { state } = store.read()
  const archive = new Map<string, Mem>()
  for (const mem of store.archive.walk((id) => state.mem.has(id)))
    if (mem !== undefined) archive.set(mem.id, mem)
  await store.close()
  const head = headOf(state, session)
  const truth: Omit<Truth, "head"> = {
    state,
    archive,
    session,
    evidence: () => true,
    documentOf: () => ({ path: "", edited: "" }),
    now: Date.now(),
    commitAfterFiles: defaultConfig.commit_after_files,
    isScoped: false,
    detection: defaultConfig.detection,
  }
  const compare = (request: ModelRequest): string[] =>
    head === undefined ? [] : untruths(beliefsFrom(userTexts(request)), { ...truth, head })
  return {
    compare,
    compareLast: (requests: readonly ModelRequest[]) => {
      const last = requests.findLast((request) => request.session === session && request.kind === "turn")
      return last === undefined ? ["no request"] : compare(last)
    },
  }
}

function userTexts({ body }: ModelRequest): string[] {
  return body.messages
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) =>
      Array.isArray(content) ? content.map(({ text }) => text ?? "") : (content ?? ""),
    )
}
