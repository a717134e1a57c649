import { execFileSync } from "node:child_process"
import { cpSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { beforeEach, describe, expect, test } from "vitest"
import { gitRepo } from "../support/git-repo.ts"
import { fillProject } from "./filled-project.ts"
import { cli, useSandbox } from "./harness.ts"

const box = useSandbox()
beforeEach(async () => {
  gitRepo(box.project, {
    "src/a.ts": "/** @param gone not there */\nexport function a(x: string) {}\n// TODO: more\n",
    "src/b.ts": 'import { a } from "./a"\n',
  })
  await fillProject(box.project)
})

describe("hivemind scan codemap", () => {
  test("shows the code for people, and as one document for programs", async () => {
    const { code, stdout, stderr } = await cli(box, ["scan", "codemap"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/^files +2\n[\s\S]*imports +1\nexports +1\ntodos +1\n/)
    const json = JSON.parse((await cli(box, ["scan", "codemap", "--json"])).stdout)
    expect(json).toMatchObject({
      status: "success",
      edges: [{ from: "src/b.ts", to: "src/a.ts", kind: "import" }],
      todos: [{ file: "src/a.ts", line: 3, tag: "TODO", text: "more" }],
      limit: null,
    })
    expect((await cli(box, ["scan", "codemap", "graph", "src/a.ts"])).stdout).toContain("src/b.ts")
    const wrong = await cli(box, ["scan", "codemap", "inconsistencies"])
    expect(wrong.code).toBe(1)
    expect(wrong.stdout).toContain("src/a.ts:1 @param gone: a has no such parameter")
    expect((await cli(box, ["scan", "codemap", "graph", "src/none.ts"])).code).toBe(1)
  })

  test("without a parser it says that imports are not known, and not that there are none", () => {
    // The built package alone, as it is installed without its optional parser.
    const folder = join(box.root, "package")
    cpSync(fileURLToPath(new URL("../../dist", import.meta.url)), join(folder, "dist"), { recursive: true })
    cpSync(fileURLToPath(new URL("../../package.json", import.meta.url)), join(folder, "package.json"))
    const shown = (...args: string[]) =>
      execFileSync(process.execPath, [join(folder, "dist/cli/main.js"), "scan", "codemap", ...args], {
        cwd: box.project,
        env: { PATH: process.env["PATH"], HOME: box.home },
        encoding: "utf8",
      })
    expect(shown()).toMatch(/imports +not known\nexports +not known\n.*codemap --install/s)
    expect(shown("graph")).toMatch(/imports +not known/)
    expect(shown("graph", "src/a.ts")).toMatch(/dependents +not known/)
  })

  test("prints no sign that a terminal obeys, neither of a name nor of a text; nor do scan, onboard and recall", async () => {
    gitRepo(box.project, {
      "src/c\u001b[31m.ts":
        'import "./gone\u009b1m"\n// TODO: red \u001b]0;title\u0007\nexport const shownName = "\u001b[2J"\n',
      "docs/d\u001b[5m.md": "# A \u001b[1m title\n\n[x](gone\u001b[7m.md)\n",
    })
    const printed: string[] = []
    for (const words of [
      ["scan", "codemap"],
      ["scan", "codemap", "todos"],
      ["scan", "codemap", "graph", "src/c\u001b[31m.ts"],
      ["scan", "codemap", "inconsistencies"],
      ["scan"],
      ["scan", "documents"],
      ["scan", "onboard", "--dry-run"],
      ["recall", "shownName"],
    ])
      printed.push((await cli(box, words)).stdout)
    expect(printed.join("").match(/[^\P{Cc}\n]/gu)).toBeNull()
    expect(printed[1]).toContain("src/c[31m.ts:2 TODO red ]0;title")
    expect(printed[7]).toContain("shownName")
  })

  test("installs nothing without being told to", async () => {
    const { code, stderr } = await cli(box, ["scan", "codemap", "--install"])
    expect(code).not.toBe(0)
    expect(stderr).toContain("--yes")
  })
})
