import type { ProjectCommand } from "../../../schemas/project-map.ts"
import { folderOf, inFolder, nameOf, type ScannedFiles } from "../listing/scanned-files.ts"
import { type Dependency, emptyManifest, linesOf, type Manifest } from "./manifest.ts"

/** A `pom.xml` or a Gradle build. */
export function readJvm(files: ScannedFiles, path: string): Manifest | undefined {
  const text = files.text(path)
  if (text === undefined) return undefined
  const isMaven = nameOf(path) === "pom.xml"
  const folder = folderOf(path)
  const wrapper = inFolder(folder, isMaven ? "mvnw" : "gradlew")
  const [tool, own] = isMaven ? (["mvn", "./mvnw"] as const) : (["gradle", "./gradlew"] as const)
  const run = files.has(wrapper) ? own : tool
  const usual = (purpose: ProjectCommand["purpose"], task: string): ProjectCommand => ({
    purpose,
    command: `${run} ${task}`,
    folder,
    evidence: files.has(wrapper) ? wrapper : path,
    declared: false,
  })
  return {
    ...emptyManifest(path, "jvm"),
    name: isMaven ? nameInPom(text) : nameInSettings(files, folder),
    dependencies: isMaven ? inPom(text) : inGradle(text),
    managers: [{ name: isMaven ? "maven" : "gradle", version: null, evidence: path }],
    commands: isMaven
      ? [usual("test", "test"), usual("build", "package")]
      : [usual("test", "test"), usual("build", "build")],
    members: isMaven
      ? [...text.matchAll(/<module>\s*([^<]+?)\s*<\/module>/g)].map(([, each = ""]) => each)
      : includedIn(files, folder),
  }
}

/** The project's own name: that of its parent stands in a block of its own. */
function nameInPom(text: string): string | null {
  const own = text.slice(Math.max(0, text.indexOf("</parent>")))
  return /<artifactId>\s*([^<]+?)\s*<\/artifactId>/.exec(own)?.[1] ?? null
}

function nameInSettings(files: ScannedFiles, folder: string): string | null {
  return /rootProject\.name\s*=\s*["']([^"']+)["']/.exec(settingsIn(files, folder))?.[1] ?? null
}

function includedIn(files: ScannedFiles, folder: string): string[] {
  const included = settingsIn(files, folder).matchAll(/^\s*include\s*\(?([^)\n]*)/gm)
  return [...included].flatMap(([, list = ""]) =>
    [...list.matchAll(/["']:?([^"']+)["']/g)].map(([, each = ""]) => each.replaceAll(":", "/")),
  )
}

function settingsIn(files: ScannedFiles, folder: string): string {
  const path = ["settings.gradle", "settings.gradle.kts"]
    .map((name) => inFolder(folder, name))
    .find(files.has)
  return path === undefined ? "" : (files.text(path) ?? "")
}

function inPom(text: string): Dependency[] {
  const properties = new Map(
    [...text.matchAll(/<([\w.-]+)>([^<>\s]+)<\/\1>/g)].map(([, name = "", value = ""]) => [name, value]),
  )
  const found: Dependency[] = []
  let line = 1
  // Piece by piece between two openings: a block that is never closed costs no more than one that is.
  for (const [index, piece] of text.split(/<(?:parent|dependency|plugin)>/).entries()) {
    const field = (tag: keyof typeof TAGS) => TAGS[tag].exec(piece)?.[1]?.trim()
    const artifact = index === 0 ? undefined : field("artifactId")
    if (artifact !== undefined) {
      const version = field("version")
      const named = /^\$\{(.+)\}$/.exec(version ?? "")?.[1]
      const resolved = named === undefined ? version : properties.get(named)
      found.push({ name: `${field("groupId") ?? ""}:${artifact}`, version: resolved ?? null, line })
    }
    line += piece.split("\n").length - 1
  }
  return found
}

function inGradle(text: string): Dependency[] {
  return linesOf(text).flatMap((line, index): Dependency[] => {
    const plugin = /\bid\s*\(?\s*["']([\w.-]+)["']\s*\)?(?:\s*version\s*\(?\s*["']([^"']+)["'])?/.exec(line)
    if (plugin !== null) return [{ name: `plugin:${plugin[1]}`, version: plugin[2] ?? null, line: index + 1 }]
    const library = /["']([\w.-]+:[\w.-]+)(?::([^"'@]+))?(?:@\w+)?["']/.exec(line)
    return library === null
      ? []
      : [
          {
            name: library[1] ?? "",
            version: library[2]?.includes("$") ? null : (library[2] ?? null),
            line: index + 1,
          },
        ]
  })
}

const TAGS = {
  groupId: /<groupId>([^<]*)<\/groupId>/,
  artifactId: /<artifactId>([^<]*)<\/artifactId>/,
  version: /<version>([^<]*)<\/version>/,
}
