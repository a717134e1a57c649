import { readFileSync, writeFileSync } from "node:fs"
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
  writeFileSync(into, withTabs(withoutRepeats(readFileSync(into, "utf8"))))
}

/** Of half a megabyte a tenth is indentation. */
function withTabs(text) {
  return text.replace(/^(?: {4})+/gm, (blanks) => "\t".repeat(blanks.length / 4))
}

/** A constant that is named like an interface comes out twice. */
function withoutRepeats(text) {
  const seen = new Set()
  return text
    .split("\n")
    .filter((line) => !line.startsWith("declare const ") || (!seen.has(line) && seen.add(line)))
    .join("\n")
}
