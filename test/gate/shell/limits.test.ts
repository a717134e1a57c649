// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the shell has the same sign for its variables
import { mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { oversize } from "../../../src/gate/call-size.ts"
import { judgeCommand } from "../../../src/gate/shell/judge.ts"
import { bash, gatedProject, write } from "../../support/gated-project.ts"
import { gitRepo } from "../../support/git-repo.ts"
import { expectPassed, expectRefused, lossAsker } from "../../support/losses.ts"
import { tempProject } from "../../support/temp-project.ts"

const what = (command: string) =>
  judgeCommand(command, { project: "/srv/app", home: "/home/me" }).destructive?.what
const TOO_MUCH = "is too much to be judged before it runs"
const names = (count: number) => Array.from({ length: count }, (_, n) => `dist/${n}`).join(" ")
const EACH = 'do rm -rf "$x"; done'

describe("the limits that docs/shell.md names: what is just below is judged, what is above is not", () => {
  const table: [string, string, string][] = [
    ["12,000 characters", `echo ${"x".repeat(11_900)}`, `echo ${"x".repeat(12_100)}`],
    ["1,500 commands", "a\n".repeat(1450), "a\n".repeat(1510)],
    ["1,500 redirections", `${"a >b\n".repeat(740)}`, `${"a >b\n".repeat(760)}`],
    [
      "65,536 characters of code",
      `python3 <<'EOF'\n${"x = 1\n".repeat(10_900)}EOF`,
      `python3 <<'EOF'\n${"x = 1\n".repeat(10_930)}EOF`,
    ],
    [
      "hundreds of calls in code",
      `python3 <<'EOF'\n${"open('a')\n".repeat(90)}EOF`,
      `python3 <<'EOF'\n${"open('a','w')\n".repeat(2000)}EOF`,
    ],
  ]
  it.each(table)("%s", (_, below, above) => {
    expect([what(below), what(above)]).toEqual([undefined, TOO_MUCH])
  })

  it("here-documents, comments and indentation are not counted", () => {
    const long = "some words of a text\n".repeat(2000)
    expect(what(`cat > a.md <<'EOF'\n${long}EOF`)).toBeUndefined()
    expect(what(`${"# a comment of some length, which says nothing\n".repeat(400)}ls`)).toBeUndefined()
    expect(what(`${`${" ".repeat(60)}ls\n`.repeat(300)}`)).toBeUndefined()
  })

  it("of a list the first 64 words are gone through, and once more for all that is left", () => {
    expect(what(`for x in ${names(64)}; ${EACH}`)).toBeUndefined()
    expect(what(`for x in ${names(64)} /etc; ${EACH}`)).toBeDefined()
    expect(what(`for x in ${names(65)}; ${EACH}`)).toBeDefined()
    expect(what(`for x in ${names(65)}; do echo "$x"; done`)).toBeUndefined()
  })

  it("from 1,000 commands on it is the first of them", () => {
    expect(what(`${"a\n".repeat(950)}for x in ${names(2)}; ${EACH}`)).toBeUndefined()
    expect(what(`${"a\n".repeat(1010)}for x in ${names(1)}; ${EACH}`)).toBeUndefined()
    expect(what(`${"a\n".repeat(1010)}for x in ${names(2)}; ${EACH}`)).toBeDefined()
  })
})

describe("of one call", () => {
  const { codeOf } = gatedProject()
  const patch = (count: number, verb: string) => ({
    patchText: `*** Begin Patch\n${Array.from({ length: count }, (_, n) => `*** ${verb} File: f${n}.ts\n`).join("")}`,
  })

  it("1,000 files are looked at, by a patch and by a command", () => {
    expect(codeOf("apply_patch", patch(1000, "Update"))).toBe("passed")
    expect(codeOf("apply_patch", patch(1001, "Update"))).toBe("invalid_argument")
    const touch = (count: number) => `touch ${Array.from({ length: count }, (_, n) => n).join(" ")}`
    expect(codeOf(...bash(touch(1000)))).toBe("passed")
    expect(codeOf(...bash(touch(1001)))).toBe("invalid_argument")
    expect(codeOf(...bash(`${touch(1000)} .hivemind/x`))).not.toBe("passed")
    expect(codeOf(...bash(`${touch(900)} opencode.json`), { agent: "hive-executor" })).toBe("scope")
  })

  it("200 files are deleted", () => {
    expect(codeOf("apply_patch", patch(200, "Delete"))).toBe("passed")
    expect(codeOf("apply_patch", patch(201, "Delete"))).toBe("invalid_argument")
  })

  it("200 files are deleted, copied, moved or linked by a command", () => {
    const named = (count: number, sign = "") =>
      Array.from({ length: count }, (_, n) => `f${n}${sign}`).join(" ")
    for (const program of ["rm", "cp", "mv", "ln -s"]) {
      const target = program === "rm" ? "" : " dst/"
      expect(what(`${program} ${named(200)}${target}`), program).toBeUndefined()
      expect(what(`${program} ${named(201)}${target}`), program).toContain("more than can be looked at")
    }
  })

  it("a path has 4,096 characters, and many have fewer", () => {
    expect(codeOf(...write("a/".repeat(2048)))).toBe("passed")
    expect(codeOf(...write(`${"a/".repeat(2048)}b`))).toBe("invalid_argument")
    const paths = Array.from({ length: 10 }, () => "a".repeat(4000))
    expect(oversize({ paths: paths.slice(0, 2) })).toBeUndefined()
    expect(oversize({ paths })).toMatchObject({ evidence: expect.stringContaining("too long for 10 files") })
  })
})

it("3,000 names of a temporary folder are looked at, the nearest first, and what lies behind them passes", async () => {
  const place = realpathSync(await tempProject())
  const near = gitRepo(join(place, "near"), { "a.ts": "a" })
  writeFileSync(join(near, "new.ts"), "only here")
  const far = join(place, "far")
  for (let n = 0; n < 3001; n++) mkdirSync(join(far, `${n}`), { recursive: true })
  const behind = gitRepo(join(far, "0/deep/repository"), { "a.ts": "a" })
  writeFileSync(join(behind, "new.ts"), "only here")
  const refused = lossAsker(realpathSync(gitRepo(await tempProject(), { "a.ts": "a" })))
  await expectRefused(refused, [`rm -rf ${place}`, `rm -rf ${behind}`])
  await expectPassed(refused, [`rm -rf ${far}`])
})
