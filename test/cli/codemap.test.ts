import { execFileSync } from "node:child_process"
import { cpSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { gitRepo } from "../support/git-repo.ts"
import { fillProject } from "./filled-project.ts"
import { cli, cliJson, shown, useSandbox } from "./harness.ts"

const box = useSandbox(({ project }) => {
  gitRepo(project, {
    "src/a.ts": "/** @param gone not there */\nexport function a(x: string) {}\n// TODO: more\n",
    "src/b.ts": 'import { a } from "./a"\n',
  })
  return fillProject(project)
})
const codemap = (more = "") => cli(box, `scan codemap${more}`)

test("prints the code map as text and as one JSON document", async () => {
  const text = await shown(box, "scan codemap")
  expect(text).toMatch(/^files +2\n[\s\S]*imports +1\nexports +1\ntodos +1\n/)
  expect(await cliJson(box, "scan codemap")).toMatchObject({
    status: "success",
    edges: [{ from: "src/b.ts", to: "src/a.ts", kind: "import" }],
    todos: [{ file: "src/a.ts", line: 3, tag: "TODO", text: "more" }],
    limit: null,
  })
  expect((await codemap(" graph src/a.ts")).stdout).toContain("src/b.ts")
  const { code, stdout } = await codemap(" inconsistencies")
  const wrong = expect.stringContaining("src/a.ts:1 @param gone: a has no such parameter")
  expect([code, stdout]).toEqual([1, wrong])
  expect((await codemap(" graph src/none.ts")).code).toBe(1)
})

test("without a parser it says that imports are unknown, not that there are none", () => {
  // The built package alone, as it is installed without its optional parser.
  const folder = join(box.root, "package")
  for (const path of ["dist", "package.json"])
    cpSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), join(folder, path), { recursive: true })
  const printed = (...args: string[]) =>
    execFileSync(process.execPath, [join(folder, "dist/cli/main.js"), "scan", "codemap", ...args], {
      cwd: box.project,
      env: { PATH: process.env["PATH"], HOME: box.home },
      encoding: "utf8",
    })
  expect(printed()).toMatch(/imports +not known\nexports +not known\n.*codemap --install/s)
  expect(printed("graph")).toMatch(/imports +not known/)
  expect(printed("graph", "src/a.ts")).toMatch(/dependents +not known/)
})

test("--install installs nothing without --yes", async () => {
  const { code, stderr } = await codemap(" --install")
  expect([code, stderr]).toEqual([2, expect.stringContaining("--yes")])
})
