import * as z from "zod"
import type { Caller, Hive } from "../hive/hive.ts"
import type { RunningCall } from "../hive/running-call.ts"
import { type Refusal, toRefusal } from "../shared/error.ts"
import { maskAll } from "../shared/secrets/mask.ts"
import { type ActionOf, type ToolName, toolName } from "../shared/tool-names.ts"
import { asObject, unknownAction, withoutEmpty, wrongArgument } from "./arguments.ts"
import { schemaForModel } from "./schema-for-model.ts"

/** A call from the model: always within a session of the host. */
export type ToolCaller = Caller & { session: string; running: RunningCall }

/** What a run returns: `entity_id` for whatever was made, and the rest of the reply. */
type Result = { entity_id?: string } & Record<string, unknown>

/** What a tool answers. The host's adapter writes it out. */
export type ToolReply = ({ status: "success" } & Result) | ({ status: "error" } & Refusal)

export interface HiveTool {
  name: string
  description: string
  /** The arguments as the host shows them to the model: flat, everything but `action` optional. */
  args: Record<string, z.ZodType>
  /** Never rejects: what goes wrong comes back as an error record. */
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

/**
 * A tool with actions. The host does not validate arguments, so each call is checked here against its action's fields.
 * Secrets are masked before anything is made of the arguments: a path that was made shorter hides the shape of one.
 */
export function defineTool<T extends ToolName>(
  tool: T,
  description: string,
  ownActions: Record<ActionOf<T>, Action<z.ZodObject>>,
): HiveTool {
  const name = toolName(tool)
  const actions: Record<string, Action<z.ZodObject>> = ownActions
  const names = Object.keys(actions)
  const args: Record<string, z.ZodType> = { action: z.enum(names) }
  for (const { fields } of Object.values(actions)) {
    for (const [field, type] of Object.entries(fields.shape)) args[field] ??= schemaForModel(type).optional()
  }

  async function execute(hive: Hive, caller: Omit<ToolCaller, "tool">, given: unknown): Promise<ToolReply> {
    try {
      const { action: called, ...rest } = asObject(name, given)
      const found = typeof called === "string" && Object.hasOwn(actions, called) ? actions[called] : undefined
      if (found === undefined) throw unknownAction(name, called, names)
      const parsed = found.fields.safeParse(withoutEmpty(rest))
      if (!parsed.success)
        throw wrongArgument(name, String(called), parsed.error, Object.keys(found.fields.shape))
      const reply = await found.run(hive, { ...caller, tool: `${name}.${called}` }, maskAll(parsed.data))
      return { status: "success", ...reply }
    } catch (error) {
      return errorReply(error)
    }
  }

  return { name, description, args, execute }
}

/** A tool without actions. */
export function defineSimpleTool<S extends z.ZodRawShape>(
  tool: ToolName,
  description: string,
  shape: S,
  run: Action<z.ZodObject<S, z.core.$strict>>["run"],
): HiveTool {
  const name = toolName(tool)
  const fields = z.strictObject(shape)
  return {
    name,
    description,
    args: Object.fromEntries(Object.entries(shape).map(([field, type]) => [field, schemaForModel(type)])),
    async execute(hive, caller, given) {
      try {
        const parsed = fields.safeParse(withoutEmpty(asObject(name, given)))
        if (!parsed.success) throw wrongArgument(name, "", parsed.error, Object.keys(shape))
        const reply = await run(hive, { ...caller, tool: name }, maskAll(parsed.data))
        return { status: "success", ...reply }
      } catch (error) {
        return errorReply(error)
      }
    },
  }
}

export function errorReply(error: unknown): ToolReply {
  return { status: "error", ...toRefusal(error) }
}
