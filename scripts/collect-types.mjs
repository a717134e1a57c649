import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative } from "node:path"

/**
 * Copies the declarations that the entries reach, and those of zod that they need: who uses the types installs no package
 * for them.
 */
export function collectTypes(from, entries, into) {
  const zod = dirname(createRequire(import.meta.url).resolve("zod/package.json"))
  const copied = new Set(entries.map((entry) => join(from, entry)))
  for (const file of copied) {
    const target = placeOf(file)
    // Zod's texts in sixty languages are of no use here.
    const own = readFileSync(file, "utf8").replace(/^export \* as locales .*$/m, "")
    const text = own.replace(SPECIFIER, (whole, before, specifier) => {
      const found = declarationAt(file, specifier)
      if (found === undefined) return whole
      copied.add(found)
      const path = relative(dirname(target), placeOf(found))
        .replaceAll("\\", "/")
        .replace(/\.d\.ts$/, ".js")
      return `${before}"${path.startsWith(".") ? path : `./${path}`}"`
    })
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, text)
  }

  function placeOf(file) {
    return file.startsWith(zod) ? join(into, "zod", relative(zod, file)) : join(into, relative(from, file))
  }

  function declarationAt(file, specifier) {
    if (specifier === "zod") return join(zod, "index.d.ts")
    if (!specifier.startsWith(".")) return undefined
    const found = join(dirname(file), specifier.replace(/\.[jt]s$/, ".d.ts"))
    return existsSync(found) ? found : undefined
  }
}

const SPECIFIER = /((?:from|import)\s*\(?\s*)"([^"]+)"/g
