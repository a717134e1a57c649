import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Extractor, ExtractorConfig } from "@microsoft/api-extractor"

/** Makes one file of an entry's declarations and all that they reach: a hundred small files take twice the room on disk. */
export function rollUpTypes(root, entry, into) {
  const config = ExtractorConfig.prepare({
    packageJsonFullPath: join(root, "package.json"),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: entry,
      compiler: {
        overrideTsconfig: {
          files: [entry],
          compilerOptions: {
            target: "es2022",
            module: "nodenext",
            moduleResolution: "nodenext",
            lib: ["ES2023"],
            types: ["node"],
            strict: true,
            skipLibCheck: true,
          },
        },
      },
      dtsRollup: { enabled: true, untrimmedFilePath: into },
    },
  })
  const { succeeded } = Extractor.invoke(config, {
    localBuild: true,
    // What it warns of is meant for packages that document every name they use.
    messageCallback: (message) => {
      if (message.logLevel !== "error") message.handled = true
    },
  })
  if (!succeeded) throw new Error(`${entry}: its types could not be put into one file`)
  writeFileSync(into, withoutIndents(withoutRepeats(withoutZodComments(root, readFileSync(into, "utf8")))))
}

/** Of half a megabyte a tenth is indentation. */
function withoutIndents(text) {
  return text.replace(/^ {4,}/gm, "")
}

/** Zod's own comments take 40 kB, and nobody reads them here. */
function withoutZodComments(root, text) {
  const folder = join(root, "node_modules", "zod", "v4")
  const declarations = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".d.ts"))
  const known = new Set(
    declarations.flatMap((name) => readFileSync(join(folder, name), "utf8").match(COMMENT) ?? []).map(flat),
  )
  return text
    .replace(COMMENT, (comment) => (known.has(flat(comment)) ? "" : comment))
    .replace(/\n\s*(?=\n)/g, "")
}

function flat(comment) {
  return comment.replace(/\s+/g, " ")
}

const COMMENT = /\/\*\*[\s\S]*?\*\//g

/** A constant that is named like an interface comes out twice. */
function withoutRepeats(text) {
  const seen = new Set()
  return text
    .split("\n")
    .filter((line) => !line.startsWith("declare const ") || (!seen.has(line) && seen.add(line)))
    .join("\n")
}
