import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Command } from "commander"
import { expect, it } from "vitest"
import { COMMAND_GROUPS } from "../../src/cli/commands.ts"
import { command as restoreCommand } from "../../src/cli/restore.ts"
import { COMMANDS } from "../../src/hosts/opencode/agents.ts"
import { defaultConfig } from "../../src/schemas/config.ts"
import { toolActions } from "../../src/shared/tool-names.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const readme = readFileSync(join(root, "README.md"), "utf8")

it("the README has at most 200 lines", () => {
  expect(readme.split("\n").length - 1).toBeLessThanOrEqual(200)
})

it("the README lists every tool with its actions, and no other", () => {
  const rows = [...readme.matchAll(/^\| `hivemind_(\w+)` +\| (.+?) +\|$/gm)]
  const listed = rows.map(([, tool, actions = ""]) => [
    tool,
    [...actions.matchAll(/`(\w+)`/g)].map(([, a]) => a).sort(),
  ])
  expect(listed).toEqual(Object.entries(toolActions).map(([tool, actions]) => [tool, [...actions].sort()]))
})

it("the README lists every command of the command line, and no other", () => {
  const rows = [...readme.matchAll(/^\| `hivemind ([a-z]+(?: [a-z]+)?)[^`]*` +\|/gm)]
  const listed = rows.map(([, name]) => name)
  const there = COMMAND_GROUPS.flatMap(({ commands }) =>
    commands.flatMap(({ name, views }) => [name, ...Object.keys(views).map((view) => `${name} ${view}`)]),
  )
  expect(listed.sort()).toEqual(there.sort())
})

it("the README names every command of a session, and no other", () => {
  const named = [...readme.matchAll(/`\/(hive[a-z-]*)`/g)].map(([, name]) => name)
  expect([...new Set(named)].sort()).toEqual(Object.keys(COMMANDS).sort())
})

it("the README and the page on snapshots name the options of snapshots with their defaults", () => {
  const page = readFileSync(join(root, "docs/snapshots.md"), "utf8")
  const { snapshots } = defaultConfig
  const shown = /"snapshots": (\{[\s\S]*?\n\})/.exec(page)?.[1] ?? ""
  expect(JSON.parse(shown.replaceAll(/ \/\/.*$/gm, ""))).toEqual(snapshots)
  expect(page).toContain(`Kept for ${snapshots.keep_days} days and up to ${snapshots.max_mb} MB.`)
  const inReadme = /"snapshots": (\{.*?\})/.exec(readme)?.[1] ?? ""
  expect(snapshots).toMatchObject(JSON.parse(inReadme))
  expect(page).toContain(`up to ${snapshots.max_ignored_kb / 1024} MB each`)
})

it("the page on snapshots names every option of the restore command", () => {
  const page = readFileSync(join(root, "docs/snapshots.md"), "utf8")
  const command = new Command("restore")
  restoreCommand.configure?.(command)
  const options = command.options.flatMap(({ long }) => long ?? []).filter((name) => name !== "--page")
  expect(options.filter((name) => !page.includes(name))).toEqual([])
})

it("no page links to a missing file or heading", () => {
  const own = "README AGENTS CONTEXT CHANGELOG CONTRIBUTING SECURITY CODE_OF_CONDUCT examples/README".split(
    " ",
  )
  const pages = [...own.map((name) => `${name}.md`), ...pagesIn("docs")]
  const dead = pages.flatMap((page) => linksOf(page).filter((link) => !leadsSomewhere(page, link)))
  expect(dead).toEqual([])
})

function pagesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name))
}

function linksOf(page: string): string[] {
  // Code is no link, also not where it looks like one.
  const text = readFileSync(join(root, page), "utf8").replace(/```[\s\S]*?```|`[^`\n]*`/g, "")
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link)
  return links.filter((link) => !/^https?:/.test(link))
}

function leadsSomewhere(page: string, link: string): boolean {
  const [file = "", heading] = link.split("#")
  const target = file === "" ? page : join(dirname(page), file)
  if (!existsSync(join(root, target))) return false
  return heading === undefined || headingsOf(target).includes(heading)
}

function headingsOf(page: string): string[] {
  const text = readFileSync(join(root, page), "utf8")
  const titles = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => title.toLowerCase())
  return titles.map((title) => title.replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-"))
}
