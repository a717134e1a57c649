import * as z from "zod"
import type { Caller, Hive, RunningCall } from "../hive/hive.ts"
import { tryParse } from "../schemas/checked.ts"
import { type Refusal, toRefusal } from "../shared/error.ts"
import { maskAll } from "../shared/secrets/mask.ts"
import { type ActionOf, type ToolName, toolName } from "../shared/tool-names.ts"
import { asObject, notFoundArgument, unknownAction, withoutEmpty, wrongArguments } from "./argument-errors.ts"
import { jsonSchemaOf, rareNames, schemaForModel } from "./schema-for-model.ts"

/** A call from the model: always within a session of the host. */
export type ToolCaller = Caller & { session: string; running: RunningCall }

/** The result of an action: the id of the record it made, and the rest of the reply. */
type Result = { entity_id?: string } & Record<string, unknown>

/** The reply of a tool. The host's adapter writes it out. */
export type ToolReply = ({ status: "success" } & Result) | ({ status: "error" } & Refusal)

export interface HiveTool {
  name: string
  description: string
  /** The arguments as the host shows them to the model: flat, everything but `action` optional. */
  args: Record<string, z.ZodType>
  /** The same as JSON Schema. */
  schema(): ReturnType<typeof jsonSchemaOf>
  /** Never rejects: errors come back as an error record. */
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
  // `run` is only called with what `fields` has parsed; as one of many actions its own type of arguments is lost.
  return { fields: z.strictObject(shape), run: run as Action<z.ZodObject>["run"] }
}

/** A tool with actions. The model sees only the names of rarely used arguments. */
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

/** A tool without actions. */
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
 * The host does not validate arguments, so each call is checked here against its action's fields. Secrets are masked before
 * the arguments are used: shortening a path could hide the shape of a secret.
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
