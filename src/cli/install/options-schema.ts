import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import writeFileAtomic from "write-file-atomic"
import { toJSONSchema } from "zod"
import { config } from "../../schemas/config.ts"
import { hivePaths } from "../../store/files/layout.ts"

/**
 * Puts the schema of the options beside them, where an editor finds it however HiveMind was installed. Returns the file if
 * it was not there before.
 */
export async function writeOptionsSchema(hiveHome: string): Promise<string[]> {
  const file = join(dirname(hivePaths(hiveHome).config), "config.schema.json")
  const text = `${JSON.stringify(toJSONSchema(config, { io: "input" }), null, 2)}\n`
  const isNew = !existsSync(file)
  if (isNew || readFileSync(file, "utf8") !== text) await writeFileAtomic(file, text)
  return isNew ? [file] : []
}
