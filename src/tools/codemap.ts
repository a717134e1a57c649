import { path } from "../schemas/fields.ts"
import {
  codeGraphView,
  codeScanView,
  diffView,
  inconsistencyView,
  overviewView,
  todoView,
} from "../views/code-map.ts"
import { action, defineTool, type ToolCaller } from "./tool.ts"

const where = { path: path.optional() }

export const codemapTool = defineTool(
  "codemap",
  "Know the code without reading it. graph: what a file imports, and what breaks if it changes. diff: since the last scan.",
  {
    scan: action(where, async (hive, caller, args) => {
      const { scanCode } = await answers()
      return codeScanView(await scanCode(hive, args.path, progress(caller)), args.path)
    }),
    diff: action({}, async (hive) => {
      const { diffCode } = await answers()
      return diffView(await diffCode(hive))
    }),
    inconsistencies: action(where, async (hive, _caller, args) => {
      const { inconsistenciesIn } = await answers()
      return inconsistencyView(await inconsistenciesIn(hive, args.path))
    }),
    todos: action(where, async (hive, _caller, args) => {
      const { todosInCode } = await answers()
      return todoView(await todosInCode(hive, args.path))
    }),
    graph: action(where, async (hive, _caller, args) => {
      const { graphAround, graphOverview } = await answers()
      return args.path === undefined
        ? overviewView(await graphOverview(hive))
        : codeGraphView(await graphAround(hive, args.path))
    }),
  },
)

/** Loaded with the first map that is asked for. */
function answers() {
  return import("../project/codemap/answers.ts")
}

function progress({ running: { show } }: ToolCaller): (done: number, total: number) => void {
  return (done, total) => show({ title: `${done} of ${total} files`, output: "" })
}
