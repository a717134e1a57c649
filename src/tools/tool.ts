import * as z from "zod"
import type { Caller, Hive, RunningCall } from "../hive/hive.ts"
import { tryParse } from "../schemas/checked.ts"
import { type Refusal, toRefusal } from "../shared/error.ts"
import { maskAll } from "../shared/secrets/mask.ts"
import { type ActionOf, type ToolName, toolName } from "../shared/tool-names.ts"
import { asObject, notFoundArgument, unknownAction, withoutEmpty, wrongArguments } from "./argument-errors.ts"
import { jsonSchemaOf, rareNames, schemaForModel } from "./schema-for-model.ts"

/** The caller of a tool is always the model, in a session of the host. */
export type ToolCaller = Caller & { session: string; running: RunningCall }

/** Options for a long scan: report progress to the host, and stop when the user stops the turn. */
export function progressOf({ running: { show, signal } }: ToolCaller) {
  const onProgress = (done: number, total: number) => show({ title: `${done} of ${total} files`, output: "" })
  return { signal, onProgress }
}

/** The result of an action: the id of the record that it created or changed, and other fields of the reply. */
type Result = { entity_id?: string } & Record<string, unknown>

/** The reply of a tool. The host's adapter turns it into text. */
export type ToolReply = ({ status: "success" } & Result) | ({ status: "error" } & Refusal)

export interface HiveTool {
  name: string
  description: string
  /** The arguments that the model sees: those of all actions in one object, all optional except `action`. */
  args: Record<string, z.ZodType>
  schema(): ReturnType<typeof jsonSchemaOf>
  /** Never rejects: an error becomes a reply with `status: "error"`. */
  execute(hive: Hive, caller: Omit<ToolCaller, "tool">, args: unknown): Promise<ToolReply>
}

interface Action<S extends z.ZodObject> {
  fields: S
  run(hive: Hive, caller: ToolCaller, args: z.infer<S>): Promise<Result> | Result
}

export function action<S extends z.ZodRawShape>(
  shape: S,
  run: Action<z.ZodObject<S, z.core.$strict>>["run"],
): Action<z.ZodObject> {
  // The cast is safe: `run` gets only what `fields` has parsed. A map of actions cannot keep the type of each.
  return { fields: z.strictObject(shape), run: run as Action<z.ZodObject>["run"] }
}

/** Defines a tool with actions. For arguments in `rare`, the model gets only the names, in the description. */
export function defineTool<T extends ToolName>(
  tool: T,
  description: string,
  ownActions: Record<ActionOf<T>, Action<z.ZodObject>>,
  rare: readonly string[] = [],
): HiveTool {
  const actions = new Map<unknown, Action<z.ZodObject>>(Object.entries(ownActions))
  const names = Object.keys(ownActions)
  const shape = Object.assign({}, ...[...actions.values()].map(({ fields }) => fields.shape))
  const args: Record<string, z.ZodType> = { action: z.enum(names) }
  for (const [field, type] of Object.entries<z.ZodType>(shape))
    if (!rare.includes(field)) args[field] = schemaForModel(type, rare).optional()
  const also = rareNames(shape, rare)
  const shown = also === "" ? description : `${description} Also takes ${also}.`
  return hiveTool(tool, shown, args, ({ action: called, ...given }) => {
    const found = actions.get(called)
    if (found === undefined) throw unknownAction(toolName(tool), called, names)
    return { ...found, called: String(called), given }
  })
}

export function defineSimpleTool<S extends z.ZodRawShape>(
  tool: ToolName,
  description: string,
  shape: S,
  run: Action<z.ZodObject<S, z.core.$strict>>["run"],
): HiveTool {
  const only = action(shape, run)
  const args = Object.entries(shape).map(([field, type]) => [field, schemaForModel(type)])
  return hiveTool(tool, description, Object.fromEntries(args), (given) => ({ ...only, called: null, given }))
}

interface Chosen extends Action<z.ZodObject> {
  called: string | null
  given: Record<string, unknown>
}

/**
 * Checks the arguments of each call, because the host does not. Masks secrets before the action runs: in a path that the action
 * shortens, a secret would no longer be recognised.
 */
function hiveTool(
  tool: ToolName,
  description: string,
  args: Record<string, z.ZodType>,
  choose: (args: Record<string, unknown>) => Chosen,
): HiveTool {
  const name = toolName(tool)
  async function execute(hive: Hive, caller: Omit<ToolCaller, "tool">, all: unknown): Promise<ToolReply> {
    try {
      const { called, fields, run, given: found } = choose(asObject(name, all))
      const given = withoutEmpty(found)
      const call = { tool, action: called, fields, given, hive, session: caller.session }
      const parsed = tryParse(fields, given)
      if (!parsed.success) throw wrongArguments(call, parsed.error)
      try {
        const by = called === null ? name : `${name}.${called}`
        const reply = await run(hive, { ...caller, tool: by }, maskAll(parsed.data))
        return { status: "success", ...reply }
      } catch (error) {
        throw notFoundArgument(call, error)
      }
    } catch (error) {
      return errorReply(error)
    }
  }
  return { name, description, args, schema: () => jsonSchemaOf(args), execute }
}

export function errorReply(error: unknown): ToolReply {
  return { status: "error", ...toRefusal(error) }
}
