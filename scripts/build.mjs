// Builds two folders. build/ has every source compiled by itself, for the tests and the bench. dist/ is what is shipped: the
// bundles, the types of the public entries, the licences of what is bundled, the config's JSON Schema, and a folder for each
// agent that installs one.
import { execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { bundle, bundlePage } from "./bundle.mjs"
import { collectTypes } from "./collect-types.mjs"
import { licencesOf } from "./licences.mjs"
import { rollUpTypes } from "./roll-up-types.mjs"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const [compiled, dist] = [join(root, "build"), join(root, "dist")]
for (const folder of [compiled, dist]) rmSync(folder, { recursive: true, force: true })

const require = createRequire(import.meta.url)
const tsc = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc")
execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" })

const bundled = [...(await bundle(root, dist)), ...(await bundlePage(root, join(dist, "dashboard")))]
const types = join(compiled, "types")
collectTypes(compiled, ["index.d.ts", "api.d.ts", "tui/index.d.ts"], types)
rollUpTypes(root, join(types, "api.d.ts"), join(dist, "types", "api.d.ts"))
copyFileSync(join(types, "index.d.ts"), join(dist, "types", "index.d.ts"))
copyFileSync(join(types, "tui", "index.d.ts"), join(dist, "types", "tui.d.ts"))
writeFileSync(join(dist, "third-party-licences.txt"), licencesOf(bundled))

const { config } = await import(join(compiled, "schemas", "config.js"))
const schema = z.toJSONSchema(config, { io: "input" })
writeFileSync(join(dist, "schema.json"), `${JSON.stringify(schema)}\n`)

const { bundles } = await import(join(compiled, "hosts", "hooks", "plugin-folders.js"))
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
for (const [agent, files] of Object.entries(bundles(version))) {
  for (const [path, text] of Object.entries(files)) {
    const file = join(dist, "agents", agent, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}
