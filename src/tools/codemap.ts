import { path } from "../schemas/fields.ts"
import * as views from "../views/code-map.ts"
import { action, defineTool, progressOf } from "./tool.ts"

const where = { path: path.optional() }

export const codemapTool = defineTool(
  "codemap",
  "Know the code without reading it. graph: what a file imports, and what breaks if it changes. diff: changes since the last scan.",
  {
    scan: action(where, async (hive, caller, { path }) => {
      const { onProgress } = progressOf(caller)
      return views.codeScanView(await (await answers()).scanCode(hive, path, onProgress), path)
    }),
    diff: action({}, async (hive) => views.diffView(await (await answers()).diffCode(hive))),
    inconsistencies: action(where, async (hive, _caller, { path }) =>
      views.inconsistencyView(await (await answers()).inconsistenciesIn(hive, path)),
    ),
    todos: action(where, async (hive, _caller, { path }) =>
      views.todoView(await (await answers()).todosInCode(hive, path)),
    ),
    graph: action(where, async (hive, _caller, { path }) => {
      const { graphAround, graphOverview } = await answers()
      if (path === undefined) return views.overviewView(await graphOverview(hive))
      return views.codeGraphView(await graphAround(hive, path))
    }),
  },
)

function answers() {
  return import("../project/codemap/answers.ts")
}
