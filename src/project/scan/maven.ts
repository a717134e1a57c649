import { type Dependency, type Manifest, usualCommands } from "./manifest.ts"
import { folderOf, inFolder, type ScannedFiles } from "./scanned-files.ts"

export function readMaven(files: ScannedFiles, path: string): Manifest | undefined {
  const text = files.text(path)
  if (text === undefined) return undefined
  const wrapper = inFolder(folderOf(path), "mvnw")
  const hasWrapper = files.has(wrapper)
  const run = hasWrapper ? "./mvnw" : "mvn"
  const usual = usualCommands(folderOf(path), hasWrapper ? wrapper : path)
  // The parent's name comes first, in a block of its own.
  const own = text.slice(Math.max(0, text.indexOf("</parent>")))
  return {
    path,
    ecosystem: "jvm",
    name: TAGS.artifactId.exec(own)?.[1]?.trim() ?? null,
    dependencies: dependenciesOf(text),
    managers: [{ name: "maven", version: null, evidence: path }],
    commands: [...usual("test", `${run} test`), ...usual("build", `${run} package`)],
    members: [],
  }
}

function dependenciesOf(text: string): Dependency[] {
  const properties = new Map(
    [...text.matchAll(/<([\w.-]+)>([^<>\s]+)<\/\1>/g)].map(([, name = "", value = ""]) => [name, value]),
  )
  const found: Dependency[] = []
  let line = 1
  // Between two opening tags: a block that is never closed costs no more than one that is.
  for (const [index, block] of text.split(/<(?:parent|dependency|plugin)>/).entries()) {
    const field = (tag: keyof typeof TAGS) => TAGS[tag].exec(block)?.[1]?.trim()
    const artifact = index === 0 ? undefined : field("artifactId")
    if (artifact !== undefined) {
      const version = field("version")
      const property = /^\$\{(.+)\}$/.exec(version ?? "")?.[1]
      const resolved = property === undefined ? version : properties.get(property)
      found.push({ name: `${field("groupId") ?? ""}:${artifact}`, version: resolved ?? null, line })
    }
    line += block.split("\n").length - 1
  }
  return found
}

const TAGS = {
  groupId: /<groupId>([^<]*)<\/groupId>/,
  artifactId: /<artifactId>([^<]*)<\/artifactId>/,
  version: /<version>([^<]*)<\/version>/,
}
