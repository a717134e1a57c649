// Prints the software bill of materials of the package, as CycloneDX: of everything that npm has installed, what is bundled.
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const licences = readFileSync(join(root, "dist", "third-party-licences.txt"), "utf8")
const bundled = new Set(
  [...licences.matchAll(/^(@?[\w./-]+) (\d\S*) \(.+\)$/gm)].map(([, name, version]) => `${name}@${version}`),
)
// On Windows npm is a script, which only a shell starts.
const shell = process.platform === "win32"
const args = ["sbom", "--sbom-format", "cyclonedx"]
const all = JSON.parse(execFileSync("npm", args, { cwd: root, encoding: "utf8", shell, maxBuffer: 1 << 27 }))
const components = all.components
  .filter(({ name, version }) => bundled.has(`${name}@${version}`))
  // npm calls them development dependencies, which is how they are installed here and not what they are in the package.
  .map(({ properties: _, ...component }) => component)
const missing = [...bundled].filter(
  (each) => !components.some(({ name, version }) => each === `${name}@${version}`),
)
if (missing.length > 0) throw new Error(`Bundled, and unknown to npm: ${missing.join(", ")}`)
const { name } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const component = { ...all.metadata.component, name }
const dependencies = [{ ref: component["bom-ref"], dependsOn: components.map((each) => each["bom-ref"]) }]
const bill = { ...all, metadata: { ...all.metadata, component }, components, dependencies }
console.log(JSON.stringify(bill, null, 2))
