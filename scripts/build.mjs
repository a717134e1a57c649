// Builds dist/: the compiled sources with their types, and the config's JSON Schema.
import { execFileSync } from "node:child_process"
import { chmodSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const dist = join(root, "dist")
rmSync(dist, { recursive: true, force: true })

const require = createRequire(import.meta.url)
const tsc = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc")
execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" })
chmodSync(join(dist, "cli", "main.js"), 0o755)

const { config } = await import(join(dist, "schemas", "config.js"))
const schema = z.toJSONSchema(config, { io: "input" })
writeFileSync(join(dist, "schema.json"), `${JSON.stringify(schema, null, 2)}\n`)
